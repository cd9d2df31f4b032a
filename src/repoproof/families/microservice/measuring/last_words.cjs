/* Passes on what it is given, as soon as somebody listens. */
"use strict";

const { readFileSync } = require("node:fs");
const { connect } = require("node:net");

const words = readFileSync(0);

function say() {
    const out = connect(Number(process.argv[2]), "127.0.0.1");
    out.on("error", () => setTimeout(say, 50));
    out.end(words);
}

say();
