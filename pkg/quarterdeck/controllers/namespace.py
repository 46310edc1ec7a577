"""Empties namespaces that are being deleted, and lets them go.

Source: pkg/controller/namespace/deletion/{namespaced_resources_deleter,status_condition_utils}.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import qualify
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.builtin.namespace import FINALIZER
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Update, WriteContext
from quarterdeck.registry.strategy import Object

# How often a namespace whose objects wait for finalizers is looked at again.
RECHECK_S: Final = 1.0

_DONE: Final = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    ("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
)


class NamespaceController:
    """`namespaced_scopes()` gives the scope of every namespaced resource that is served right now."""

    def __init__(
        self, scope: Scope, status_scope: Scope, finalize_scope: Scope, namespaced_scopes: Callable[[], Iterable[Scope]]
    ) -> None:
        self._scope = scope
        self._status_scope = status_scope
        self._finalize_scope = finalize_scope
        self._namespaced_scopes = namespaced_scopes
        self.controller = Controller("namespace", self.sync)

    async def sync(self, name: str) -> None:
        entry = self._scope.store.cache.get("", name)
        if entry is None:
            return
        namespace = json_codec.load(entry.data)
        if not meta.deletion_timestamp(namespace):
            return
        if FINALIZER in (namespace.get("spec") or {}).get("finalizers", ()):
            remaining, finalizers = await self._empty(name)
            await self._report(name, remaining, finalizers)
            if remaining:
                self.controller.add_after(name, RECHECK_S)
                return
            await self._finalize(name)

    async def _empty(self, name: str) -> tuple[Counter[str], Counter[str]]:
        """Delete what is in the namespace. What remains, by resource and by finalizer."""
        remaining: Counter[str] = Counter()
        finalizers: Counter[str] = Counter()
        context = WriteContext(dry_run=False, warnings=[])
        for scope in self._namespaced_scopes():
            cache = scope.store.cache
            for entry in list(cache.state.range(name + "/")):
                try:
                    await scope.store.delete(scope, name, entry.name, Options(), context)
                except errors.NotFound:
                    continue
            for entry in cache.state.range(name + "/"):
                remaining[qualify(scope.resource.name, scope.resource.group)] += 1
                finalizers.update(meta.finalizers(json_codec.load(entry.data)))
        return remaining, finalizers

    async def _report(self, name: str, remaining: Counter[str], finalizers: Counter[str]) -> None:
        async def transform(live: Object | None) -> Object:
            assert live is not None
            status = dict(live.get("status") or {})
            status["conditions"] = build_conditions(status.get("conditions") or [], remaining, finalizers)
            return {**live, "metadata": dict(live["metadata"]), "status": status}

        await self._update(self._status_scope, name, transform)

    async def _finalize(self, name: str) -> None:
        async def transform(live: Object | None) -> Object:
            assert live is not None
            # A set, written in order (upstream: namespaced_resources_deleter.go, finalizeNamespace).
            finalizers = sorted({*(live["spec"].get("finalizers") or ())} - {FINALIZER})
            spec = {"finalizers": finalizers} if finalizers else {}
            return {**live, "metadata": dict(live["metadata"]), "spec": spec}

        await self._update(self._finalize_scope, name, transform)

    async def _update(self, scope: Scope, name: str, transform: Any) -> None:
        try:
            await scope.store.update(scope, "", name, Update(transform), WriteContext(dry_run=False, warnings=[]))
        except errors.NotFound:
            return


def build_conditions(
    existing: list[dict[str, Any]], remaining: Counter[str], finalizers: Counter[str]
) -> list[dict[str, Any]]:
    """The five conditions in upstream's order; a transition time moves only with its status."""
    before = {condition["type"]: condition for condition in existing}
    conditions = []
    for kind, reason, message in _DONE:
        status = "False"
        if kind == "NamespaceContentRemaining" and remaining:
            texts = [f"{resource} has {count} resource instances" for resource, count in sorted(remaining.items())]
            status, reason = "True", "SomeResourcesRemain"
            message = "Some resources are remaining: " + ", ".join(texts)
        elif kind == "NamespaceFinalizersRemaining" and finalizers:
            texts = [f"{finalizer} in {count} resource instances" for finalizer, count in sorted(finalizers.items())]
            status, reason = "True", "SomeFinalizersRemain"
            message = "Some content in the namespace has finalizers remaining: " + ", ".join(texts)
        old = before.pop(kind, None)
        time = old["lastTransitionTime"] if old is not None and old["status"] == status else clock.now()
        conditions.append(
            {"type": kind, "status": status, "lastTransitionTime": time, "reason": reason, "message": message}
        )
    return conditions + list(before.values())
