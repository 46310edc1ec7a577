"""Keeps a local APIService for each version of a group that is served: built-in ones once at the start, those of
definitions as long as one of them serves the version.

An APIService without the automanaged label belongs to a user and is left alone.
Source: pkg/controlplane/controller/crdregistration/crdregistration_controller.go,
kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any, Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apis import priorities
from quarterdeck.apis.priorities import Priority
from quarterdeck.controllers.definitions import MANAGER, Definition
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.storage.cacher import Change

LABEL: Final = "kube-aggregator.kubernetes.io/automanaged"
ON_START: Final = "onstart"
CONTINUOUSLY: Final = "true"
_WORKERS: Final = 5
DEFINITION_PRIORITY: Final = Priority(1000, 100)


class CRDRegistrationController(Settling):
    """`scope` is that of apiservices, `builtin` the versions of groups that the server has of its own.

    `_names_of`: definition → the APIServices of its served versions. `_served_by` is the same the other way round.
    """

    def __init__(self, scope: Scope, builtin: Iterable[tuple[str, str]], clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._scope = scope
        self._cache = scope.store.cache
        self._names_of: dict[str, frozenset[str]] = {}
        self._served_by: dict[str, set[str]] = {}
        self._builtin: dict[str, tuple[str, str]] = {}
        self._found: frozenset[str] = frozenset()  # were there at the start
        self._done: set[str] = set()  # of the built-in ones: once is enough
        self.serve(frozenset(builtin))
        self.controller = Controller("autoregister", self.sync, workers=_WORKERS, clock=clock)

    def check(self) -> str | None:
        """Which of the built-in APIServices have yet to be made; None: none. (upstream: autoregister-completion)"""
        missing = [
            name
            for name, group_version in self._builtin.items()
            if priorities.find(*group_version) is not None
            and name not in self._done
            and self._cache.get("", name) is None
        ]
        return f"missing APIService: [{' '.join(sorted(missing))}]" if missing else None

    def serve(self, versions: Set[tuple[str, str]]) -> None:
        """These versions are what the server has of its own, stored or not. To be called before all else."""
        self._builtin = {f"{version}.{group}": (group, version) for group, version in sorted(versions)}

    def take_up(self) -> None:
        """To be called when all definitions are known: queue the APIServices that were left, then follow them."""
        self._found = frozenset(entry.name for entry in self._cache.state.all())
        if self.is_settled:
            self._done.update(self._builtin)
        else:
            for name in (*self._builtin, *sorted(self._found)):
                self.controller.add(name)
        self._cache.listeners.append(self._on_api_service)

    def _on_api_service(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None:
            self.controller.add(entry.name)

    def follow(self, name: str, definition: Definition | None) -> None:
        """Take note of a definition as it is now, None for one that is gone."""
        after: frozenset[str] = frozenset()
        if definition is not None:
            spec = definition["spec"]
            after = frozenset(f"{one['name']}.{spec['group']}" for one in spec["versions"] if one["served"])
        before = self._names_of.get(name, frozenset())
        for gone in sorted(before - after):
            self._served_by[gone].discard(name)
            if not self._served_by[gone]:
                del self._served_by[gone]
                self.controller.add(gone)
        for new in sorted(after - before):
            self._served_by.setdefault(new, set()).add(name)
            self.controller.add(new)
        if after:
            self._names_of[name] = after
        else:
            self._names_of.pop(name, None)

    async def sync(self, name: str) -> None:
        """`name` is version.group. The cases are those of upstream's checkAPIService."""
        wanted = self._wanted(name)
        is_on_start = _managed(wanted) == ON_START
        if is_on_start and name in self._done:
            return
        entry = self._cache.get("", name)
        if entry is None:
            if wanted is not None:
                await self._create(wanted)
        else:
            await self._adjust(name, json_codec.load(entry.data), wanted)
        if is_on_start:
            self._done.add(name)

    async def _adjust(self, name: str, current: Object, wanted: Object | None) -> None:
        managed = _managed(current)
        if managed not in (ON_START, CONTINUOUSLY) or (managed == ON_START and name not in self._found):
            return
        if wanted is None:
            try:
                await self.identity.delete(self._scope, "", name, Options())
            except errors.NotFound:
                return
        elif current.get("spec") != wanted["spec"]:
            await self._update(name, wanted)

    def _wanted(self, name: str) -> Object | None:
        group_version = self._builtin.get(name)
        if group_version is not None:
            priority = priorities.find(*group_version)
            return _build(name, group_version, priority, ON_START) if priority is not None else None
        if name not in self._served_by:
            return None
        version, _, group = name.partition(".")
        return _build(name, (group, version), DEFINITION_PRIORITY, CONTINUOUSLY)

    async def _create(self, obj: Object) -> None:
        self._scope.codec.normalize(obj, report_unknown=False)
        self._scope.own(None, obj, MANAGER)
        await self.identity.create(self._scope, obj)

    async def _update(self, name: str, wanted: Object) -> None:
        async def transform(live: Object | None) -> Object:
            assert live is not None
            new = {**copy_object(live), "spec": wanted["spec"]}
            self._scope.own(live, new, MANAGER)
            return new

        try:
            await self.identity.update(self._scope, "", name, transform)
        except errors.NotFound:
            return  # its deletion brings the name again


def _build(name: str, group_version: tuple[str, str], priority: Priority, managed: str) -> dict[str, Any]:
    group, version = group_version
    spec: dict[str, Any] = {"group": group} if group else {}
    spec |= {"version": version, "groupPriorityMinimum": priority.group, "versionPriority": priority.version}
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": name, "labels": {LABEL: managed}},
        "spec": spec,
    }


def _managed(obj: Object | None) -> str:
    return meta.labels(obj).get(LABEL, "") if obj is not None else ""
