"""Empties namespaces that are being deleted, and lets them go: pods first, then all else.

Nothing is remembered from one look at a namespace to the next: after a restart each that is Terminating is looked at.

Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import clock, errors, meta
from quarterdeck.apimachinery import time as times
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.concurrency import for_each
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.namespaceconditions import NamespaceContent, build_conditions, describe_left
from quarterdeck.controllers.optional.context import MANAGER, follow
from quarterdeck.controllers.remotecontents import RemoteCollection, RemoteResourcesDeleter
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.core.namespace import FINALIZER
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry, build_selection

# How often a namespace whose objects wait for finalizers is looked at again.
RECHECK_S: Final = 1.0
_WORKERS: Final = 4
# A namespace is tried again at least once a minute (upstream: nsControllerRateLimiter).
_RETRY_MAX_S: Final = 60.0
PODS: Final = ("", "pods")
# Nobody orphans what is in a namespace that goes, whatever its finalizers ask for.
_DELETION: Final = Options(propagation_policy="Background")


class ContentError(Exception):
    """Not all could be deleted: the namespace comes again, later each time."""


class NamespaceController:
    """`namespaced_scopes()` gives the scope of every namespaced resource that is served right now. `remote`: what
    other servers hold; None where there are none."""

    def __init__(
        self,
        scope: Scope,
        status_scope: Scope,
        finalize_scope: Scope,
        namespaced_scopes: Callable[[], Iterable[Scope]],
        clock: Clock | None = None,
    ) -> None:
        self.identity = UNADMITTED
        self._scope = scope
        self._status_scope = status_scope
        self._finalize_scope = finalize_scope
        self._namespaced_scopes = namespaced_scopes
        self.remote: RemoteResourcesDeleter | None = None
        # Where resources are in several stores: waits until all is known that there was.
        self.catch_up: Callable[[], Awaitable[None]] | None = None
        self.delay_s = 0.0  # from the deletion until it is emptied
        self.controller = Controller(
            "namespace", self._sync_here, workers=_WORKERS, clock=clock, retry_max_s=_RETRY_MAX_S
        )
        # What waits for other servers has workers of its own, so that it holds up nothing else.
        self.waiting = Controller(
            "namespace-elsewhere", self.sync, workers=_WORKERS, clock=clock, retry_max_s=_RETRY_MAX_S
        )

    def queues(self) -> tuple[Controller, ...]:
        return self.controller, self.waiting

    def follow(self) -> None:
        """Work on every namespace under deletion, and again a while after each of its changes."""
        cache = self._scope.store.cache
        for entry in cache.state.all():
            self._add(entry)
        follow(cache, self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.entry is not None:
            self._add(change.entry)

    def _add(self, entry: Entry) -> None:
        # Differs from upstream: it waits for 5 s, since other servers have to hear of the deletion first.
        if not meta.deletion_timestamp(json_codec.load(entry.data)):
            return
        if self.delay_s:
            self.controller.add_after(entry.name, self.delay_s)
        else:
            self.controller.add(entry.name)

    async def _sync_here(self, name: str) -> None:
        """Where other servers have objects in namespaces, empty what is here, and leave all that remains to others."""
        if self.remote is None or not self.remote.resources():
            await self.sync(name)
            return
        if self._is_to_be_emptied(name):
            await self._empty_here(name, NamespaceContent())
            if self.controller.is_running and not self.waiting.is_running:
                self.waiting.start()
            self.waiting.add(name)

    def _is_to_be_emptied(self, name: str) -> bool:
        entry = self._scope.store.cache.get("", name)
        namespace = json_codec.load(entry.data) if entry is not None else {}
        # Whoever waits for it: what is in it goes as long as somebody does.
        is_waiting = (namespace.get("spec") or {}).get("finalizers")
        return bool(is_waiting and meta.deletion_timestamp(namespace))

    async def sync(self, name: str) -> None:
        if self._is_to_be_emptied(name):
            if self.catch_up is not None:
                await self.catch_up()
            content = await self._empty(name)
            await self._report(name, content)
            if content.failures or content.undiscovered:
                raise ContentError("; ".join((*content.undiscovered, *content.failures)))
            if content.remaining:
                self.controller.add_after(name, RECHECK_S)
                return
            await self._finalize(name)

    async def _empty(self, name: str) -> NamespaceContent:
        content = NamespaceContent()
        if self.remote is not None:
            content.undiscovered = self.remote.undiscovered()
        if not await self._empty_here(name, content):
            return content
        for resource in self.remote.resources() if self.remote is not None else ():
            await _empty_remote(resource, name, content)
        return content

    async def _empty_here(self, name: str, content: NamespaceContent) -> bool:
        """Delete what this server has in the namespace. While pods are left nothing else is touched, here or elsewhere:
        they may need it to end. False: that is so."""
        scopes = list(self._namespaced_scopes())
        pods = [scope for scope in scopes if (scope.resource.group, scope.resource.name) == PODS]
        for scope in pods:
            await self._empty_of(scope, name, content)
        if content.remaining:
            content.waits_for_pods = True
            return False
        for scope in scopes:
            if scope not in pods:
                await self._empty_of(scope, name, content)
        return True

    async def _empty_of(self, scope: Scope, name: str, content: NamespaceContent) -> None:
        cache = scope.store.cache

        async def delete(entry: Entry) -> None:
            with suppress(errors.NotFound):
                await self.identity.delete(scope, name, entry.name, _DELETION)

        entries = list(cache.state.range(name + "/"))
        if not entries and not cache.damaged:
            return  # as nearly all resources in nearly all namespaces
        try:
            await for_each(entries, delete, at_once=scope.store.deletions_at_once)
            cache.check_readable(build_selection(name))
        except errors.APIStatus as error:
            content.failures.append(error.message)
            return  # what could not be deleted is not told as remaining
        left = list(cache.state.range(name + "/"))
        if not left:
            return
        # Upstream writes the dot where the group has no name too.
        content.remaining[f"{scope.resource.name}.{scope.resource.group}"] += len(left)
        holding = [finalizer for entry in left for finalizer in meta.finalizers(json_codec.load(entry.data))]
        content.finalizers.update(holding)
        resource = scope.resource
        is_pods = (resource.group, resource.name) == PODS
        if not holding and not (is_pods and self._may_end(name, entries)):
            content.unexpected.append(describe_left(name, resource.group, resource.version, resource.name))

    def _may_end(self, name: str, pods: list[Entry]) -> bool:
        """Whether the longest time that a pod is given has not passed since the namespace was deleted."""
        grace_s = max(0, *map(_grace_s, pods))
        entry = self._scope.store.cache.get("", name)
        deleted = meta.deletion_timestamp(json_codec.load(entry.data)) if entry is not None else ""
        deleted_s = times.parse_rfc3339(deleted)
        return deleted_s is not None and clock.wall_s() - deleted_s < grace_s

    async def _report(self, name: str, content: NamespaceContent) -> None:
        def change(live: Object) -> Object:
            status = dict(live.get("status") or {})
            status["conditions"] = build_conditions(status.get("conditions") or [], content)
            return {**live, "status": status}

        await self._update(self._status_scope, name, change)

    async def _finalize(self, name: str) -> None:
        def change(live: Object) -> Object:
            # A set, written in order (upstream: namespaced_resources_deleter.go, finalizeNamespace).
            finalizers = sorted({*(live["spec"].get("finalizers") or ())} - {FINALIZER})
            return {**live, "spec": {"finalizers": finalizers} if finalizers else {}}

        await self._update(self._finalize_scope, name, change)

    async def _update(self, scope: Scope, name: str, change: Callable[[Object], Object]) -> None:
        with suppress(errors.NotFound):
            await ownwrites.update(self.identity, scope, "", name, change, MANAGER)


async def _empty_remote(resource: RemoteCollection, name: str, content: NamespaceContent) -> None:
    try:
        left = await resource.empty(name)
    except errors.APIStatus as error:
        content.failures.append(error.message)
        return
    if left.count:
        content.remaining[resource.name] += left.count
        content.finalizers.update(left.finalizers)
        if not left.finalizers:
            content.unexpected.append(describe_left(name, *resource.gvr))


def _grace_s(entry: Entry) -> int:
    pod = json_codec.load(entry.data)
    has_ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return 0 if has_ended else int(pod["spec"].get("terminationGracePeriodSeconds") or 0)
