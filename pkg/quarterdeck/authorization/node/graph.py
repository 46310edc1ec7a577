"""Which nodes need which objects.

    node <- pod                      the pods that are bound to it
    node <- pod <- secret, configmap, claim, resource claim, service account
    node <- pod <- claim <- volume <- secret
    node <- attachment, slice

For each object the nodes are counted that some chain leads to, so that a question is one look. A pod counts once for
each object that it names; a volume and its secrets count once for each node that needs the claim that it is bound to.
What changes is counted off and on again: nothing is walked but what the changed object names.

Source: plugin/pkg/auth/authorizer/node/graph.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

POD: Final = "pods"
SECRET: Final = "secrets"
CONFIGMAP: Final = "configmaps"
CLAIM: Final = "persistentvolumeclaims"
VOLUME: Final = "persistentvolumes"
RESOURCE_CLAIM: Final = "resourceclaims"
ACCOUNT: Final = "serviceaccounts"
ATTACHMENT: Final = "volumeattachments"
SLICE: Final = "resourceslices"


class Vertex(NamedTuple):
    kind: str
    namespace: str
    name: str


class _Volume(NamedTuple):
    claim: Vertex
    secrets: frozenset[Vertex]


class _Bound(NamedTuple):
    node: str
    named: frozenset[Vertex]


class Graph:
    def __init__(self) -> None:
        self._nodes: dict[Vertex, dict[str, int]] = {}
        self._bound: dict[Vertex, _Bound] = {}  # by what is bound to a node itself: pods, attachments, slices
        self._volumes: dict[Vertex, _Volume] = {}
        self._volumes_of: dict[Vertex, set[Vertex]] = {}  # by claim

    @property
    def is_empty(self) -> bool:
        return not (self._nodes or self._bound or self._volumes or self._volumes_of)

    def leads(self, vertex: Vertex, node: str) -> bool:
        """Whether the node needs the object."""
        nodes = self._nodes.get(vertex)
        return nodes is not None and node in nodes

    def bind(self, vertex: Vertex, node: str, named: Iterable[Vertex] = ()) -> None:
        """The object belongs to a node ("": to none), and what it names is needed there."""
        wanted = _Bound(node, frozenset((vertex, *named))) if node else None
        known = self._bound.get(vertex)
        if wanted == known:
            return
        if known is not None:
            del self._bound[vertex]
            for each in known.named:
                self._count_off(each, known.node)
        if wanted is not None:
            self._bound[vertex] = wanted
            for each in wanted.named:
                self._count(each, node)

    def put_volume(self, name: str, claim: tuple[str, str] | None, secrets: Iterable[tuple[str, str]] = ()) -> None:
        """A persistent volume: the claim that it is bound to (None: to none), and what nodes need to mount it."""
        vertex = Vertex(VOLUME, "", name)
        wanted = None
        if claim is not None:
            wanted = _Volume(Vertex(CLAIM, *claim), frozenset(Vertex(SECRET, *each) for each in secrets))
        known = self._volumes.get(vertex)
        if wanted == known:
            return
        if known is not None:
            for node in self._nodes.get(known.claim, ()):
                self._count_volume_off(vertex, known, node)
            del self._volumes[vertex]
            beside = self._volumes_of[known.claim]
            beside.discard(vertex)
            if not beside:
                del self._volumes_of[known.claim]
        if wanted is not None:
            self._volumes[vertex] = wanted
            self._volumes_of.setdefault(wanted.claim, set()).add(vertex)
            for node in self._nodes.get(wanted.claim, ()):
                self._count_volume(vertex, wanted, node)

    def _count(self, vertex: Vertex, node: str) -> None:
        nodes = self._nodes.setdefault(vertex, {})
        nodes[node] = nodes.get(node, 0) + 1
        if vertex.kind == CLAIM and nodes[node] == 1:
            for volume in self._volumes_of.get(vertex, ()):
                self._count_volume(volume, self._volumes[volume], node)

    def _count_off(self, vertex: Vertex, node: str) -> None:
        nodes = self._nodes[vertex]
        nodes[node] -= 1
        if nodes[node]:
            return
        del nodes[node]
        if not nodes:
            del self._nodes[vertex]
        if vertex.kind == CLAIM:
            for volume in self._volumes_of.get(vertex, ()):
                self._count_volume_off(volume, self._volumes[volume], node)

    def _count_volume(self, vertex: Vertex, volume: _Volume, node: str) -> None:
        for each in (vertex, *volume.secrets):
            self._count(each, node)

    def _count_volume_off(self, vertex: Vertex, volume: _Volume, node: str) -> None:
        for each in (vertex, *volume.secrets):
            self._count_off(each, node)
