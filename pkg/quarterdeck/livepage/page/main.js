// The page: which view is shown, and how the connection is.

import { get, listenToAnswers, setCluster } from "./api.js";
import { byId, el, empty, setText } from "./dom.js";
import { Figures } from "./figures.js";
import { plural, rate, setNow } from "./format.js";
import { listen } from "./keys.js";
import { Objects } from "./objects.js";
import { go, route, takeToken, token } from "./session.js";
import { Traffic } from "./traffic.js";
import { clusters, faults, openCluster, watches } from "./views.js";

const UNAUTHORIZED = 401;
const TEXTS = { connecting: "connecting", live: "live", reconnecting: "reconnecting", failed: "live", paused: "paused" };
const CLUSTERS_MS = 5000;
const CLUSTERS_MAX = 200;

class Page {
  constructor() {
    this.figures = new Figures();
    this.objects = new Objects({ onState: () => {} });
    this.views = [
      ["objects", "Objects", this.objects],
      ["watches", "Watches", watches()],
      ["traffic", "Traffic", new Traffic(this.figures)],
      ["faults", "Faults", faults()],
      ["clusters", "Clusters", clusters(openCluster)],
    ];
    this.tabs = this.views.map(([id, text]) => el("button", {
      type: "button", role: "tab", id: `view-${id}`, "aria-controls": "main", text, on: { click: () => go({ view: id }) },
    }));
    byId("views").append(...this.tabs);
    this.view = null;
    this.cluster = "";
    this.figures.listeners.add((figures) => this.takeFigures(figures));
    listenToAnswers((status) => this.heard(status));
  }

  begin() {
    addEventListener("hashchange", () => (takeToken() ? location.reload() : this.follow()));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.wake()));
    byId("cluster").addEventListener("change", (event) => openCluster(event.target.value));
    this.listenToKeys();
    this.wake();
    this.followClusters();
  }

  /** A page that nobody sees asks for nothing, and leaves its connections to those that are seen. */
  rest() {
    this.figures.stop();
    this.view?.hide();
    this.say("paused");
  }

  wake() {
    this.figures.start();
    this.view = null;
    this.follow();
  }

  follow() {
    const { view: id = "objects", cluster = "" } = route();
    if (cluster !== this.cluster) return void location.reload(); // everything is another's
    const at = Math.max(0, this.views.findIndex(([name]) => name === id));
    const [, , view] = this.views[at];
    this.tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === at));
      tab.tabIndex = place === at ? 0 : -1;
    });
    byId("main").setAttribute("aria-labelledby", this.tabs[at].id);
    if (view === this.view) return void view.follow?.();
    this.view?.hide();
    this.view = view;
    if (byId("main").firstElementChild !== view.node) byId("main").replaceChildren(view.node);
    view.show();
  }

  takeFigures(figures) {
    setNow(figures.now);
    this.objects.takeFigures(figures);
    this.views[2][2].update(figures);
    const point = this.figures.points.at(-1);
    if (point) setText(byId("pulse"), `${rate(point.requests)} req/s · ${rate(point.events)} events/s · ${plural(figures.watches, "watch", "watches")}`);
  }

  /** The less often, the more there are. */
  async followClusters() {
    const found = document.hidden ? null : await get("/clusters", { isOfServer: true }).catch(() => null);
    if (found) this.offerClusters(found.items.slice(0, CLUSTERS_MAX).map((each) => each.name));
    const isMany = found?.items.length > CLUSTERS_MAX;
    setTimeout(() => this.followClusters(), isMany ? CLUSTERS_MS * 10 : CLUSTERS_MS);
  }

  offerClusters(names) {
    const select = byId("cluster");
    if (this.cluster && !names.includes(this.cluster)) names.push(this.cluster);
    select.parentElement.hidden = !names.length;
    const known = [...select.options].map((option) => option.value).join("\n");
    if (known === ["", ...names].join("\n")) return;
    select.replaceChildren(el("option", { value: "", text: "this server" }), ...names.map((name) => el("option", { value: name, text: name })));
    select.value = this.cluster;
  }

  heard(status) {
    if (status === UNAUTHORIZED) this.refuse();
    else this.say(status ? "live" : "reconnecting");
  }

  say(state) {
    const node = byId("status");
    if (node.dataset.state === "refused") return;
    node.dataset.state = state;
    setText(node, TEXTS[state]);
  }

  refuse() {
    this.figures.stop();
    this.view?.hide();
    byId("status").dataset.state = "refused";
    setText(byId("status"), "not allowed");
    byId("main").replaceChildren(empty("This page needs the server's token",
      "Open the address that the server told when it started; it stands in live-page.url in its data directory."));
  }

  listenToKeys() {
    const { objects } = this;
    const isObjects = () => this.view === objects;
    listen({
      view: (at) => go({ view: this.views[at][0] }),
      move: (by, how) => isObjects() && objects.move(by, how),
      turn: (by) => isObjects() && route().object && objects.detail.turn(by),
      enter: () => isObjects() && objects.enter(),
      filter: () => isObjects() && objects.filter.focus(),
      kinds: () => isObjects() && objects.kinds.list.focus(),
      leave: (input) => (input === objects.kinds.filter ? objects.kinds.list : objects.grid.node).focus(),
      back: () => isObjects() && objects.back(),
    });
  }
}

takeToken();
const page = new Page();
page.cluster = route().cluster ?? "";
setCluster(page.cluster);
if (token()) page.begin();
else page.refuse();
