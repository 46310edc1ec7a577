"""What a new logical cluster holds: all that a server makes when it starts on an empty store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import clock, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.server.clusters import clusterclock
from quarterdeck.server.clusters.cluster import Build, Cluster
from quarterdeck.server.config import VirtualClockSettings
from quarterdeck.storage.cacher import build_prefix
from quarterdeck.storage.memory import State, new_state

if TYPE_CHECKING:  # loaded where there is a virtual clock
    from quarterdeck.server.virtualtime import VirtualTime

_SETTLED_S: Final = 10.0
_KNOWN_MAX: Final = 8
_LOOK_S: Final = 0.01
_LOOKS: Final = 3  # so often in a row nothing is left to be done
_NAMESPACES: Final = build_prefix("", "namespaces")


class Templates:
    """One of the machine's time, and the last few of clocks that begin at a time of their own or have a seed."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._known: dict[VirtualClockSettings | None, State] = {}
        self._preparing = asyncio.Lock()
        self.on_usual: Callable[[State], None] | None = None  # told of that of the machine's time

    async def build_state(self, virtual: VirtualTime | None) -> State:
        """What a new cluster begins with that goes by `virtual`; None: by the machine's time."""
        if virtual is None:
            return build_state(await self._find(None))
        template = await self._find(None if virtual.is_usual else virtual.settings)
        return virtual.context().run(build_state, template)

    async def _find(self, settings: VirtualClockSettings | None) -> State:
        async with self._preparing:
            found = self._known.get(settings)
            if found is None:
                virtual = clusterclock.make(settings, "template")
                found = self._known[settings] = await prepare(self._build, virtual)
                if settings is None and self.on_usual is not None:
                    self.on_usual(found)
                if len(self._known) > _KNOWN_MAX:
                    del self._known[next(each for each in self._known if each is not None)]
            return found


async def prepare(build: Build, virtual: VirtualTime | None = None) -> State:
    """Runs a server, by its own clock or the machine's, until it has nothing left to do."""
    cluster = Cluster("template", new_state(), build, virtual)
    server = await cluster.wake()
    assert server is not None
    looks, revision = 0, -1
    try:
        async with asyncio.timeout(_SETTLED_S):
            while looks < _LOOKS:
                await asyncio.sleep(_LOOK_S)
                is_settled = server.is_idle and cluster.state.revision == revision
                looks, revision = looks + 1 if is_settled else 0, cluster.state.revision
    except TimeoutError:
        pass  # what is missing each cluster makes for itself
    finally:
        await cluster.rest()
    return cluster.state.snapshot()


def build_state(template: State) -> State:
    """A fork whose namespaces are nobody else's: programs know a cluster by the uid of kube-system."""
    state = template.fork()
    is_settled = state.is_settled  # no controller looks at these members
    for found in list(state.walk(_NAMESPACES, _NAMESPACES[:-1] + "0", {})):
        obj = json_codec.load(found.value)
        obj["metadata"] |= {"uid": meta.new_uid(), "creationTimestamp": clock.now()}
        state.write(found.key, json_codec.encode(obj))
    state.forget(state.revision)
    state.note_settled(is_settled)
    return state
