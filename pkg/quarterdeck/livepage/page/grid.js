// Rows of objects, however many: only those in sight are elements, and they are used again while one scrolls.

import { el, setText } from "./dom.js";
import { age } from "./format.js";

const OVERSCAN = 6;
const SAMPLE = 200;
const FRESH_MS = 2000;
const GAP_PX = 14;
const MARGIN_PX = 20;
const CELL_PX = 200;
const NAME_PX = 260; // a longer name may be cut, so that there is room for more columns

const ruler = document.createElement("canvas").getContext("2d");

export class Grid {
  /** `onOpen(row)` when one is chosen. */
  constructor({ label, onOpen }) {
    this.onOpen = onOpen;
    this.rows = [];
    this.columns = [];
    this.selected = "";
    this.pool = [];
    this.head = el("div", { class: "grid-head", role: "row" });
    this.body = el("div", { class: "grid-body", role: "rowgroup" });
    this.node = el("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": label, id: "objects" }, this.head, this.body);
    this.node.addEventListener("scroll", () => this.draw(), { passive: true });
    this.body.addEventListener("click", (event) => this.click(event));
    this.observer = new ResizeObserver(() => this.layOut());
    this.observer.observe(this.node);
  }

  /** `columns`: [{title, of(row), isNumber}], the first is never left out. */
  show(rows, columns) {
    this.rows = rows;
    this.columns = columns;
    this.layOut();
  }

  select(key) {
    this.selected = key;
    this.draw();
  }

  /** By so many rows from the selected one; null: nothing to move to. */
  move(by) {
    if (!this.rows.length) return null;
    const at = this.rows.findIndex((row) => row.key === this.selected);
    const next = Math.min(Math.max(at + by, 0), this.rows.length - 1);
    this.select(this.rows[next].key);
    this.reveal(next);
    return this.rows[next];
  }

  get pageSize() {
    return Math.max(1, Math.floor(this.node.clientHeight / this.height) - 2);
  }

  reveal(at) {
    const top = at * this.height;
    const room = this.node.clientHeight - this.head.offsetHeight - this.height;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top > this.node.scrollTop + room) this.node.scrollTop = top - room;
    this.draw();
  }

  /** Which columns fit, and how wide they are: as wide as what stands in the first rows. */
  layOut() {
    const style = getComputedStyle(this.node);
    this.height = parseFloat(style.getPropertyValue("--row")) || 28;
    ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const sample = this.rows.slice(0, SAMPLE);
    const widths = this.columns.map((column, at) => {
      const longer = (one, other) => (other.length > one.length ? other : one);
      const longest = sample.map(column.of).reduce(longer, column.title);
      return Math.min(ruler.measureText(longest).width, at ? CELL_PX : NAME_PX) + GAP_PX;
    });
    let room = this.node.clientWidth - MARGIN_PX - Math.min(widths[0] ?? 0, this.node.clientWidth / 2);
    const isKept = (column, at) => at === 0 || column.isAge;
    this.columns.forEach((column, at) => { if (at && isKept(column, at)) room -= widths[at]; });
    this.shown = this.columns.map((column, at) => ({ ...column, width: widths[at] })).filter((column, at) => {
      if (isKept(column, at)) return true;
      room -= column.width;
      return room >= 0;
    });
    // What is left over is shared, most of it by the first: a few short columns do not stand at the far side.
    const tracks = this.shown.map(({ width }, at) => (at ? `minmax(${width}px, 1fr)` : "minmax(0, 3fr)"));
    if (this.shown.length) tracks[0] = `minmax(${Math.min(widths[0], this.node.clientWidth / 2)}px, 3fr)`;
    this.node.style.setProperty("--tracks", tracks.join(" "));
    this.head.replaceChildren(...this.shown.map(({ title, isNumber }) =>
      el("span", { role: "columnheader", class: isNumber ? "number" : null, text: title })));
    this.body.style.height = `${this.rows.length * this.height}px`;
    this.node.setAttribute("aria-rowcount", this.rows.length + 1);
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const first = Math.max(0, Math.floor(this.node.scrollTop / this.height) - OVERSCAN);
    const last = Math.min(this.rows.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / this.height) + OVERSCAN);
    const count = Math.max(0, last - first);
    while (this.pool.length > count) this.pool.pop().remove();
    while (this.pool.length < count) {
      this.pool.push(el("div", { class: "row", role: "row" }));
      this.body.append(this.pool.at(-1));
    }
    let active = null;
    const now = performance.now();
    this.pool.forEach((node, at) => {
      this.fill(node, this.rows[first + at], first + at, now);
      if (node.dataset.key === this.selected) active = node.id;
    });
    if (active) this.node.setAttribute("aria-activedescendant", active);
    else this.node.removeAttribute("aria-activedescendant");
  }

  fill(node, row, at, now) {
    while (node.children.length > this.shown.length) node.lastChild.remove();
    while (node.children.length < this.shown.length) node.append(el("span", { role: "gridcell" }));
    this.shown.forEach((column, place) => {
      const cell = node.children[place];
      setText(cell, column.of(row));
      cell.className = column.isNumber ? "number" : place ? "" : "name";
    });
    node.id = `row-${at}`;
    node.dataset.key = row.key;
    node.style.transform = `translateY(${at * this.height}px)`;
    node.setAttribute("aria-rowindex", at + 2);
    node.setAttribute("aria-selected", row.key === this.selected);
    node.classList.toggle("ending", row.isEnding);
    node.classList.toggle("fresh", Boolean(row.changedAt) && now - row.changedAt < FRESH_MS);
  }

  click(event) {
    const key = event.target.closest(".row")?.dataset.key;
    const row = this.rows.find((each) => each.key === key);
    if (row) this.onOpen(row);
  }
}

/** What a kind's table has, as columns of a grid: namespaces in front of names, ages as they are now. */
export function columnsOf(definitions, isNamespaced) {
  const at = definitions.findIndex(({ name }) => name === "Name");
  const found = [{ title: isNamespaced ? "Namespace / Name" : "Name", of: (row) => (row.namespace ? `${row.namespace}/${row.name}` : row.name) }];
  definitions.forEach(({ name, type, priority }, place) => {
    if (place === at || priority) return;
    const isAge = name === "Age";
    const of = isAge ? (row) => age(row.created) : (row) => row.cells[place] ?? "";
    found.push({ title: name, of, isAge, isNumber: type === "integer" || type === "number" });
  });
  return found;
}
