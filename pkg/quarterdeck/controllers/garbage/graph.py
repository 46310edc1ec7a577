"""Who owns whom: the objects that have owners or are being deleted in stages, by UID, and each owner's dependents.

Objects without owners and without dependents are not here. An owner that is not here itself has an Owner record while
an object refers to it; a deleted one is remembered there, so that its kind need not be served any more to know it gone.
The graph decides nothing and reads nothing.

Source: pkg/controller/garbagecollector/graph.go, uid_to_node.go.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, FINALIZER_ORPHAN

# References that are linked in one step: well below a millisecond.
STEP_REFERENCES: Final = 256

Steps = Generator[None, None, None]


class Reference(NamedTuple):
    """An ownerReference. `blocks`: blockOwnerDeletion."""

    uid: str
    api_version: str
    kind: str
    name: str
    blocks: bool


class Coordinates(NamedTuple):
    """Where an object was: `namespace` is "" for a cluster-scoped one. `api_versions` are those in which its kind was
    served then: a reference in another one means nothing that anybody could look up."""

    api_versions: frozenset[str]
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Node:
    """`prefix` names the resource. `is_foreground`, `is_orphaning`: the object is under deletion, and waits until its
    dependents are gone, or until they have let go of it."""

    uid: str
    prefix: str
    namespace: str
    name: str
    references: tuple[Reference, ...]
    is_being_deleted: bool = False
    is_foreground: bool = False
    is_orphaning: bool = False

    @property
    def is_needed(self) -> bool:
        return bool(self.references) or self.is_foreground or self.is_orphaning


@dataclass(slots=True)
class Owner:
    """The dependents of one UID; `blocking` are those that a foreground deletion waits for. `gone`: where the owner
    was when its deletion was seen. `found_nowhere`: the last reference whose owner is in no namespace. It will not
    be looked for again: an object that is created later has another UID."""

    dependents: dict[str, None] = field(default_factory=dict)
    blocking: dict[str, None] = field(default_factory=dict)
    gone: Coordinates | None = None
    found_nowhere: Reference | None = None


class Graph:
    """Invariant: `owners[x].dependents` are exactly the nodes with a reference to x; no record is empty."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.owners: dict[str, Owner] = {}

    def put(self, node: Node) -> Node | None:
        """Take in a new state of an object; what was known of it before."""
        old = self.nodes.get(node.uid)
        finish(self.put_in_steps(node))
        return old

    def put_in_steps(self, node: Node) -> Steps:
        """The same in steps; between them some references are linked, and others are not."""
        old = self.nodes.get(node.uid)
        if node.is_needed:
            self.nodes[node.uid] = node
        elif old is not None:
            del self.nodes[node.uid]
        before = old.references if old is not None else ()
        if before != node.references:
            yield from self._unlink(node.uid, before, keep={reference.uid for reference in node.references})
            yield from self._link(node)

    def remove(self, uid: str) -> Node | None:
        """The object is no more, or no more followed."""
        node = self.nodes.get(uid)
        finish(self.remove_in_steps(uid))
        return node

    def remove_in_steps(self, uid: str) -> Steps:
        node = self.nodes.pop(uid, None)
        if node is not None:
            yield from self._unlink(uid, node.references, keep=set())

    def dependents_of(self, uid: str) -> list[str]:
        owner = self.owners.get(uid)
        return list(owner.dependents) if owner is not None else []

    def is_blocked(self, uid: str) -> bool:
        """Whether a foreground deletion of the object has to wait."""
        owner = self.owners.get(uid)
        return owner is not None and bool(owner.blocking)

    def _link(self, node: Node) -> Steps:
        blocked = {reference.uid for reference in node.references if reference.blocks}
        for done, reference in enumerate(node.references, 1):
            if done % STEP_REFERENCES == 0:
                yield
            owner = self.owners.get(reference.uid)
            if owner is None:
                owner = self.owners[reference.uid] = Owner()
            owner.dependents[node.uid] = None
            if reference.uid in blocked:
                owner.blocking[node.uid] = None
            else:
                owner.blocking.pop(node.uid, None)

    def _unlink(self, uid: str, references: tuple[Reference, ...], keep: set[str]) -> Steps:
        for done, reference in enumerate(references, 1):
            if done % STEP_REFERENCES == 0:
                yield
            owner = self.owners.get(reference.uid)
            if owner is None or reference.uid in keep:
                continue
            owner.dependents.pop(uid, None)
            owner.blocking.pop(uid, None)
            if not owner.dependents:
                del self.owners[reference.uid]


def finish(steps: Steps) -> None:
    for _ in steps:
        pass


def build_node(prefix: str, namespace: str, name: str, metadata: dict[str, Any]) -> Node:
    finalizers = metadata.get("finalizers") or ()
    is_being_deleted = bool(metadata.get("deletionTimestamp"))
    return Node(
        metadata.get("uid") or "",
        prefix,
        namespace,
        name,
        read_references(metadata),
        is_being_deleted,
        is_being_deleted and FINALIZER_FOREGROUND in finalizers,
        is_being_deleted and FINALIZER_ORPHAN in finalizers,
    )


def read_references(metadata: dict[str, Any]) -> tuple[Reference, ...]:
    return tuple(
        Reference(
            reference.get("uid") or "",
            reference.get("apiVersion") or "",
            reference.get("kind") or "",
            reference.get("name") or "",
            reference.get("blockOwnerDeletion") is True,
        )
        for reference in metadata.get("ownerReferences") or ()
    )


def is_at(reference: Reference, coordinates: Coordinates, namespace: str) -> bool:
    """Whether a dependent in `namespace` means the object that was there."""
    same = (reference.kind, reference.name) == (coordinates.kind, coordinates.name)
    return same and reference.api_version in coordinates.api_versions and coordinates.namespace in ("", namespace)
