"""What `quarterdeck bench watch` does: many watches of one collection, writes, and how long until the last one knows.

One writer updates one object; each write waits until every watcher has seen the one before. Over plain HTTP the
watchers read after every other write only when all is there, and the kernel's times tell when it came (watchers.py).
Several writers create objects side by side and wait for nothing, so that events coalesce. The definition and the
objects are made for the run and removed after it.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from quarterdeck.cmd.bench import processes
from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.cmd.client import Client, RequestError
from quarterdeck.cmd.kubeconfig import Target

GROUP: Final = "bench.quarterdeck.dev"
PLURAL: Final = "watchbenches"
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION: Final[dict[str, Any]] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "watchbench", "kind": "WatchBench", "listKind": "WatchBenchList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"padding": {"type": "string"}}}},
                    }
                },
            }
        ],
    },
}
_OURS: Final = f"{DEFINITIONS}/{PLURAL}.{GROUP}"
_SERVED_TIMEOUT_S: Final = 30.0
_WATCH_TIMEOUT_S: Final = 3600


@dataclass(frozen=True, slots=True)
class Options:
    """`object_bytes`: of padding in each object. `selector`: of the watches; the objects have the label app=bench.
    `server_pids`: empty means that the process is looked for. `streams`: watches on a connection of HTTP/2; 0: each
    has one of HTTP/1.1."""

    watchers: int = 1000
    events: int = 50
    writers: int = 1
    namespace: str = "default"
    object_bytes: int = 400
    selector: str = ""
    timeout_s: float = 120.0
    server_pids: Sequence[int] = ()
    streams: int = 0


@dataclass(slots=True)
class Result:
    """`lags_s`: from a write's answer until the last watcher has read it, `spans_s`: from its sending. `arrivals_s`:
    from its answer until it has arrived at the last watcher, none of which is reading meanwhile. `cpu_s` and
    `open_cpu_s` are None where the server runs elsewhere."""

    version: str = ""
    deliveries: int = 0
    elapsed_s: float = 0.0
    open_s: float = 0.0
    lags_s: list[float] = field(default_factory=list)
    spans_s: list[float] = field(default_factory=list)
    arrivals_s: list[float] = field(default_factory=list)
    cpu_s: float | None = None
    open_cpu_s: float | None = None
    server_pids: Sequence[int] = ()


class Scenario:
    def __init__(self, target: Target, options: Options) -> None:
        self._target = target
        self._options = options
        self._client = Client(target)
        self._collection = f"/apis/{GROUP}/v1/namespaces/{quote(options.namespace, safe='')}/{PLURAL}"
        self._run = f"bench-{secrets.token_hex(4)}"  # so that objects of an earlier run do not count
        self._result = Result()

    def run(self) -> Result:
        """Raises RequestError or WatchersError."""
        result = self._result
        result.version = self._client.must(200, "GET", "/version").get("gitVersion", "")
        result.server_pids = self._options.server_pids or self._find_server()
        is_ours = self._define()
        try:
            if self._options.writers == 1:
                self._measure_updates()
            else:
                self._measure_creates()
        finally:
            self._clean_up(is_ours)
        return result

    def _find_server(self) -> list[int]:
        found = processes.find_listener(self._target.port) if processes.is_local(self._target.host) else None
        return [found] if found is not None else []

    def _cpu_s(self) -> float | None:
        pids = self._result.server_pids
        return sum(map(processes.cpu_s, pids)) if pids else None

    # - what is watched

    def _define(self) -> bool:
        """True: the definition was made by this run."""
        client = self._client
        end = time.monotonic() + _SERVED_TIMEOUT_S
        while True:
            status, body = client.call("POST", DEFINITIONS, DEFINITION)
            if status != 409 or not self._is_going():
                break
            if time.monotonic() > end:
                raise RequestError(f"the definition of an earlier run did not go within {_SERVED_TIMEOUT_S:.0f} s")
            time.sleep(0.1)
        if status not in (201, 409):
            raise RequestError(f"{self._target.url} does not take the definition: {body[:400].decode()}")
        while client.call("GET", self._collection + "?limit=1")[0] != 200:
            if time.monotonic() > end:
                raise RequestError(f"{self._collection} was not served within {_SERVED_TIMEOUT_S:.0f} s")
            time.sleep(0.05)
        return status == 201

    def _is_going(self) -> bool:
        """The definition is there, or was a moment ago, and is being deleted with its objects."""
        status, body = self._client.call("GET", _OURS)
        return status == 404 or (status == 200 and "deletionTimestamp" in json.loads(body)["metadata"])

    def _clean_up(self, is_ours: bool) -> None:
        with contextlib.suppress(RequestError):
            self._client.close()  # an answer may be on its way
            self._client = Client(self._target)
            if is_ours:
                self._client.call("DELETE", _OURS)
            else:
                self._client.call("DELETE", f"{self._collection}?labelSelector=run%3D{self._run}")
        self._client.close()

    def _make_object(self, name: str) -> dict[str, Any]:
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": "WatchBench",
            "metadata": {"name": name, "labels": {"app": "bench", "run": self._run}},
            "spec": {"padding": "x" * self._options.object_bytes},
        }

    def _open(self, revision: str) -> Watchers:
        options = self._options
        query = f"watch=true&resourceVersion={revision}&timeoutSeconds={_WATCH_TIMEOUT_S}"
        if options.selector:
            query += f"&labelSelector={quote(options.selector, safe='')}"
        before = self._cpu_s()
        paths = [f"{self._collection}?{query}"] * options.watchers
        watchers = Watchers(self._target, paths, options.timeout_s, options.streams)
        after = self._cpu_s()
        self._result.open_s = watchers.open_s
        if before is not None and after is not None:
            self._result.open_cpu_s = after - before
        return watchers

    # - what is measured

    def _measure_updates(self) -> None:
        options, result, client = self._options, self._result, self._client
        obj = client.must(201, "POST", self._collection, self._make_object(self._run))
        path = f"{self._collection}/{self._run}"
        watchers = self._open(obj["metadata"]["resourceVersion"])
        try:
            before = self._cpu_s()
            for n in range(options.events):
                obj["spec"]["padding"] = f"{n:06}" + "x" * options.object_bytes
                is_quiet = watchers.tells_arrival and n % 2 == 1
                (watchers.expect_arrival if is_quiet else watchers.expect)(options.watchers)
                begin = time.monotonic()
                client.send("PUT", path, obj)
                obj = client.expect(200)
                answered = time.monotonic()
                last = watchers.wait()
                (result.arrivals_s if is_quiet else result.lags_s).append(max(last - answered, 0.0))
                if not is_quiet:
                    result.spans_s.append(last - begin)
                result.elapsed_s += last - begin
            self._note_cpu(before)
        finally:
            watchers.close()
        result.deliveries = options.watchers * options.events

    def _measure_creates(self) -> None:
        options, result = self._options, self._result
        listed = self._client.must(200, "GET", self._collection + "?limit=1")
        watchers = self._open(listed["metadata"]["resourceVersion"])
        writers = [Client(self._target) for _ in range(options.writers)]
        try:
            result.deliveries = options.watchers * options.writers * options.events
            watchers.expect(result.deliveries)
            before, begin = self._cpu_s(), time.monotonic()
            for n in range(options.events):
                for at, writer in enumerate(writers):
                    writer.send("POST", self._collection, self._make_object(f"{self._run}-{at}-{n}"))
                for writer in writers:
                    writer.expect(201)
            answered = time.monotonic()
            last = watchers.wait()
            result.elapsed_s = last - begin
            result.lags_s.append(max(last - answered, 0.0))
            result.spans_s.append(result.elapsed_s)
            self._note_cpu(before)
        finally:
            watchers.close()
            for writer in writers:
                writer.close()

    def _note_cpu(self, before: float | None) -> None:
        after = self._cpu_s()
        if before is not None and after is not None:
            self._result.cpu_s = after - before


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def summarize(options: Options, result: Result) -> dict[str, object]:
    """The figures by name, as JSON has them."""
    summary: dict[str, object] = {
        "version": result.version,
        "http": "2" if options.streams else "1.1",
        "watchers": options.watchers,
        "writers": options.writers,
        "deliveries": result.deliveries,
        "deliveries_per_s": round(result.deliveries / result.elapsed_s),
        "open_s": round(result.open_s, 3),
    }
    if options.writers == 1:
        for name, values in (
            ("answer_to_last_ms", result.lags_s),
            ("write_to_last_ms", result.spans_s),
            ("answer_to_last_arrival_ms", result.arrivals_s),
        ):
            for share in (50, 99) if values else ():
                summary[f"{name}_p{share}"] = round(quantile(values, share / 100) * 1e3, 2)
    if result.cpu_s is not None:
        summary["cpu_us_per_delivery"] = round(result.cpu_s / result.deliveries * 1e6, 3)
    if result.open_cpu_s is not None:
        summary["cpu_us_per_open"] = round(result.open_cpu_s / options.watchers * 1e6, 1)
    return summary


def to_json(summary: dict[str, object]) -> str:
    return json.dumps(summary, indent=1)
