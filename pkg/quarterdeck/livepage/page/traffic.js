// The view of traffic: requests, events and changes a second, how long requests take, what the process uses.

import { histogram, Tile } from "./charts.js";
import { el, table } from "./dom.js";
import { bytes, count, duration, rate, seconds } from "./format.js";
import { requestsOf } from "./figures.js";

const BARS_MAX = 14;

export class Traffic {
  constructor(figures) {
    this.figures = figures;
    this.tiles = {
      requests: new Tile("Requests/s", rate),
      events: new Tile("Events/s", rate),
      changes: new Tile("Changes/s", rate),
      commits: new Tile("Commits/s", rate),
      cpu: new Tile("Processor", (value) => `${Math.round(value * 100)} %`),
      memory: new Tile("Memory", bytes),
    };
    this.durations = el("div", { class: "card" });
    this.verbs = el("div", { class: "card" });
    this.others = el("div", { class: "card" });
    this.node = el("div", { class: "page traffic" },
      el("div", { class: "tiles" }, ...Object.values(this.tiles).map((tile) => tile.node)),
      el("div", { class: "cards" }, this.durations, this.verbs, this.others));
  }

  show() {
    this.isShown = true;
    if (this.figures.newest) this.update(this.figures.newest);
  }

  hide() {
    this.isShown = false;
  }

  update(newest) {
    if (!this.isShown) return;
    const { points, samples } = this.figures;
    for (const name of ["requests", "events", "changes", "commits", "cpu"]) this.tiles[name].update(points.map((each) => each[name]));
    this.tiles.memory.update(samples.map((each) => each.residentBytes));
    this.drawDurations();
    this.verbs.replaceChildren(el("h2", { text: "Requests by verb" }), table(["Verb", "Since the start", "A second"],
      this.figures.verbs().map(([verb, number, perSecond]) => [verb, count(number), rate(perSecond)]), { numbers: [1, 2], label: "Requests by verb" }));
    this.others.replaceChildren(el("h2", { text: "The server" }), table(["", ""], this.describe(newest), { numbers: [1], label: "The server" }));
  }

  drawDurations() {
    const found = this.figures.durations();
    const used = Math.max(4, found.counts.findLastIndex(Boolean) + 2);
    const last = Math.min(used, BARS_MAX, found.bounds.length);
    const bars = found.bounds.slice(0, last).map((bound, at) => [seconds(bound), found.counts[at]]);
    bars.push(["more", found.counts.slice(last).reduce((sum, value) => sum + value, 0)]);
    const mean = found.count ? `${seconds(found.sum / found.count)} on average` : "no requests";
    this.durations.replaceChildren(el("h2", {}, "Latency of requests ", el("span", { class: "quiet", text: `last minute · ${mean}` })),
      histogram(bars, `Latency of ${found.count} requests of the last minute, ${mean}`));
  }

  describe(newest) {
    const codes = Object.entries(newest.requests.byCode).sort().map(([code, number]) => [`Answers ${code}`, count(number)]);
    const lag = this.figures.durations("loopLag");
    const rows = [
      ["Up for", duration(Date.now() / 1000 - newest.startedSeconds)],
      ["Revision", count(newest.revision)],
      ["Requests for objects", count(requestsOf(newest))],
      ...codes,
      ["Other requests", count(Object.values(newest.requests.others).reduce((sum, value) => sum + value, 0))],
      ["Watches", count(newest.watches)],
      ["Watches ended, too far behind", count(newest.watchesEndedBehind)],
      ["Objects", count(newest.objects.reduce((sum, each) => sum + each.count, 0))],
      ["Store", bytes(newest.storeBytes)],
    ];
    if (newest.connections) rows.push(["Connections", count(newest.connections)]);
    if (lag.count) rows.push(["Event loop late by, on average", seconds(lag.sum / lag.count)]);
    return rows;
  }
}
