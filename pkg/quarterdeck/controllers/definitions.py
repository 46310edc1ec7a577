"""What the controllers of CustomResourceDefinitions share: reading one, and writing its status as the server does.

Controllers look at names and conditions, never at schemas, and schemas are nearly all of a definition's bytes. So what
they read is the definition without them, decoded once a change; it is shared and must not be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.conditions import Condition
from quarterdeck.apiextensions.schemas import load_without_schemas
from quarterdeck.apiextensions.served import Scopes
from quarterdeck.apiextensions.statuscodec import StatusCodec
from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import last_applied
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

MANAGER: Final = "kube-apiserver"
_ADMISSION: Final = "admissionregistration.k8s.io"
_JUDGES: Final = frozenset((
    "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "mutatingadmissionpolicies",
    "validatingadmissionpolicies",
))  # fmt: skip

Definition = dict[str, Any]


class _Outdated(Exception):
    """The stored definition has changed since it was judged."""


def judges_of(builtin: Mapping[tuple[str, str, str], Scopes]) -> list[ResourceCache]:
    """What may ask to be shown each write: webhooks and policies."""
    return [
        scopes[""].store.cache
        for (group, _, name), scopes in builtin.items()
        if group == _ADMISSION and name in _JUDGES
    ]


class Definitions:
    """`status_scope` is the scope of customresourcedefinitions/status. Where there is nothing in any of the caches
    `judges`, writes are shown to no one."""

    def __init__(self, status_scope: Scope, judges: Sequence[ResourceCache] = ()) -> None:
        self.identity = UNADMITTED
        self._judges = judges
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
        """Store what `change` makes of the definition that was judged; it is given one that may have null for its
        schemas, and leaves its spec as it is. False: it is gone or has changed since. Then nothing is stored; the
        change brings its key to the controllers again."""
        name, revision = seen["metadata"]["name"], seen["metadata"]["resourceVersion"]

        async def transform(live: Object | None) -> Object:
            if live is None or live["metadata"]["resourceVersion"] != revision:
                raise _Outdated
            new = copy_object(change(live))
            self._scope.own(live, new, MANAGER)
            return new

        try:
            if any(len(cache.state) for cache in self._judges):
                await self.identity.update(self._scope, "", name, transform)
            else:  # no plugin of the server's own looks into a definition
                scope = replace(self._scope, codec=StatusCodec(self._scope.codec))
                await UNADMITTED.update(scope, "", name, transform)
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
