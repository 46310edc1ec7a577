// The view of objects: kinds, the objects of one, and one of those.

import { Failure } from "./api.js";
import { Detail } from "./detail.js";
import { findKinds } from "./discovery.js";
import { el, setText } from "./dom.js";
import { count, plural } from "./format.js";
import { columnsOf, Grid } from "./grid.js";
import { Kinds } from "./kinds.js";
import { Live } from "./live.js";
import { go, route } from "./session.js";

const MANY = 2000;
const DRAW_MANY_MS = 250;
const AGES_MS = 5000;
const FIRST = ["core/v1/configmaps", "core/v1/namespaces"];

export class Objects {
  constructor({ onState }) {
    this.onState = onState;
    this.kinds = new Kinds({ onOpen: (kind) => go({ kind: kind.id, object: "" }) });
    this.grid = new Grid({ label: "Objects", onOpen: (row) => go({ object: row.key }) });
    this.detail = new Detail({ onClose: () => this.back() });
    this.filter = el("input", {
      type: "search", placeholder: "Filter: name, namespace/, label=value", "aria-label": "Filter objects",
      autocomplete: "off", spellcheck: "false", id: "filter", on: { input: () => this.draw() },
    });
    this.title = el("h2", { class: "kind-title" });
    this.total = el("span", { class: "total", role: "status" });
    const back = el("button", { class: "back", type: "button", text: "‹ Kinds", on: { click: () => go({ kind: "", object: "" }) } });
    this.note = el("p", { class: "note", hidden: true });
    this.list = el("section", { class: "pane list", "aria-label": "Objects" },
      el("div", { class: "bar" }, back, this.title, this.filter, this.total), this.note, this.grid.node);
    this.node = el("div", { class: "objects" }, this.kinds.node, this.list, this.detail.node);
    this.live = null;
    this.kind = null;
    this.isDrawing = false;
  }

  async show() {
    this.isShown = true;
    this.ages = setInterval(() => this.grid.draw(), AGES_MS);
    this.live?.start();
    await this.loadKinds();
  }

  hide() {
    this.isShown = false;
    clearInterval(this.ages);
    this.live?.stop();
  }

  async loadKinds() {
    try {
      this.kinds.show(await findKinds());
      this.follow();
    } catch (error) {
      if (!(error instanceof Failure)) throw error; // the next figures that come ask again
    }
  }

  takeFigures(figures) {
    const isOther = this.kinds.setCounts(figures.objects);
    if (!this.isShown || !(isOther || !this.kinds.kinds.length || this.isUnsure)) return;
    this.isUnsure = isOther; // a definition is served a moment after it is there: look once more
    this.loadKinds();
  }

  /** Show what the address says. */
  follow() {
    if (!this.isShown) return;
    const { kind: id, object, tab } = route();
    const isNarrow = matchMedia("(max-width: 760px)").matches;
    const kind = this.kinds.kinds.find((each) => each.id === id)
      ?? (isNarrow || id ? null : FIRST.map((first) => this.kinds.kinds.find((each) => each.id === first)).find(Boolean));
    this.node.dataset.pane = object ? "detail" : id ? "list" : "kinds";
    if (kind?.id !== this.kind?.id) this.open(kind ?? null);
    this.grid.select(object ?? "");
    this.shown = object ?? "";
    if (kind && object) this.detail.show(kind, object, tab, this.live?.rows.get(object)?.revision);
    else this.detail.close();
  }

  open(kind) {
    this.live?.stop();
    this.live = null;
    this.kind = kind;
    this.kinds.select(kind?.id ?? "");
    setText(this.title, kind?.kind ?? "");
    this.filter.value = "";
    this.grid.node.scrollTop = 0;
    this.note.hidden = true;
    this.grid.show([], []);
    this.total.textContent = "";
    if (!kind) return;
    this.live = new Live(`${kind.root}/${kind.resource}`, {
      onChange: () => this.later(),
      onState: (state, text) => {
        this.note.hidden = state !== "failed";
        setText(this.note, text ?? "");
        this.onState(state);
      },
    });
    this.live.start();
  }

  /** Draw soon: many changes are drawn at once, and thousands of rows are sorted a few times a second. */
  later() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    const draw = () => { this.isDrawing = false; this.draw(); };
    if (this.live.rows.size > MANY) setTimeout(draw, DRAW_MANY_MS);
    else requestAnimationFrame(draw);
  }

  draw() {
    const live = this.live;
    if (!live) return;
    const rows = [...live.rows.values()].filter(matcher(this.filter.value));
    rows.sort((one, other) => (one.key < other.key ? -1 : 1));
    this.grid.show(rows, columnsOf(live.columns, this.kind.isNamespaced));
    const all = live.rows.size;
    setText(this.total, rows.length === all ? plural(all, "object") : `${count(rows.length)} of ${count(all)}`);
    this.list.classList.toggle("none", live.isWhole && rows.length === 0);
    if (this.shown) this.detail.follow(live.rows.get(this.shown)?.revision ?? null, live.isWhole);
  }

  // - keys

  back() {
    if (route().object) go({ object: "" });
    else if (this.node.dataset.pane === "list") go({ kind: "" });
    this.grid.node.focus({ preventScroll: true });
  }

  move(by, { isPage = false } = {}) {
    if (document.activeElement === this.kinds.list) return this.kinds.move(isPage ? by * 10 : by);
    const row = this.grid.move(isPage ? by * this.grid.pageSize : by);
    if (row && route().object) go({ object: row.key }, { replace: true });
  }

  enter() {
    if (document.activeElement === this.kinds.list) this.grid.node.focus();
    else if (this.grid.selected) go({ object: this.grid.selected });
  }
}

/** All words have to stand in the row: in its name, its cells, or as label=value. */
function matcher(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return () => true;
  return (row) => {
    const labels = Object.entries(row.labels).map(([name, value]) => `${name}=${value}`);
    const place = row.namespace ? `${row.namespace}/${row.name}` : row.name;
    const all = [place, ...row.cells, ...labels].join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
}
