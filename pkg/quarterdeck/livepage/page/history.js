// The states of an object that the server remembers, the newest first: exact reads, each of the revision before the last.

import { Failure, getExact } from "./api.js";
import { compare, findManagers, timeOf } from "./changes.js";
import { el } from "./dom.js";
import { clock } from "./format.js";
import { hide, hideChange } from "./secrets.js";
import { toLines, toText } from "./yaml.js";

const PAGE = 20;
const NOT_FOUND = 404;

export class History {
  constructor(path, { isSecret, isOpen, isShown }) {
    this.path = path;
    this.isShown = isShown;
    this.turn = Promise.resolve(); // one reads at a time
    this.isHidden = () => isSecret && !isOpen();
    this.states = []; // the newest first
    this.isWhole = false; // the last is the object's beginning
    this.isOver = false; // what was before is not to be had
    this.nodes = new Map(); // by revision: what is open stays open
  }

  redraw() {
    this.nodes.clear();
  }

  show(body, object) {
    this.take(() => this.read(object), body);
  }

  take(step, body) {
    const forgive = (error) => { if (!(error instanceof Failure)) throw error; }; // the server is away: the next look goes on
    this.turn = this.turn.then(step).then(() => this.draw(body)).catch(forgive);
  }

  async read(object) {
    const newest = object.metadata.resourceVersion;
    if (this.states[0]?.metadata.resourceVersion !== newest) await this.catchUp(object);
    else if (this.states.length < 2 && !this.isOver) await this.walk(PAGE);
  }

  /** What was written since the last look; too much of it begins a new history. */
  async catchUp(object) {
    const known = this.states[0]?.metadata.resourceVersion;
    const newer = [object];
    while (known && newer.length < PAGE) {
      const state = await this.before(newer.at(-1));
      if (!state || state.metadata.resourceVersion === known) break;
      newer.push(state);
    }
    if (!known || newer.length === PAGE) {
      Object.assign(this, { states: newer, isWhole: false, isOver: false });
      await this.walk(PAGE - newer.length + 1);
    } else {
      this.states.unshift(...newer);
      for (const state of newer) this.nodes.delete(state.metadata.resourceVersion);
    }
  }

  async walk(number) {
    for (let left = number; left > 0 && !this.isOver; left--) {
      const state = await this.before(this.states.at(-1));
      if (state) this.states.push(state);
    }
  }

  async before(state) {
    const revision = BigInt(state.metadata.resourceVersion) - 1n;
    try {
      if (revision > 0n) return await getExact(`${this.path}?resourceVersion=${revision}&resourceVersionMatch=Exact`);
    } catch (error) {
      if (!error.status) throw error;
      this.isWhole = error.status === NOT_FOUND;
    }
    this.isOver = true;
    return null;
  }

  draw(body) {
    if (!this.isShown(this)) return;
    const shown = this.isOver ? this.states : this.states.slice(0, -1); // the last one's predecessor is not known yet
    const nodes = shown.map((state, at) => this.describe(state, this.states[at + 1] ?? null));
    const older = el("button", { type: "button", class: "quiet", text: "Older", on: { click: () => this.older(body) } });
    const end = this.isWhole ? null : el("li", { class: "note" }, this.isOver ? "Older states are forgotten." : older);
    body.replaceChildren(el("ol", { class: "history" }, ...nodes, end));
  }

  older(body) {
    this.take(() => this.walk(PAGE), body);
  }

  describe(state, old) {
    const revision = state.metadata.resourceVersion;
    const isKnown = old !== null || this.isWhole;
    const id = `${revision} ${isKnown}`;
    if (this.nodes.has(id)) return this.nodes.get(id);
    const isHidden = this.isHidden();
    const changes = isKnown ? compare(old, state).map((each) => (isHidden ? hideChange(each) : each)) : [];
    const time = timeOf(state);
    const { managedFields, ...metadata } = state.metadata;
    const shown = { ...state, metadata };
    const whole = el("details", {}, el("summary", { text: "whole state" }));
    whole.addEventListener("toggle", () => {
      if (whole.open) whole.append(el("pre", { class: "yaml", text: toText(toLines(isHidden ? hide(shown) : shown)) }));
      else whole.querySelector("pre")?.remove();
    });
    const node = el("li", { class: "state" },
      el("div", { class: "state-head" },
        el("strong", { text: revision }),
        el("span", { text: isKnown ? findManagers(old, state).join(", ") : "" }),
        el("time", { datetime: time, title: time, class: "quiet", text: clock(time) })),
      el("dl", {}, ...changes.flatMap(([place, how]) => [place ? el("dt", { text: place }) : null, el("dd", { text: how })])),
      whole);
    this.nodes.set(id, node);
    return node;
  }
}
