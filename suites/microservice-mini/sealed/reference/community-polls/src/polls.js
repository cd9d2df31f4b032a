import { Router } from "express";

import { allDifferent, fieldsOf, isInteger, isText, queryNumber } from "./checks.js";
import { Poll } from "./poll.js";
import { Refusal, demand } from "./refusal.js";
import { add, newestFirst, pollOf } from "./register.js";

export const polls = Router();

polls.post("/", (request, response) => {
  const { question, options, max_choices: maxChoices = 1, reveal = "always", tag = "general" } = fieldsOf(request.body);
  const count = Array.isArray(options) ? options.length : 0;
  demand({
    question: isText(question, 200),
    options: isInteger(count, 2, 10) && options.every((option) => isText(option, 60)) && allDifferent(options),
    max_choices: isInteger(maxChoices, 1, count || 10),
    reveal: ["always", "closed"].includes(reveal),
    tag: isText(tag, 40),
  });
  const poll = new Poll({ question, options, maxChoices, reveal, tag });
  add(poll);
  response.status(201).json(poll.shownToOwner());
});

polls.get("/", (request, response) => {
  const { tag, state } = request.query;
  const limit = queryNumber(request.query.limit, 10);
  const offset = queryNumber(request.query.offset, 0);
  demand({
    limit: isInteger(limit, 1, 50),
    offset: isInteger(offset, 0, Infinity),
    state: [undefined, "open", "closed"].includes(state),
  });
  const matches = newestFirst().filter(
    (poll) => [undefined, poll.tag].includes(tag) && [undefined, poll.state].includes(state),
  );
  const page = matches.slice(offset, offset + limit);
  response.json({ polls: page.map((poll) => poll.shown()), total: matches.length });
});

polls.get("/:pollId", (request, response) => {
  response.json(pollOf(request).shown());
});

polls.post("/:pollId/close", (request, response) => {
  const poll = pollOf(request);
  demandOwner(poll, request);
  poll.close();
  response.json(poll.shown());
});

polls.get("/:pollId/results", (request, response) => {
  const poll = pollOf(request);
  if (poll.reveal === "closed" && poll.state === "open") demandOwner(poll, request);
  response.json(poll.results());
});

function demandOwner(poll, request) {
  if (!poll.isOwnedWith(request.get("X-Owner-Key"))) throw new Refusal(403, "this needs the owner's key");
}
