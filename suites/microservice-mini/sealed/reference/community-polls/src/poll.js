import { randomBytes, timingSafeEqual } from "node:crypto";

import { Refusal } from "./refusal.js";

/** One poll and its votes. */
export class Poll {
  #ownerKey = randomBytes(16).toString("hex");
  #votes = new Map();

  constructor({ question, options, maxChoices, reveal, tag }) {
    this.id = `p-${randomBytes(6).toString("hex")}`;
    this.question = question;
    this.options = options;
    this.maxChoices = maxChoices;
    this.reveal = reveal;
    this.tag = tag;
    this.state = "open";
  }

  shown() {
    const { id, question, options, maxChoices, reveal, tag, state } = this;
    return { id, question, options, max_choices: maxChoices, reveal, tag, state };
  }

  shownToOwner() {
    return { ...this.shown(), owner_key: this.#ownerKey };
  }

  isOwnedWith(key) {
    const given = Buffer.from(key ?? "");
    const owned = Buffer.from(this.#ownerKey);
    return given.length === owned.length && timingSafeEqual(given, owned);
  }

  close() {
    this.state = "closed";
  }

  vote(voter, choices) {
    this.#mustBeOpen();
    if (this.#votes.has(voter)) throw new Refusal(409, `${voter} has voted`);
    this.#votes.set(voter, choices);
  }

  change(voter, choices) {
    this.#mustBeOpen();
    this.#mustHaveVoted(voter);
    this.#votes.set(voter, choices);
  }

  withdraw(voter) {
    this.#mustBeOpen();
    this.#mustHaveVoted(voter);
    this.#votes.delete(voter);
  }

  results() {
    const voters = this.#votes.size;
    const counts = new Map(this.options.map((option) => [option, 0]));
    for (const choice of [...this.#votes.values()].flat()) counts.set(choice, counts.get(choice) + 1);
    const results = [...counts]
      .map(([option, votes]) => ({ option, votes, share: voters === 0 ? 0 : Number((votes / voters).toFixed(4)) }))
      .sort((one, other) => other.votes - one.votes);
    const winners = results.filter(({ votes }) => votes > 0 && votes === results[0].votes).map(({ option }) => option);
    return { poll_id: this.id, state: this.state, voters, results, winners };
  }

  #mustBeOpen() {
    if (this.state !== "open") throw new Refusal(409, "the poll is closed");
  }

  #mustHaveVoted(voter) {
    if (!this.#votes.has(voter)) throw new Refusal(404, `${voter} has not voted`);
  }
}
