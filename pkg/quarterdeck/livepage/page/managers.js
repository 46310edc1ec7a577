// Who manages which fields of an object, from its managedFields.

import { el } from "./dom.js";
import { clock, plural } from "./format.js";

const DEPTH_MAX = 100;

export function managersOf(object) {
  const entries = object.metadata.managedFields ?? [];
  if (!entries.length) return el("p", { class: "note", text: "Nobody's fields are noted." });
  return el("div", { class: "managers" }, ...entries.map(describe));
}

function describe({ manager = "", operation = "", subresource, time, apiVersion, fieldsV1 = {} }) {
  const paths = [];
  gather(fieldsV1, "", paths, 0);
  return el("details", { class: "manager", open: true },
    el("summary", {},
      el("strong", { text: manager || "(nobody)" }),
      el("span", { class: `tag ${operation === "Apply" ? "apply" : ""}`, text: operation }),
      subresource ? el("span", { class: "tag", text: `/${subresource}` }) : null,
      el("span", { class: "quiet", text: `${plural(paths.length, "field")} · ${apiVersion ?? ""}${time ? ` · ${clock(time)}` : ""}`, title: time ?? "" })),
    el("ul", {}, ...paths.map((path) => el("li", { text: path }))));
}

/** The leaves: ".spec.replicas", '.spec.containers[name="a"].image'. */
function gather(fields, path, paths, depth) {
  const names = Object.keys(fields);
  for (const name of names) {
    if (name === ".") {
      if (names.length === 1) paths.push(path);
      continue;
    }
    const place = path + step(name);
    if (Object.keys(fields[name]).length && depth < DEPTH_MAX) gather(fields[name], place, paths, depth + 1);
    else paths.push(place);
  }
}

function step(name) {
  const rest = name.slice(2);
  if (name.startsWith("f:")) return /^[\w-]+$/.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (name.startsWith("k:")) {
    const parts = Object.entries(JSON.parse(rest)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return `[${parts.join(",")}]`;
  }
  return `[${rest}]`;
}
