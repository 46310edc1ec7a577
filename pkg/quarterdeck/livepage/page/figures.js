// What the server counts, asked every second while somebody looks, and what happened in each.

import { Failure, get, pause } from "./api.js";

const PERIOD_MS = 1000;
const KEPT = 300;
const HISTOGRAM_S = 60;

export class Figures {
  constructor() {
    this.samples = []; // as answered, the oldest first
    this.points = []; // {requests, events, changes, commits, cpu} a second
    this.listeners = new Set();
    this.aborter = null;
  }

  get newest() {
    return this.samples.at(-1) ?? null;
  }

  start() {
    if (this.aborter) return;
    this.aborter = new AbortController();
    this.run(this.aborter.signal);
  }

  stop() {
    this.aborter?.abort();
    this.aborter = null;
  }

  /** Of another cluster from now on. */
  clear() {
    this.samples = [];
    this.points = [];
  }

  async run(signal) {
    while (!signal.aborted) {
      try {
        const begun = this.samples;
        const figures = await get("/quarterdeck/v1/figures", { signal });
        if (begun === this.samples) this.add(figures);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Failure)) throw error;
      }
      await pause(PERIOD_MS, signal);
    }
  }

  add(figures) {
    const last = this.newest;
    if (last && figures.startedSeconds !== last.startedSeconds) this.clear(); // another process: it counts anew
    else if (last) this.points.push(difference(last, figures));
    if (last) last.objects = null; // nobody asks which there were
    this.samples.push(figures);
    if (this.samples.length > KEPT) this.samples.shift();
    if (this.points.length > KEPT) this.points.shift();
    for (const listener of this.listeners) listener(figures);
  }

  /** Of the last minute: {bounds, counts (of each bucket alone), count, sum}. */
  durations(name = "durations") {
    const { newest } = this;
    if (!newest) return null;
    const old = this.samples.find((each) => newest.seconds - each.seconds <= HISTOGRAM_S) ?? newest;
    const [now, then] = [newest[name], old[name]];
    const counts = now.counts.map((value, at) => value - (then.counts[at] ?? 0));
    return {
      bounds: now.bounds,
      counts: counts.map((value, at) => value - (at ? counts[at - 1] : 0)),
      count: now.count - then.count,
      sum: now.sum - then.sum,
    };
  }

  /** [verb, number since the start, a second over the last ten]. */
  verbs() {
    const { newest } = this;
    if (!newest) return [];
    const old = this.samples.at(-11) ?? this.samples[0];
    const passed = newest.seconds - old.seconds || 1;
    const row = ([verb, number], before) => [verb, number, (number - (before[verb] ?? 0)) / passed];
    return Object.entries(newest.requests.byVerb).map((each) => row(each, old.requests.byVerb)).sort((a, b) => b[1] - a[1]);
  }
}

export const requestsOf = (figures) => Object.values(figures.requests.byVerb).reduce((sum, value) => sum + value, 0);

function difference(old, now) {
  const passed = now.seconds - old.seconds || 1;
  const of = (read) => Math.max(0, (read(now) - read(old)) / passed);
  return {
    requests: of(requestsOf), events: of((each) => each.events), changes: of((each) => each.changes),
    commits: of((each) => each.commits), cpu: of((each) => each.cpuSeconds),
  };
}
