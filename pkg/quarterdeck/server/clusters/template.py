"""What a new logical cluster holds: all that a server makes when it starts on an empty store."""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.apimachinery import clock, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.server.clusters.cluster import Build, Cluster
from quarterdeck.storage.cacher import build_prefix
from quarterdeck.storage.memory import State, new_state

_SETTLED_S: Final = 10.0
_LOOK_S: Final = 0.01
_LOOKS: Final = 3  # so often in a row nothing is left to be done
_NAMESPACES: Final = build_prefix("", "namespaces")


async def prepare(build: Build) -> State:
    """Runs a server until it has nothing left to do."""
    cluster = Cluster("template", new_state(), build)
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
    for found in list(state.walk(_NAMESPACES, _NAMESPACES[:-1] + "0", {})):
        obj = json_codec.load(found.value)
        obj["metadata"] |= {"uid": meta.new_uid(), "creationTimestamp": clock.now()}
        state.write(found.key, json_codec.encode(obj))
    state.forget(state.revision)
    return state
