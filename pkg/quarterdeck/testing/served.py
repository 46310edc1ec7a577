"""What tests ask: a control plane, or one of its logical clusters."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from quarterdeck.cmd import kubeconfig
from quarterdeck.cmd.client import Client, RequestError
from quarterdeck.testing.clock import Clock
from quarterdeck.testing.coverage import Coverage, CoverageError
from quarterdeck.testing.faults import Faults

if TYPE_CHECKING:
    from quarterdeck.testing.sessioncoverage import Collector

_IDLE_MAX: Final = 8


class Served:
    """`url` and `kubeconfig` (the administrator's) are for clients of any language; `call` and `apply` are for tests
    themselves, from any thread; `faults` spoils requests, `coverage` tells what was asked, `clock` has time pass.
    `collector` is given what each has covered, before it ends, where a session of tests wants to know."""

    collector: ClassVar[Collector | None] = None

    def __init__(self) -> None:
        self.url = ""
        self.faults = Faults(self._call_served)
        self.coverage = Coverage(self._call_served)
        self.clock = Clock(self._call_served)
        self._first_revision = 0
        self._is_collected = False
        self._target: kubeconfig.Target | None = None
        self._idle: list[Client] = []

    @property
    def kubeconfig(self) -> Path:
        raise NotImplementedError

    def log(self) -> str:
        """What the server has said so far."""
        raise NotImplementedError

    def audit_log(self) -> Path:
        """The file that requests are noted in."""
        raise NotImplementedError

    def call(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        """The status and what was answered: an object where it is JSON, else text."""
        with self._borrow() as client:
            client.send(method, path, body, sent=content_type)
            status, data = client.receive()
        try:
            return status, json.loads(data)
        except ValueError:
            return status, data.decode(errors="replace")

    def _call_served(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        return self.call(method, path, body)

    @contextlib.contextmanager
    def _borrow(self) -> Iterator[Client]:
        """A connection, which is kept for the next one unless something went wrong."""
        try:
            client = self._idle.pop()
        except IndexError:
            if self._target is None:
                self._target = kubeconfig.load(self.kubeconfig)
            client = Client(self._target)
        try:
            yield client
        except BaseException:
            client.close()
            raise
        if len(self._idle) < _IDLE_MAX:
            self._idle.append(client)
        else:
            client.close()

    def _forget_connections(self) -> None:
        self._target = None
        while self._idle:
            self._idle.pop().close()

    def collect(self) -> None:
        """Have `collector` know what was covered. Once more: nothing."""
        collector = Served.collector
        if collector is None or self._is_collected or not self.url:
            return
        self._is_collected = True
        try:
            collector.add(self.coverage.report())
        except (CoverageError, RequestError, OSError):  # a test has stopped it, or ended it
            collector.lose()

    def revision(self) -> int:
        """The newest of all."""
        return int(self.call("GET", "/api/v1/namespaces?limit=1")[1]["metadata"]["resourceVersion"])

    def apply(self, *sources: str | Path | dict[str, Any], namespace: str = "default") -> list[dict[str, Any]]:
        """Server-side apply of all objects of `sources`: files, folders, globs, objects. Definitions first, and what
        is of them waits until they are served. Raises quarterdeck.testing.manifests.ManifestError."""
        from quarterdeck.testing import manifests

        return manifests.apply(self.call, sources, namespace)

    def replay(
        self, recording: str | Path, *, cluster: str = "", wait_s: float = 10.0, impersonates: bool = False
    ) -> list[str]:
        """Play a recording of a server, or of its logical cluster: what is not as it was, a line for each difference.
        Raises BadRecording (of quarterdeck.recording.file)."""
        from quarterdeck.cmd.replay.player import Player
        from quarterdeck.recording import file

        told: list[str] = []
        player = Player(
            kubeconfig.load(self.kubeconfig),
            lambda title, found: told.extend(f"{title}: {place} {what}" for place, what in found),
            wait_s=wait_s,
            impersonates=impersonates,
            cluster=cluster,
        )
        player.play(file.read(Path(recording)))
        return told

    def describe(self) -> Iterable[tuple[str, str]]:
        """What tells why a test failed: the titles and texts of its objects, its events and its last requests."""
        from quarterdeck.testing import report

        return report.describe(self.call, self.audit_log(), self._first_revision, urlsplit(self.url).path)


def must(answer: tuple[int, Any]) -> Any:
    """The object of an answer. Raises RequestError where it is a refusal."""
    status, value = answer
    if status >= 400:
        raise RequestError(value["message"] if isinstance(value, dict) and "message" in value else f"{status}: {value}")
    return value
