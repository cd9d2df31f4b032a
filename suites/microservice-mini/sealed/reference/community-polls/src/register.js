import { Refusal } from "./refusal.js";

const polls = new Map();

export function add(poll) {
  polls.set(poll.id, poll);
}

export function pollOf(request) {
  const poll = polls.get(request.params.pollId);
  if (poll === undefined) throw new Refusal(404, "no such poll");
  return poll;
}

export function newestFirst() {
  return [...polls.values()].reverse();
}
