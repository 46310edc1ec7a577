// Objects as YAML, line by line: [indent, key, text]. Texts that YAML would read as something else are quoted.

import { isExact } from "./exact.js";

const PLAIN = /^[A-Za-z_/][\w./@+:-]*( [\w./@+:-]+)*$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n|~|nan|inf)$/i;
// Control characters, and what some readers of YAML take for the end of a line.
const ODD = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;
const DEPTH_MAX = 200;

export function toLines(value) {
  const lines = [];
  write(value, 0, "", lines, 0);
  return lines;
}

export const toText = (lines) => lines.map(([indent, key, text]) => `${" ".repeat(indent)}${key}${text}`).join("\n");

function write(value, indent, prefix, lines, depth) {
  if (depth > DEPTH_MAX) lines.push([indent, prefix, JSON.stringify(value)]);
  else if (Array.isArray(value)) for (const each of value) writeItem(each, indent, lines, depth);
  else for (const [name, each] of Object.entries(value)) writeMember(scalar(name), each, indent, lines, depth);
}

function writeMember(name, value, indent, lines, depth) {
  if (isBlock(value)) {
    lines.push([indent, `${name}: `, value.endsWith("\n") ? "|" : "|-"]);
    for (const line of value.replace(/\n$/, "").split("\n")) lines.push([indent + 2, "", line]);
  } else if (isSimple(value)) {
    lines.push([indent, `${name}: `, scalar(value)]);
  } else {
    lines.push([indent, `${name}:`, ""]);
    write(value, Array.isArray(value) ? indent : indent + 2, "", lines, depth + 1);
  }
}

function writeItem(value, indent, lines, depth) {
  if (isSimple(value)) {
    lines.push([indent, "- ", scalar(value)]);
    return;
  }
  const begin = lines.length;
  write(value, indent + 2, "", lines, depth + 1);
  const [, key, text] = lines[begin];
  lines[begin] = [indent, `- ${key}`, text];
}

const isSimple = (value) => value === null || typeof value !== "object" || isExact(value) || Object.keys(value).length === 0;

const isBlock = (value) => typeof value === "string" && /^[^\s].*\n[\s\S]*[^\n]\n?$/.test(value) && !ODD.test(value);

function scalar(value) {
  if (isExact(value)) return value.rawJSON;
  if (value !== null && typeof value === "object") return Array.isArray(value) ? "[]" : "{}";
  if (typeof value !== "string") return String(value);
  const isPlain = PLAIN.test(value) && !WORDS.test(value) && !value.includes(": ") && !value.endsWith(":");
  return isPlain ? value : quote(value);
}

const quote = (text) => JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escape);

const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
