// What changed between two states of an object, and by whom; as `quarterdeck history` tells it.

import { isExact } from "./exact.js";

const DEPTH_MAX = 500;
const SHOWN_CHARS_MAX = 200;
const NOT_SHOWN = new Set(["resourceVersion", "managedFields"]); // they change with every write, and are told by themselves

/** [[field, how]]; a state is null where there is no object. */
export function compare(old, now) {
  if (!old || !now) return [["", old ? "deleted" : "created"]];
  const found = [];
  walk(strip(old), strip(now), "", DEPTH_MAX, found);
  return found;
}

function strip({ kind, apiVersion, ...rest }) {
  const metadata = Object.fromEntries(Object.entries(rest.metadata).filter(([name]) => !NOT_SHOWN.has(name)));
  return { ...rest, metadata };
}

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !isExact(value);

function walk(old, now, path, depth, found) {
  if (isMap(old) && isMap(now) && depth) {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const place = path ? `${path}.${name}` : name;
      if (!Object.hasOwn(now, name)) found.push([place, `${show(old[name])} → removed`]);
      else if (!Object.hasOwn(old, name)) found.push([place, `added ${show(now[name])}`]);
      else walk(old[name], now[name], place, depth - 1, found);
    }
  } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length && depth) {
    old.forEach((value, at) => walk(value, now[at], `${path}[${at}]`, depth - 1, found));
  } else if (JSON.stringify(old) !== JSON.stringify(now)) {
    found.push([path, `${show(old)} → ${show(now)}`]);
  }
}

function show(value) {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`;
}

const keyOf = (entry) => JSON.stringify([entry.manager, entry.operation, entry.apiVersion, entry.subresource]);

/** Whose entries in managedFields this write has changed: "kubectl (Apply)", "manager (Update of status)". */
export function findManagers(old, now) {
  const before = new Map((old?.metadata.managedFields ?? []).map((each) => [keyOf(each), JSON.stringify(each)]));
  return (now.metadata.managedFields ?? []).filter((each) => before.get(keyOf(each)) !== JSON.stringify(each)).map(name);
}

export const name = ({ manager = "", operation = "", subresource }) =>
  `${manager} (${operation}${subresource ? ` of ${subresource}` : ""})`;

/** That of the newest entry, which is when it was written, to the second. */
export function timeOf(state) {
  const times = (state.metadata.managedFields ?? []).map((each) => each.time ?? "");
  return [state.metadata.creationTimestamp ?? "", ...times].sort().at(-1);
}
