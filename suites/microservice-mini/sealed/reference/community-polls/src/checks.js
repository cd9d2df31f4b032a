export const isText = (value, longest) => typeof value === "string" && value.length >= 1 && value.length <= longest;

export const isInteger = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

export const allDifferent = (values) => new Set(values).size === values.length;

export const isVoter = (value) => typeof value === "string" && /^[A-Za-z0-9._-]{1,40}$/.test(value);

/** A query parameter as a number: the default where it is not given, NaN where it is not a plain decimal number. */
export function queryNumber(value, byDefault) {
  if (value === undefined) return byDefault;
  return typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : NaN;
}

/** The body, if it is an object; an empty object for anything else, so that the checks of its fields fail. */
export const fieldsOf = (body) => (body !== null && typeof body === "object" && !Array.isArray(body) ? body : {});
