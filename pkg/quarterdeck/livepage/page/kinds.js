// The list of kinds, those first that have objects.

import { el } from "./dom.js";
import { count } from "./format.js";

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

export class Kinds {
  constructor({ onOpen }) {
    this.onOpen = onOpen;
    this.kinds = [];
    this.counts = new Map();
    this.selected = "";
    this.filter = el("input", {
      type: "search", placeholder: "Kinds", "aria-label": "Filter kinds", autocomplete: "off", spellcheck: "false",
      on: { input: () => this.draw() },
    });
    this.all = el("input", { type: "checkbox", on: { change: () => this.draw() } });
    this.list = el("div", {
      class: "kinds-list", role: "listbox", tabindex: "0", "aria-label": "Kinds", id: "kinds",
      on: { click: (event) => this.click(event) },
    });
    this.node = el("section", { class: "pane kinds", "aria-label": "Kinds" },
      el("div", { class: "bar" }, this.filter, el("label", { class: "check" }, this.all, "all")), this.list);
  }

  show(kinds) {
    this.kinds = kinds;
    this.draw();
  }

  /** `objects` as the figures tell them; whether there may be other kinds now. */
  setCounts(objects) {
    const counts = new Map(objects.map(({ group, resource, count: n }) => [`${group}/${resource}`, n]));
    const isNew = [...counts.keys()].some((key) => !this.counts.has(key));
    const isOther = isNew || counts.get(DEFINITIONS) !== this.counts.get(DEFINITIONS);
    const isSame = !isNew && counts.size === this.counts.size && [...counts].every(([key, n]) => this.counts.get(key) === n);
    this.counts = counts;
    if (!isSame) this.draw();
    return isOther;
  }

  select(id) {
    this.selected = id;
    this.draw();
  }

  move(by) {
    const at = this.shown.findIndex((kind) => kind.id === this.selected);
    const next = this.shown[Math.min(Math.max(at + by, 0), this.shown.length - 1)];
    if (next) this.onOpen(next);
  }

  countOf(kind) {
    return this.counts.get(`${kind.group}/${kind.resource}`) ?? 0;
  }

  draw() {
    const wanted = this.filter.value.trim().toLowerCase();
    const isShown = (kind) => (wanted
      ? [kind.kind.toLowerCase(), kind.group, ...kind.names].some((name) => name.includes(wanted))
      : this.all.checked || kind.id === this.selected || kind.isCustom || this.countOf(kind));
    this.shown = this.kinds.filter(isShown);
    const nodes = [];
    let group = null;
    for (const kind of this.shown) {
      if (kind.group !== group) nodes.push(el("div", { class: "group", role: "presentation", text: kind.group || "core" }));
      group = kind.group;
      const number = this.countOf(kind);
      nodes.push(el("div", {
        class: "kind", role: "option", id: `kind-${kind.id}`, data: { id: kind.id },
        "aria-selected": String(kind.id === this.selected),
      }, el("span", { text: kind.kind }), el("span", { class: "count", text: number ? count(number) : "" })));
    }
    this.list.replaceChildren(...nodes);
    if (this.selected) this.list.setAttribute("aria-activedescendant", `kind-${this.selected}`);
    this.list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  click(event) {
    const id = event.target.closest(".kind")?.dataset.id;
    const kind = this.kinds.find((each) => each.id === id);
    if (kind) this.onOpen(kind);
  }
}
