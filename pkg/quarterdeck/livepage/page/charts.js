// Small charts: a line of the last minutes, and a histogram.

import { el, setText, svg } from "./dom.js";

const WIDTH = 300;
const HEIGHT = 40;

/** A name, the newest value, and a line of the last `length` ones. */
export class Tile {
  constructor(title, show, length = 180) {
    this.show = show;
    this.length = length;
    this.value = el("strong", { text: "–" });
    this.most = el("span", { class: "quiet" });
    this.area = svg("path", { class: "area" });
    this.line = svg("path", { class: "line" });
    const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.area, this.line);
    this.node = el("figure", { class: "tile" }, el("figcaption", {}, el("span", { text: title }), this.most), this.value, chart);
  }

  update(all) {
    const values = all.slice(-this.length);
    if (!values.length) return;
    const most = Math.max(...values);
    setText(this.value, this.show(values.at(-1)));
    setText(this.most, `most ${this.show(most)}`);
    const step = WIDTH / (this.length - 1);
    const begin = WIDTH - (values.length - 1) * step;
    const height = (value) => HEIGHT - 1 - (most ? (value / most) * (HEIGHT - 4) : 0);
    const path = values.map((value, at) => `${at ? "L" : "M"}${(begin + at * step).toFixed(1)} ${height(value).toFixed(1)}`).join("");
    this.line.setAttribute("d", path);
    this.area.setAttribute("d", `${path}L${WIDTH} ${HEIGHT}L${begin.toFixed(1)} ${HEIGHT}Z`);
  }
}

/** `bars`: [label, number]. The height is that of the number's logarithm: one slow request among thousands is seen. */
export function histogram(bars, label) {
  const height = (value) => Math.log10(value + 1);
  const most = Math.max(1, ...bars.map(([, value]) => height(value)));
  return el("div", { class: "histogram", role: "img", "aria-label": label }, ...bars.map(([text, value]) => {
    const bar = el("div", { class: "bar-fill" });
    bar.style.height = `${(height(value) / most) * 100}%`;
    return el("div", { class: "bar-slot", title: `${text}: ${value}` },
      el("span", { class: "bar-value", text: value ? value.toLocaleString("en") : "" }),
      el("div", { class: "bar-room" }, bar), el("span", { class: "bar-label", text }));
  }));
}
