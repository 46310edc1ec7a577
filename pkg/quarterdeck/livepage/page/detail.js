// One object: its YAML, who manages which fields, and its history; all of it follows the object.

import { Failure, getExact } from "./api.js";
import { pathOf } from "./discovery.js";
import { el, setText } from "./dom.js";
import { History } from "./history.js";
import { managersOf } from "./managers.js";
import { hide, isSecret } from "./secrets.js";
import { go } from "./session.js";
import { toLines, toText } from "./yaml.js";

const LINES_MAX = 5000;
const TABS = [["yaml", "YAML"], ["managers", "Managers"], ["history", "History"]];

export class Detail {
  constructor({ onClose }) {
    this.title = el("h2", { class: "object-title" });
    this.state = el("span", { class: "gone", text: "deleted", hidden: true });
    const close = el("button", { type: "button", class: "close", text: "×", "aria-label": "Close", on: { click: onClose } });
    const back = el("button", { type: "button", class: "back", text: "‹ Objects", on: { click: onClose } });
    this.tabs = TABS.map(([id, text]) => el("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "detail-body", text, on: { click: () => go({ tab: id }) },
    }));
    this.reveal = el("button", { type: "button", class: "quiet", text: "Show values", hidden: true, on: { click: () => this.toggle() } });
    this.copy = el("button", { type: "button", class: "quiet", text: "Copy", on: { click: () => this.copyText() } });
    this.body = el("div", { class: "detail-body", id: "detail-body", role: "tabpanel", tabindex: "0" });
    this.node = el("section", { class: "pane detail", "aria-label": "Object", hidden: true },
      el("div", { class: "bar" }, back, this.title, this.state, close),
      el("div", { class: "bar tabs" }, el("div", { role: "tablist", "aria-label": "Parts" }, ...this.tabs),
        el("span", { class: "room" }), this.reveal, this.copy),
      this.body);
    this.key = "";
  }

  show(kind, key, tab = "yaml", revision = undefined) {
    const id = `${kind.id} ${key}`;
    const isOther = id !== this.id;
    const isOtherTab = tab !== this.tab;
    Object.assign(this, { id, kind, key, tab });
    this.node.hidden = false;
    if (isOther) {
      const at = key.indexOf("/");
      this.path = pathOf(kind, key.slice(0, at), key.slice(at + 1));
      Object.assign(this, { object: null, revision: "", before: null, isOpen: false });
      this.history = new History(this.path, {
        isSecret: isSecret(kind), isOpen: () => this.isOpen,
        isShown: (history) => history === this.history && this.tab === "history" && !this.node.hidden,
      });
      setText(this.title, key.replace(/^\//, ""));
      this.state.hidden = true;
      this.body.replaceChildren();
      this.load();
    } else if (revision) {
      this.follow(revision, true);
    }
    if (isOther || isOtherTab) this.draw();
  }

  close() {
    this.node.hidden = true;
    this.id = "";
  }

  /** `revision` of the object's row; null: there is none (any more). */
  follow(revision, isWhole) {
    if (!this.object) return;
    const isGone = revision === null && isWhole;
    this.state.hidden = !isGone;
    if (revision && revision !== this.revision) this.load();
  }

  async load() {
    const id = this.id;
    if (this.loading === id) return void (this.isStale = true);
    this.loading = id;
    try {
      const object = await getExact(this.path);
      if (id !== this.id) return;
      this.before = this.object;
      this.object = object;
      this.revision = object.metadata.resourceVersion;
      this.draw();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (id === this.id && !this.object) {
        this.body.replaceChildren(el("p", { class: "note", text: error.status === 404 ? "There is no such object." : error.message }));
      }
    } finally {
      if (this.loading === id) this.loading = "";
      if (this.isStale && id === this.id) {
        this.isStale = false;
        this.load();
      }
    }
  }

  draw() {
    this.tabs.forEach((tab, at) => {
      const isChosen = TABS[at][0] === this.tab;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    });
    this.body.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.reveal.hidden = !isSecret(this.kind) || this.tab === "managers";
    setText(this.reveal, this.isOpen ? "Hide values" : "Show values");
    this.copy.hidden = this.tab !== "yaml";
    if (!this.object) return;
    if (this.tab === "managers") this.body.replaceChildren(managersOf(this.object));
    else if (this.tab === "history") this.history.show(this.body, this.object);
    else this.drawYAML();
  }

  drawYAML() {
    const lines = this.linesOf(this.object);
    const old = this.before ? new Set(this.linesOf(this.before).map(String)) : null;
    const pre = el("pre", { class: "yaml" });
    if (lines.length > LINES_MAX) pre.textContent = toText(lines);
    else {
      pre.append(...lines.map(([indent, key, text], at) => el("span", { class: old && !old.has(String(lines[at])) ? "line fresh" : "line" },
        " ".repeat(indent), el("span", { class: "key", text: key }), `${text}\n`)));
    }
    const { scrollTop, scrollLeft } = this.body;
    this.body.replaceChildren(pre);
    Object.assign(this.body, { scrollTop, scrollLeft });
  }

  linesOf(object) {
    const { managedFields, ...metadata } = object.metadata;
    const shown = { ...object, metadata };
    return toLines(isSecret(this.kind) && !this.isOpen ? hide(shown) : shown);
  }

  toggle() {
    this.isOpen = !this.isOpen;
    this.before = null;
    this.history.redraw();
    this.draw();
  }

  async copyText() {
    const copied = navigator.clipboard.writeText(`${toText(this.linesOf(this.object))}\n`);
    this.copy.textContent = await copied.then(() => "Copied", () => "Not allowed");
    setTimeout(() => { this.copy.textContent = "Copy"; }, 1500);
  }

  /** The next tab, or the one before. */
  turn(by) {
    const at = TABS.findIndex(([id]) => id === this.tab);
    go({ tab: TABS[(at + by + TABS.length) % TABS.length][0] });
  }
}
