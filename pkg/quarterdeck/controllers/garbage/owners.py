"""Finds the owners that an object names, and tells what they are to it: there, gone, or waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from quarterdeck.controllers.events import EventRecorder, ObjectWarning
from quarterdeck.controllers.garbage.graph import STEP_REFERENCES, Graph, Node, Reference, is_at
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.resources import Known, OwnerKind, OwnerState, Resource, UnknownKind

COMPONENT: Final = "garbage-collector-controller"


class NamespacedOwner(Exception):
    """A cluster-scoped object names an owner in a namespace: it is left alone."""


@dataclass(slots=True)
class Owners:
    """References by what their owners are: there, gone, or waiting (in foreground deletion) for this dependent."""

    solid: list[Reference] = field(default_factory=list)
    dangling: list[Reference] = field(default_factory=list)
    waiting: list[Reference] = field(default_factory=list)

    @property
    def are_news(self) -> bool:
        """Not all that the object refers to is simply there."""
        return bool(self.dangling or self.waiting)


class OwnerSearch:
    """`namespaces` are those that there are, read when they are needed."""

    def __init__(self, graph: Graph, kinds: Kinds, resources: Mapping[str, Resource], events: EventRecorder) -> None:
        self._graph = graph
        self._kinds = kinds
        self._resources = resources
        self._events = events

    async def classify(self, node: Node, references: tuple[Reference, ...], known: Known) -> Owners:
        """Raises UnknownKind and NamespacedOwner."""
        owners = Owners()
        for done, reference in enumerate(references, 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            owner = await self._find_owner(node, reference, known)
            if owner is None:
                owners.dangling.append(reference)
            elif owner.is_foreground:
                owners.waiting.append(reference)
            else:
                owners.solid.append(reference)
        return owners

    async def _find_owner(self, node: Node, reference: Reference, known: Known) -> OwnerState | None:
        """The state of the owner; None where it is gone, or another object has its name. An owner in a namespace is
        looked for in the dependent's. Raises UnknownKind and NamespacedOwner."""
        record = self._graph.owners.get(reference.uid)
        if record is not None and record.gone is not None and is_at(reference, record.gone, node.namespace):
            return None
        resource = self._kinds.find(reference.api_version, reference.kind)
        if resource is None:
            raise UnknownKind(reference.kind)
        if resource.namespaced and not node.namespace:
            raise NamespacedOwner(reference.kind)
        return await resource.find_owner(node.namespace if resource.namespaced else "", reference, known)

    async def warn_of_foreign(self, node: Node, references: tuple[Reference, ...], known: Known) -> None:
        """Report the references whose owners are in other namespaces, which own nothing here."""
        for done, reference in enumerate(references, 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            resource = self._kinds.find(reference.api_version, reference.kind)
            if resource is None or not resource.namespaced:
                continue
            if await resource.has(node.namespace, reference, known):
                continue
            record = self._graph.owners.get(reference.uid)
            if record is None or record.gone is not None or record.found_nowhere == reference:
                continue
            if await self._is_in_another_namespace(resource, reference, known):
                await self._events.warn(self._build_warning(node, reference))
            else:
                record.found_nowhere = reference

    async def _is_in_another_namespace(self, resource: OwnerKind, reference: Reference, known: Known) -> bool:
        for done, namespace in enumerate(self._kinds.namespaces(), 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            if await resource.has(namespace, reference, known):
                return True
        return False

    def _build_warning(self, node: Node, reference: Reference) -> ObjectWarning:
        resource = self._resources[node.prefix]
        owner = (
            f"[{reference.api_version}/{reference.kind}, namespace: {node.namespace}, name: {reference.name}, "
            f"uid: {reference.uid}]"
        )
        involved = {
            "kind": resource.kind,
            "namespace": node.namespace,
            "name": node.name,
            "uid": node.uid,
            "apiVersion": resource.api_version,
        }
        message = f'ownerRef {owner} does not exist in namespace "{node.namespace}"'
        return ObjectWarning(COMPONENT, involved, "OwnerRefInvalidNamespace", message)
