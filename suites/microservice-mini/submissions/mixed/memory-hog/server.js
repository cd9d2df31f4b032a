import express from "express";

const app = express();
const kept = [];

app.get("/health", (request, response) => response.json({ status: "ok" }));

app.post("/polls", () => {
  // Filled with ones, so that the memory is really there.
  for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
});

app.listen(process.env.PORT, process.env.HOST);
