"""A whole run of a load: what it needs is made, the processes work, the server's CPU and memory are read, and what was
made is removed."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from quarterdeck.cmd.bench import processes
from quarterdeck.cmd.bench.load import Load, Measured, Processes
from quarterdeck.cmd.bench.payload import RUN_LABEL, Payload
from quarterdeck.cmd.bench.scenario import DEFINITIONS
from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.cmd.client import Client, RequestError
from quarterdeck.cmd.kubeconfig import Target

_SERVED_TIMEOUT_S = 30.0
_WATCH_TIMEOUT_S = 3600

Tell = Callable[[float, int, int], None]


@dataclass
class Outcome:
    """`server_cpu_s` and `server_rss_bytes` are None where it runs elsewhere or has ended; `load_cpu_s` is what the
    processes of the load spent. `deliveries`: events that the informers of `controller` were sent."""

    version: str
    measured: Measured
    server_cpu_s: float | None
    server_rss_bytes: int | None
    load_cpu_s: float
    deliveries: int


class LoadRun:
    def __init__(self, target: Target, payload: Payload, load: Load, server_pids: Sequence[int] = ()) -> None:
        self._target = target
        self._load = load
        self._run = f"bench-{secrets.token_hex(4)}"
        self._payload = dataclasses.replace(payload, run=self._run)
        self._pids = list(server_pids)
        self._client = Client(target)
        self._collection = payload.collection.format(namespace=quote(load.namespace, safe=""))

    def run(self, tell: Tell) -> Outcome:
        """Raises RequestError, WatchersError."""
        version = self._client.must(200, "GET", "/version").get("gitVersion", "")
        if not self._pids and processes.is_local(self._target.host):
            found = processes.find_listener(self._target.port)
            self._pids = [found] if found is not None else []
        is_ours = self._define()
        work = Processes(self._target, self._payload, self._load, self._run)
        try:
            work.ready()
            return self._measure(work, version, tell)
        finally:
            work.close()
            self._clean_up(is_ours)

    def _measure(self, work: Processes, version: str, tell: Tell) -> Outcome:
        watchers = self._open_informers() if self._load.scenario == "controller" else None
        try:
            before, own = self._server_cpu_s(), _children_cpu_s()
            measured = work.run(tell)
            deliveries = 0
            if watchers is not None and not measured.failures:
                deliveries = measured.latencies["patch"].total * self._load.connections
                watchers.expect(deliveries)
                watchers.wait()
            after, resident_bytes = self._read_server()
        finally:
            if watchers is not None:
                watchers.close()
        work.close()  # whose CPU counts when they have ended
        return Outcome(
            version,
            measured,
            after - before if before is not None and after is not None else None,
            resident_bytes,
            _children_cpu_s() - own,
            deliveries,
        )

    def _open_informers(self) -> Watchers:
        """One for each controller. It sees the writes of all."""
        listed = self._client.must(200, "GET", self._collection + "?limit=1")
        revision = listed["metadata"]["resourceVersion"]
        selector = quote(f"{RUN_LABEL}={self._run}", safe="")
        path = f"{self._collection}?watch=true&resourceVersion={revision}&labelSelector={selector}"
        paths = [f"{path}&timeoutSeconds={_WATCH_TIMEOUT_S}"] * self._load.connections
        return Watchers(self._target, paths, _SERVED_TIMEOUT_S, self._load.streams)

    def _read_server(self) -> tuple[float | None, int | None]:
        """Its CPU time so far and its memory; Nones where it runs elsewhere or has ended, which its requests tell."""
        with contextlib.suppress(OSError):
            return self._server_cpu_s(), sum(map(processes.resident_bytes, self._pids)) if self._pids else None
        return None, None

    def _server_cpu_s(self) -> float | None:
        return sum(map(processes.cpu_s, self._pids)) if self._pids else None

    # - what is made and removed

    def _define(self) -> bool:
        """True: the definition was made by this run."""
        definition, end = self._payload.definition, time.monotonic() + _SERVED_TIMEOUT_S
        status, body = 409, b""
        while definition is not None:
            status, body = self._client.call("POST", DEFINITIONS, definition)
            name = definition["metadata"]["name"]
            if status != 409 or time.monotonic() > end or not self._is_going(name):
                break
            time.sleep(0.1)
        if status not in (201, 409):
            raise RequestError(f"{self._target.url} does not take the definition: {body[:400].decode()}")
        while (answer := self._client.call("GET", self._collection + "?limit=1"))[0] != 200:
            if definition is None or time.monotonic() > end:
                raise RequestError(f"{self._collection} is not served: {answer[1][:400].decode(errors='replace')}")
            time.sleep(0.02)
        return status == 201

    def _is_going(self, name: str) -> bool:
        status, body = self._client.call("GET", f"{DEFINITIONS}/{name}")
        return status == 404 or b'"deletionTimestamp"' in body

    def _clean_up(self, is_ours: bool) -> None:
        with contextlib.suppress(RequestError):
            self._client.close()
            self._client = Client(self._target)
            if is_ours and self._payload.definition is not None:
                self._remove_definition(f"{DEFINITIONS}/{self._payload.definition['metadata']['name']}")
            else:
                selector = quote(f"{RUN_LABEL}={self._run}", safe="")
                self._client.call("DELETE", f"{self._collection}?labelSelector={selector}")
        self._client.close()

    def _remove_definition(self, path: str) -> None:
        """Its objects go before it, which the answer does not wait for."""
        end = time.monotonic() + _SERVED_TIMEOUT_S
        status, _ = self._client.call("DELETE", path)
        while status == 200 and time.monotonic() < end:
            time.sleep(0.02)
            status, _ = self._client.call("GET", path)


def _children_cpu_s() -> float:
    """Of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system
