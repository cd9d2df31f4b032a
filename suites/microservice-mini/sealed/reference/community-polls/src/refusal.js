const CODES = { 400: "malformed", 403: "forbidden", 404: "not_found", 409: "conflict", 422: "invalid" };

/** A request that is refused, with the status that says why. */
export class Refusal extends Error {
  constructor(status, message, more = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }

  answer() {
    return { error: CODES[this.status], message: this.message, ...this.more };
  }
}

/** Refuses if any of the named checks is false. */
export function demand(checks) {
  const fields = Object.keys(checks).filter((name) => !checks[name]);
  if (fields.length > 0) throw new Refusal(422, `faulty: ${fields.join(", ")}`, { fields: fields.sort() });
}
