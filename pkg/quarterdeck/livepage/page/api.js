// Reads of the server: JSON, and lines of JSON that come as they happen.

import { parse } from "./exact.js";
import { token } from "./session.js";

const LINE_CHARS_MAX = 8 * 1024 * 1024;

/** The server's refusal; `status` 0: it has not answered. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let base = "";
let onAnswer = () => {};

/** All paths are those of this logical cluster from now on; "": the server's own. */
export function setCluster(name) {
  base = name ? `/clusters/${encodeURIComponent(name)}` : "";
}

/** Told the status of each answer, 0 where there is none. */
export function listenToAnswers(listener) {
  onAnswer = listener;
}

async function ask(path, { accept = "application/json", signal, isOfServer = false } = {}) {
  let answer;
  try {
    answer = await fetch(isOfServer ? path : base + path, {
      headers: { Accept: accept, Authorization: `Bearer ${token()}` },
      cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    onAnswer(0);
    throw new Failure(0, "the server does not answer");
  }
  onAnswer(answer.status);
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text.trim();
  try {
    message = JSON.parse(text).message || message;
  } catch { /* a page, not a Status */ }
  throw new Failure(answer.status, message || `status ${answer.status}`);
}

export async function get(path, options) {
  return (await ask(path, options)).json();
}

/** An object, with its numbers as they are. */
export async function getExact(path, options) {
  return parse(await (await ask(path, options)).text());
}

/** Calls `take` with each line's value; returns when the server ends the stream. */
export async function stream(path, options, take) {
  const answer = await ask(path, options);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch (error) {
      if (options.signal?.aborted) throw error;
      onAnswer(0);
      throw new Failure(0, "the connection broke");
    }
    if (piece.done) return;
    const lines = (rest + piece.value).split("\n");
    rest = lines.pop();
    if (rest.length > LINE_CHARS_MAX) throw new Failure(0, "an event is too long");
    for (const line of lines) if (line) take(JSON.parse(line));
  }
}

export const pause = (milliseconds, signal) => new Promise((done) => {
  const timer = setTimeout(done, milliseconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
});
