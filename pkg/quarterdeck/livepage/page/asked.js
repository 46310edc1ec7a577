// A view that is asked for every two seconds while it is shown.

import { Failure, get, pause } from "./api.js";
import { el, empty } from "./dom.js";

const PERIOD_MS = 2000;
const NOT_FOUND = 404;

export class Asked {
  /** `isOfServer`: whichever cluster is chosen. `off`: [title, text] where the server has no such path. */
  constructor({ path, isOfServer = false, off, describe }) {
    Object.assign(this, { path, isOfServer, off, describe });
    this.node = el("div", { class: "page" });
    this.aborter = null;
  }

  show() {
    this.hide();
    this.aborter = new AbortController();
    this.run(this.aborter.signal);
  }

  hide() {
    this.aborter?.abort();
    this.aborter = null;
  }

  async run(signal) {
    while (!signal.aborted) {
      try {
        this.draw(this.describe(await get(this.path, { signal, isOfServer: this.isOfServer })));
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Failure)) throw error;
        if (error.status === NOT_FOUND) this.node.replaceChildren(empty(...this.off));
        else if (error.status) this.node.replaceChildren(empty("Not to be had", error.message));
      }
      await pause(PERIOD_MS, signal);
    }
  }

  /** Where one has scrolled to stays. */
  draw(nodes) {
    const places = [...this.node.querySelectorAll(".scroll")].map(({ scrollTop, scrollLeft }) => ({ scrollTop, scrollLeft }));
    const isFocused = this.node.contains(document.activeElement);
    this.node.replaceChildren(...nodes);
    this.node.querySelectorAll(".scroll").forEach((node, at) => {
      Object.assign(node, places[at]);
      if (isFocused && at === 0) node.focus({ preventScroll: true });
    });
  }
}
