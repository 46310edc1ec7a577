"""Keeps the graph of nodes as new as the watch cache.

Source: plugin/pkg/auth/authorizer/node/graph_populator.go, graph.go (AddPod, AddPV …).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from quarterdeck.apimachinery import podreferences
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.authorization.node import graph as kinds
from quarterdeck.authorization.node.graph import Graph, Vertex
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

Object = dict[str, Any]


class Caches(NamedTuple):
    pods: ResourceCache
    volumes: ResourceCache
    attachments: ResourceCache
    slices: ResourceCache


class Following:
    """Reads all that is there at once: it is made before the first request."""

    def __init__(self, graph: Graph, caches: Caches) -> None:
        self._graph = graph
        for cache, put in (
            (caches.pods, self._put_pod),
            (caches.volumes, self._put_volume),
            (caches.attachments, self._put_attachment),
            (caches.slices, self._put_slice),
        ):
            for entry in cache.state.unordered():
                put(entry, json_codec.load(entry.data))
            cache.listeners.append(_follow(put))

    def _put_pod(self, entry: Entry, pod: Object | None) -> None:
        vertex = Vertex(kinds.POD, entry.namespace, entry.name)
        node = pod["spec"].get("nodeName") if pod is not None else None
        if pod is None or not node:
            self._graph.bind(vertex, "")
            return
        # What a kubelet made itself leads to nothing: no node may give itself access.
        self._graph.bind(vertex, node, () if podreferences.is_mirror(pod) else _named(entry.namespace, pod))

    def _put_volume(self, entry: Entry, volume: Object | None) -> None:
        claim = (volume["spec"].get("claimRef") or {}) if volume is not None else {}
        if volume is None or not claim:
            self._graph.put_volume(entry.name, None)
            return
        bound = claim.get("namespace") or "", claim.get("name") or ""
        self._graph.put_volume(entry.name, bound, podreferences.secrets_of_volume(volume))

    def _put_attachment(self, entry: Entry, obj: Object | None) -> None:
        self._graph.bind(Vertex(kinds.ATTACHMENT, "", entry.name), _node_name(obj))

    def _put_slice(self, entry: Entry, obj: Object | None) -> None:
        self._graph.bind(Vertex(kinds.SLICE, "", entry.name), _node_name(obj))


def _follow(put: Callable[[Entry, Object | None], None]) -> Callable[[Change], None]:
    def follow(change: Change) -> None:
        if change.entry is not None:
            put(change.entry, json_codec.load(change.entry.data))
        elif change.old is not None:
            put(change.old, None)

    return follow


def _named(namespace: str, pod: Object) -> Iterator[Vertex]:
    if account := pod["spec"].get("serviceAccountName"):
        yield Vertex(kinds.ACCOUNT, namespace, account)
    for kind, names in (
        (kinds.SECRET, podreferences.secrets_of(pod)),
        (kinds.CONFIGMAP, podreferences.configmaps_of(pod)),
        (kinds.CLAIM, podreferences.claims_of(pod)),
        (kinds.RESOURCE_CLAIM, podreferences.resource_claims_of(pod)),
    ):
        for name in names:
            if name:
                yield Vertex(kind, namespace, name)


def _node_name(obj: Object | None) -> str:
    return (obj["spec"].get("nodeName") or "") if obj is not None else ""
