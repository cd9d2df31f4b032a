/*
 * Loaded before all else by each Node process and worker thread of a service that is measured: has the engine count blocks, and says
 * now and then, and when it is asked, which text of the service's own scripts ran. Nothing is left for the end of a process, which may
 * come by a kill; one that ends by itself says the rest as it does. Whatever goes wrong here, the service goes on.
 */
"use strict";

const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { Session } = require("node:inspector");
const { connect } = require("node:net");
const { extname, join } = require("node:path");
const { fileURLToPath } = require("node:url");

const PORT = Number(process.env.REPOPROOF_COVERAGE_PORT);
const ROOT = process.env.REPOPROOF_COVERAGE_ROOT;
const SUFFIXES = new Set([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"]);
const EVERY_MS = 100;
const AT_MOST_EVERY_MS = 400;
/** What is longer is a bundle of packages: it is named, and no more. */
const LONGEST = 2_000_000;
/** Of a process that ends, with those who hear its last words. Where nobody listens any more, that is known at once. */
const PATIENCE_MS = 10_000;

const scripts = new Map();
const told = new Set();
const session = new Session();
const { setTimeout: wait } = globalThis;
const later = (step, milliseconds) => void wait(step, milliseconds).unref();
/** The connection to whoever listens; undefined while there is none. */
let out;

function post(method, parameters) {
    let answer;
    session.post(method, parameters, (error, result) => {
        if (error) throw error;
        answer = result;
    });
    return answer;
}

/** Where a script of the service's own lies below ROOT; "" of any other. */
function own(url) {
    let path = url;
    if (url.startsWith("file://")) {
        try {
            path = fileURLToPath(url);
        } catch {
            return "";
        }
    }
    const is = path.startsWith(`${ROOT}/`) && SUFFIXES.has(extname(path)) && !path.includes("/node_modules/");
    return is ? path.slice(ROOT.length + 1) : "";
}

/** What ran since it was last asked, added to what ran before. */
function take() {
    const { result } = post("Profiler.takePreciseCoverage");
    const unknown = result.filter(({ scriptId, url }) => !scripts.has(scriptId) && own(url));
    if (unknown.length) {
        if (!scripts.size) {
            // Who has their sources. It stays: an engine that lets go of its debugger lets go of its counts.
            post("Debugger.enable");
            post("Debugger.setSkipAllPauses", { skip: true });
        }
        for (const { scriptId, url } of unknown) {
            const { scriptSource } = post("Debugger.getScriptSource", { scriptId });
            const source = scriptSource.length > LONGEST ? "" : scriptSource;
            const digest = createHash("sha256").update(source).digest("hex");
            scripts.set(scriptId, { file: own(url), source, digest, ran: new Uint8Array(source.length), grown: 1, heard: 0 });
        }
    }
    for (const { scriptId, functions } of result) {
        if (scripts.has(scriptId)) add(scripts.get(scriptId), functions);
    }
}

/** The innermost range around a character says whether it ran. Ranges are nested, an outer one's first. */
function add(script, functions) {
    const ranges = functions.flatMap(({ ranges }) =>
        ranges.map(({ startOffset, endOffset, count }, index) => {
            // A function is met where it begins, whether or not it is called; so is a class, which counts as one with its fields.
            const met = index === 0 && !(startOffset === 0 && endOffset === script.source.length) ? 1 : 0;
            return { from: startOffset + met, to: endOffset, ran: count > 0 ? 1 : 0 };
        }),
    );
    ranges.sort((a, b) => a.from - b.from || b.to - a.to);
    const now = new Uint8Array(script.source.length);
    for (const { from, to, ran } of ranges) now.fill(ran, from, to);
    let more = 0;
    for (let place = 0; place < now.length; place++) {
        more |= now[place] & ~script.ran[place];
        script.ran[place] |= now[place];
    }
    script.grown += more;
}

function spans(ran) {
    const found = [];
    for (let from = ran.indexOf(1); from >= 0; ) {
        const to = ran.indexOf(0, from);
        found.push(from, to < 0 ? ran.length : to);
        from = to < 0 ? -1 : ran.indexOf(1, to);
    }
    return found;
}

/** One line for each script of which more ran than was heard of, and a function to call when it has been heard. */
function message() {
    const news = [...scripts.values()].filter((script) => script.grown > script.heard).map((script) => [script, script.grown]);
    const lines = news.map(([{ file, source, digest, ran }]) => {
        const text = told.has(digest) ? undefined : source;
        return `${JSON.stringify({ file, digest, source: text, ran: spans(ran) })}\n`;
    });
    const heard = () => {
        for (const [script, grown] of news) {
            script.heard = grown;
            told.add(script.digest);
        }
    };
    return { lines: lines.join(""), heard };
}

function tell() {
    take();
    if (!out) return;
    const { lines, heard } = message();
    if (lines) out.write(lines, (error) => error || heard());
}

function keepTelling() {
    const began = performance.now();
    quietly(tell)();
    later(keepTelling, Math.min(AT_MOST_EVERY_MS, Math.max(EVERY_MS, 9 * (performance.now() - began))));
}

/** Whoever listens asks, at the end, for what was not said yet. */
function open() {
    const opened = connect(PORT, "127.0.0.1").unref();
    opened.on("connect", () => void (out = opened));
    opened.on("data", () => {
        quietly(tell)();
        opened.write("done\n");
    });
    opened.on("error", () => {});
    opened.on("close", () => {
        out = undefined;
        later(open, EVERY_MS);
    });
}

/** By a process of its own: one that ends can wait for nothing else. */
function tellRest() {
    take();
    const { lines } = message();
    const command = [join(__dirname, "last_words.cjs"), String(PORT)];
    if (lines) spawnSync(process.execPath, command, { input: lines, env: {}, timeout: PATIENCE_MS, stdio: ["pipe", "ignore", "ignore"] });
}

/** Our own mistakes are not the service's. */
function quietly(step) {
    return () => {
        try {
            step();
        } catch {
            // It is measured less.
        }
    };
}

quietly(() => {
    if (!PORT || !ROOT) return;
    session.connect();
    post("Profiler.enable");
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    process.on("exit", quietly(tellRest));
    open();
    later(keepTelling, EVERY_MS);
})();
