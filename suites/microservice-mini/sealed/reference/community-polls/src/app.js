import express from "express";

import { polls } from "./polls.js";
import { Refusal } from "./refusal.js";
import { votes } from "./votes.js";

export const app = express();

app.disable("x-powered-by");
app.use(express.json());

app.get("/health", (request, response) => {
  response.json({ status: "ok" });
});
app.use("/polls", polls);
app.use("/polls/:pollId/votes", votes);

app.use((request) => {
  throw new Refusal(404, `nothing is at ${request.path}`);
});

app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  if (error.type === "entity.parse.failed") error = new Refusal(400, "the body is not JSON");
  if (error instanceof Refusal) return response.status(error.status).json(error.answer());
  console.error(error);
  response.status(error.status ?? 500).json({ error: "failed", message: "the request could not be handled" });
});
