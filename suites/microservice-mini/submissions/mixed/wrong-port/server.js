import express from "express";

const app = express();

app.get("/health", (request, response) => response.json({ status: "ok" }));

app.listen(3000, process.env.HOST, () => console.log("listening on port 3000"));
