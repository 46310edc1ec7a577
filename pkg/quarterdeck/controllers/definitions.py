"""What the controllers of CustomResourceDefinitions share: reading one, and writing its status as the server does.

Controllers look at names and conditions, never at schemas, and schemas are nearly all of a definition's bytes. So what
they read is the definition without them, decoded once a change; it is shared and must not be changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.conditions import Condition
from quarterdeck.apiextensions.schemas import load_without_schemas
from quarterdeck.apimachinery import clock, errors
from quarterdeck.fieldmanager import last_applied
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.storage.cacher import Change, Entry

MANAGER: Final = "kube-apiserver"

Definition = dict[str, Any]


class _Outdated(Exception):
    """The stored definition has changed since it was judged."""


class Definitions:
    """`status_scope` is the scope of customresourcedefinitions/status."""

    def __init__(self, status_scope: Scope) -> None:
        self.identity = UNADMITTED
        self._scope = status_scope
        self.cache = status_scope.store.cache
        self._heads: dict[str, tuple[int, Definition]] = {}  # name → the revision and what was read of it
        self.cache.listeners.append(self._follow)

    def get(self, name: str) -> Definition | None:
        """The definition without its schemas and its managedFields."""
        entry = self.cache.get("", name)
        if entry is None:
            return None
        head = self._heads.get(name)
        if head is None or head[0] != entry.revision:
            self.read(entry)
        return self._heads[name][1]

    def read(self, entry: Entry) -> Definition:
        """The definition without its schemas; less of it is kept for `get`."""
        definition = load_without_schemas(entry.data)
        self._heads[entry.name] = (entry.revision, _head_of(definition))
        return definition

    def _follow(self, change: Change) -> None:
        if change.entry is None and change.old is not None:
            self._heads.pop(change.old.name, None)

    async def update_status(self, seen: Definition, change: Callable[[Definition], Definition]) -> bool:
        """Store what `change` makes of the definition that was judged, in full. False: it is gone or has changed since.
        Then nothing is stored; the change brings its key to the controllers again."""
        name, revision = seen["metadata"]["name"], seen["metadata"]["resourceVersion"]

        async def transform(live: Object | None) -> Object:
            if live is None or live["metadata"]["resourceVersion"] != revision:
                raise _Outdated
            new = copy_object(change(live))
            if self._scope.ownership is not None:
                self._scope.ownership.update(
                    live,
                    new,
                    manager=MANAGER,
                    subresource="status",
                    api_version=self._scope.resource.api_version,
                    now=clock.now(),
                )
            return new

        try:
            await self.identity.update(self._scope, "", name, transform)
        except (_Outdated, errors.NotFound):
            return False
        return True

    async def set_conditions(self, seen: Definition, *wanted: Condition) -> bool:
        """As `update_status`, where conditions are all that changes."""

        def change(live: Definition) -> Definition:
            changed = live["status"].get("conditions")
            for condition in wanted:
                changed = conditions.with_condition(changed, condition)
            return {**live, "status": {**live["status"], "conditions": changed}}

        return await self.update_status(seen, change)


def _head_of(definition: Definition) -> Definition:
    spec, metadata = definition.get("spec") or {}, definition["metadata"]
    annotations = {
        name: text for name, text in (metadata.get("annotations") or {}).items() if name != last_applied.ANNOTATION
    }
    kept = {name: value for name, value in metadata.items() if name != "managedFields"}
    versions = [
        {name: version[name] for name in ("name", "served", "storage") if name in version}
        for version in spec.get("versions") or ()
    ]
    return {**definition, "metadata": {**kept, "annotations": annotations}, "spec": {**spec, "versions": versions}}
