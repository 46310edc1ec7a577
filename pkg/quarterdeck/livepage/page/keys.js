// Keys, the same in all views. Those with a modifier are the browser's.

import { byId, el } from "./dom.js";

const HELP = [
  ["1 … 5", "views"],
  ["j k ↓ ↑", "next, previous object or kind"],
  ["PgDn PgUp", "a page of them"],
  ["Enter", "open"],
  ["[ ]", "YAML, managers, history"],
  ["← →", "the tab beside the one with the focus"],
  ["/", "filter"],
  ["g", "kinds"],
  ["Esc", "clear the filter, close, go back"],
  ["?", "this list"],
];

/** `actions`: view(number), move(by, {isPage}), turn(by), enter(), filter(), kinds(), back(). */
export function listen(actions) {
  byId("keys").replaceChildren(...HELP.flatMap(([keys, text]) => [el("dt", { text: keys }), el("dd", { text })]));
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const isTyping = event.target.matches("input[type=search], select");
    const action = isTyping ? typing(event, actions) : pressed(event, actions);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function typing(event, actions) {
  const { target } = event;
  if (!target.matches("input")) return null;
  if (event.key === "Escape") return () => (target.value ? clear(target) : actions.back());
  if (event.key === "ArrowDown" || event.key === "Enter") return () => actions.leave(target);
  return null;
}

/** To the tab beside the one that has the focus. */
function turnTab(tab, by) {
  const tabs = [...tab.parentElement.querySelectorAll("[role=tab]")];
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
}

function clear(input) {
  input.value = "";
  input.dispatchEvent(new Event("input"));
}

function pressed(event, actions) {
  const { key, target } = event;
  if (/^[1-5]$/.test(key)) return () => actions.view(Number(key) - 1);
  if (target.matches("[role=tab]") && /^Arrow(Left|Right)$/.test(key)) return () => turnTab(target, key === "ArrowLeft" ? -1 : 1);
  if (target.matches("button, summary, a, input") && (key === "Enter" || key === " ")) return null;
  if (target.matches(".scroll, .detail-body") && /^(Arrow|Page|Home|End)/.test(key)) return null; // it scrolls
  return {
    j: () => actions.move(1), ArrowDown: () => actions.move(1),
    k: () => actions.move(-1), ArrowUp: () => actions.move(-1),
    PageDown: () => actions.move(1, { isPage: true }), PageUp: () => actions.move(-1, { isPage: true }),
    Home: () => actions.move(-Infinity), End: () => actions.move(Infinity),
    Enter: () => actions.enter(), "/": () => actions.filter(), g: () => actions.kinds(),
    "[": () => actions.turn(-1), "]": () => actions.turn(1),
    Escape: () => actions.back(), "?": () => byId("help").showModal(),
  }[key] ?? null;
}
