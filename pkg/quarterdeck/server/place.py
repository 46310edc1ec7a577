"""Where a server is, beside its options: several of them may be in one process (server/clusters)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from quarterdeck.controllers.clocks import LOOPS, Clocks
from quarterdeck.endpoints.router import PlainHandler
from quarterdeck.metrics.registry import Registry
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.server.storing import Stored

if TYPE_CHECKING:  # loaded where something is audited, recorded or traced
    from quarterdeck.recording.file import Writer
    from quarterdeck.server.audit import Auditing
    from quarterdeck.server.middleware import PlaceState
    from quarterdeck.server.tracing.provider import Provider
    from quarterdeck.server.virtualtime import VirtualTime


class Place(NamedTuple):
    """What it keeps its objects in, how it is audited, what stands before its paths, and which paths of others it
    answers as well. `is_resumed`: it goes on where another one has left the store; `is_settled`: which had nothing left
    to do there. `published`: of another one that serves the same built-in resources. `recording` and `tracing` are of
    the process, `kept` of this place, whichever server it has."""

    stored: Stored
    metrics: Registry
    auditing: Auditing | None = None
    base: str = ""
    paths: Sequence[PlainHandler] = ()
    is_resumed: bool = False
    is_settled: bool = False
    published: OpenAPIDocuments | None = None
    recording: Writer | None = None
    tracing: Provider | None = None
    kept: PlaceState | None = None

    @property
    def time(self) -> VirtualTime | None:
        return None if self.kept is None else self.kept.time

    @property
    def clocks(self) -> Clocks:
        virtual = self.time
        return LOOPS if virtual is None else Clocks(shown=virtual.clock)
