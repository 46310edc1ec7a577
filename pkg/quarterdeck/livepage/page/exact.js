// Numbers as they were sent: a browser's hold 53 bits, those of objects 64. Where the browser can not tell what was sent,
// they are its own.

/** What `text` says; a number that the browser would write in another way is kept as its text. */
export function parse(text) {
  if (!JSON.rawJSON) return JSON.parse(text);
  return JSON.parse(text, (_, value, { source }) =>
    (typeof value === "number" && String(value) !== source ? JSON.rawJSON(source) : value));
}

export const isExact = (value) => Boolean(JSON.isRawJSON?.(value));
