// The views that are one table: watches, faults, logical clusters.

import { Asked } from "./asked.js";
import { el, empty, table } from "./dom.js";
import { age, bytes, count, duration, plural } from "./format.js";
import { go } from "./session.js";

const SHOWN_MAX = 200;

export const watches = () => new Asked({
  path: "/quarterdeck/v1/watches",
  off: ["No watches are told", "The server does not tell of them."],
  describe: ({ count: number, watches: told }) => (number ? [
    el("h2", {}, plural(number, "watch", "watches"), el("span", { class: "quiet", text: " the furthest behind first" })),
    table(["Who", "Watches", "Selects", "For", "Sent", "Behind", "State"], told.slice(0, SHOWN_MAX).map(describeWatch),
      { numbers: [3, 4, 5], label: "Watches", className: "stack" }),
    more(number),
  ] : [empty("No watches", "Nobody watches anything, this page apart.")]),
});

const more = (number) => (number > SHOWN_MAX ? el("p", { class: "note", text: `and ${count(number - SHOWN_MAX)} more` }) : "");

function describeWatch(each) {
  const selectors = [each.name && `name ${each.name}`, each.labelSelector, each.fieldSelector].filter(Boolean).join(", ");
  const resource = each.group ? `${each.resource}.${each.group}` : each.resource;
  const state = each.isPaused ? "does not read" : each.state;
  return [
    el("span", { title: `${each.userAgent} from ${each.address}` }, each.user, el("small", { text: each.userAgent })),
    el("span", { title: each.accept }, resource, el("small", { text: each.namespace || "everywhere" })),
    selectors || "everything",
    duration(each.seconds),
    count(each.sent),
    each.behind ? el("span", { class: "late" }, count(each.behind), el("small", { text: bytes(each.behindBytes) })) : "0",
    el("span", { class: `tag ${each.isPaused ? "late" : ""}`, text: state }),
  ];
}

export const faults = () => new Asked({
  path: "/quarterdeck/v1/faults",
  off: ["Faults are off", "A server that is started with --enable-fault-injection spoils requests by rules."],
  describe: ({ rules }) => (rules.length
    ? [el("h2", { text: plural(rules.length, "rule") }),
      table(["Rule", "What it does", "Which requests", "Matched", "Fired"], rules.map(describeRule),
        { numbers: [3, 4], label: "Faults", className: "stack" })]
    : [empty("No faults", "No rule spoils requests.")]),
});

function describeRule({ name, matched, fired, match = {}, ...rest }) {
  return [name, tell(rest), tell(match) || "all", count(matched), count(fired)];
}

/** {"delay": {"seconds": 1}, "verbs": ["get", "list"]}: "delay seconds 1 · verbs get, list". */
function tell(value) {
  if (Array.isArray(value)) return value.map(tell).join(", ");
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([key, each]) => `${key} ${tell(each)}`.trim()).join(" · ");
}

export const clusters = (open) => new Asked({
  path: "/clusters",
  isOfServer: true,
  off: ["No logical clusters", "A server that is started with --enable-logical-clusters has them."],
  describe: ({ items }) => (items.length ? [
    el("h2", { text: plural(items.length, "logical cluster") }),
    table(["Cluster", "State", "Objects", "Revision", "Age"], items.slice(0, SHOWN_MAX).map((each) => [
      el("button", { type: "button", class: "link", text: each.name, on: { click: () => open(each.name) } }),
      each.awake ? "awake" : "at rest", count(each.objects), each.resourceVersion, age(each.created),
    ]), { numbers: [2, 3, 4], label: "Logical clusters", className: "stack" }),
    more(items.length),
  ] : [empty("No logical clusters", "None has been made.")]),
});

export const openCluster = (name) => go({ view: "objects", cluster: name, kind: "", object: "" });
