import { Router } from "express";

import { allDifferent, fieldsOf, isInteger, isVoter } from "./checks.js";
import { demand } from "./refusal.js";
import { pollOf } from "./register.js";

export const votes = Router({ mergeParams: true });

votes.post("/", (request, response) => {
  const poll = pollOf(request);
  const { voter, choices } = fieldsOf(request.body);
  demand({ voter: isVoter(voter), choices: areChoices(poll, choices) });
  poll.vote(voter, choices);
  response.status(201).json({ voter, choices });
});

votes.put("/:voter", (request, response) => {
  const poll = pollOf(request);
  const { voter } = request.params;
  const { choices } = fieldsOf(request.body);
  demand({ choices: areChoices(poll, choices) });
  poll.change(voter, choices);
  response.json({ voter, choices });
});

votes.delete("/:voter", (request, response) => {
  pollOf(request).withdraw(request.params.voter);
  response.status(204).end();
});

function areChoices(poll, choices) {
  return (
    Array.isArray(choices) &&
    isInteger(choices.length, 1, poll.maxChoices) &&
    choices.every((choice) => poll.options.includes(choice)) &&
    allDifferent(choices)
  );
}
