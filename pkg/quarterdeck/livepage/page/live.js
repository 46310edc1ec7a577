// The objects of one kind as they are now: a list in pages, then its watch. What the watch missed while the connection was
// broken it is told by the server; where that has forgotten it (410), everything is listed again.

import { Failure, get, pause, stream } from "./api.js";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const PAGE = 1000;
const GONE = 410;
const WAIT_MIN_MS = 300;
const WAIT_MAX_MS = 5000;

export class Live {
  /** `path` of the collection. `onChange` is called after each change of `rows` or `columns`, `onState` with texts. */
  constructor(path, { onChange, onState }) {
    this.path = path;
    this.rows = new Map(); // by namespace/name
    this.columns = [];
    this.isWhole = false;
    this.revision = "";
    this.onChange = onChange;
    this.onState = onState;
    this.aborter = null;
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

  async run(signal) {
    let wait = WAIT_MIN_MS;
    while (!signal.aborted) {
      try {
        if (!this.revision) await this.list(signal);
        if (signal.aborted) return;
        this.onState("live");
        const begun = performance.now();
        await this.watch(signal);
        if (performance.now() - begun > WAIT_MAX_MS) wait = WAIT_MIN_MS;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Failure)) throw error;
        if (error.status === GONE) this.revision = "";
        else this.onState(error.status ? "failed" : "reconnecting", error.message);
      }
      await pause(wait, signal);
      wait = Math.min(wait * 2, WAIT_MAX_MS);
    }
  }

  async list(signal) {
    const rows = new Map();
    const isFirst = !this.isWhole;
    let revision = "";
    let next = "";
    do {
      const query = new URLSearchParams({ limit: PAGE, includeObject: "Metadata" });
      if (next) query.set("continue", next);
      const page = await get(`${this.path}?${query}`, { accept: TABLE, signal });
      this.take(page, rows, 0);
      revision ||= page.metadata.resourceVersion;
      next = page.metadata.continue ?? "";
      if (isFirst) this.rows = rows; // what is there is shown while the rest comes
      this.onChange();
    } while (next);
    Object.assign(this, { rows, revision, isWhole: true });
    this.onChange();
  }

  async watch(signal) {
    const query = new URLSearchParams({
      watch: "true", allowWatchBookmarks: "true", includeObject: "Metadata", resourceVersion: this.revision,
    });
    await stream(`${this.path}?${query}`, { accept: TABLE, signal }, (event) => this.apply(event));
  }

  apply({ type, object }) {
    if (type === "ERROR") throw new Failure(object.code ?? 0, object.message ?? "the watch failed");
    if (type === "DELETED") for (const row of object.rows ?? []) this.rows.delete(keyOf(row.object.metadata));
    else if (type !== "BOOKMARK") this.take(object, this.rows, performance.now());
    const revision = object.rows?.[0]?.object?.metadata?.resourceVersion ?? object.metadata?.resourceVersion;
    if (revision) this.revision = revision;
    if (type !== "BOOKMARK") this.onChange();
  }

  take(page, rows, changedAt) {
    if (page.columnDefinitions?.length) this.columns = page.columnDefinitions;
    for (const { cells, object } of page.rows ?? []) {
      const { namespace = "", name, resourceVersion, creationTimestamp, deletionTimestamp, labels } = object.metadata;
      const texts = cells.map((cell) => (cell === null ? "" : String(cell)));
      rows.set(keyOf(object.metadata), {
        key: keyOf(object.metadata), namespace, name, cells: texts, changedAt,
        revision: resourceVersion, created: creationTimestamp, isEnding: Boolean(deletionTimestamp), labels: labels ?? {},
      });
    }
  }
}

const keyOf = ({ namespace = "", name }) => `${namespace}/${name}`;
