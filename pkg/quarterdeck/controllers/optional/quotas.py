"""Tells in the status of quotas what is used: when a quota is new or limits something else, when objects go or use
less, and again every five minutes.

What is added is charged by admission, before it is stored. As upstream, what is charged and not stored yet is not seen
by a count that happens just then.

Source: pkg/controller/resourcequota/{resource_quota_controller,resource_quota_monitor}.go,
pkg/quota/v1/install/{registry,update_filter}.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck.admission.plugins.quota.evaluators import Evaluator
from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apimachinery import errors, podamounts
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, read, split
from quarterdeck.controllers.optional.quotausage import Counted, QuotaUsage, Resource, find_names
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, ResourceCache

RESYNC_S: Final = 300.0
SETTLING_S: Final = 0.1  # what changes in this time is told in one write
_WORKERS: Final = 5
# Of these an object may use less, or something else, without going.
_CHANGING: Final = frozenset(
    (("", "pods"), ("", "services"), ("", "persistentvolumeclaims"), ("resource.k8s.io", "resourceclaims"))
)
_ALL: Final = ""  # the key that counts all quotas again


class _Followed(NamedTuple):
    cache: ResourceCache
    evaluator: Evaluator
    listener: Any


class ResourceQuotaController:
    """Keys are the paths of quotas."""

    def __init__(self, context: ControllerContext) -> None:
        self._quotas = context.scope("", "resourcequotas")
        self._status = context.scope("", "resourcequotas", "status")
        self._namespaced = context.namespaced
        self._evaluators = context.dependencies.evaluators()
        self._identity = context.identity_of("resourcequota-controller")
        self._followed: dict[Resource, _Followed] = {}
        self._usages: dict[str, dict[str, QuotaUsage]] = {}  # by namespace and name
        self._to_count: set[str] = set()
        self.controller = Controller("resourcequota_primary", self.sync, workers=_WORKERS, clock=context.clock)
        context.on_definition.append(self._on_definition)

    def take_up(self) -> None:
        for scope in self._namespaced():
            self._follow(scope)
        follow(self._quotas.store.cache, self._on_quota)
        self.controller.add(_ALL)

    # - what changes

    def _follow(self, scope: Scope) -> None:
        resource, cache = (scope.resource.group, scope.resource.name), scope.store.cache
        evaluator = self._evaluators.find(scope.resource)
        known = self._followed.get(resource)
        if evaluator is None or (known is not None and known.cache is cache):
            return
        self._unfollow(resource)
        listener = partial(self._on_change, resource)
        self._followed[resource] = _Followed(cache, evaluator, listener)
        cache.listeners.append(listener)

    def _unfollow(self, resource: Resource) -> None:
        known = self._followed.pop(resource, None)
        if known is not None:
            known.cache.listeners.remove(known.listener)

    def _on_definition(self, name: str, served: ServedDefinition | None) -> None:
        if served is None:
            plural, _, group = name.partition(".")
            self._unfollow((group, plural))
        elif served.storage_scope.resource.namespaced:
            self._follow(served.storage_scope)
            self._count_those_about(served.storage_scope)

    def _count_those_about(self, scope: Scope) -> None:
        """Quotas may limit what was not served until now."""
        name = f'"count/{scope.resource.name}.{scope.resource.group}"'.encode()
        for entry in self._quotas.store.cache.state.all():
            if name in entry.data:
                self._count_again(entry.path)

    def _on_change(self, resource: Resource, change: Change) -> None:
        entry = change.entry or change.old
        usages = self._usages.get(entry.namespace) if entry is not None else None
        if not usages or entry is None:
            return
        is_update = change.old is not None and change.entry is not None
        if is_update and resource not in _CHANGING:
            return
        for name, usage in usages.items():
            if resource in usage.counted:
                # What was never read may have been charged with more.
                is_less = change.entry is None or (is_update and (resource, entry.name) in usage.dirty)
                usage.is_stale |= is_less
                usage.dirty[resource, entry.name] = None
                self.controller.add_soon(f"{entry.namespace}/{name}", SETTLING_S)

    def _on_quota(self, change: Change) -> None:
        if change.entry is None:
            if change.old is not None:
                self._forget(change.old.namespace, change.old.name)
        elif change.old is None or _limits(read(change.old)) != _limits(read(change.entry)):
            self._count_again(change.entry.path)

    def _count_again(self, path: str) -> None:
        self._to_count.add(path)
        self.controller.add(path)

    def _forget(self, namespace: str, name: str) -> None:
        self._to_count.discard(f"{namespace}/{name}")
        usages = self._usages.get(namespace, {})
        usages.pop(name, None)
        if not usages:
            self._usages.pop(namespace, None)

    # - the work

    async def sync(self, path: str) -> None:
        if path == _ALL:
            for entry in self._quotas.store.cache.state.all():
                self._count_again(entry.path)
            self.controller.add_after(_ALL, RESYNC_S)
            return
        namespace, name = split(path)
        quota = find(self._quotas, namespace, name)
        if quota is None:
            self._forget(namespace, name)
            return
        usage = await self._bring_up_to_date(path, quota)
        if usage.is_stale:
            await self._write(usage, namespace, name)

    async def _write(self, usage: QuotaUsage, namespace: str, name: str) -> None:
        usage.is_stale = False
        try:
            await ownwrites.update(self._identity, self._status, namespace, name, partial(_tell, usage), MANAGER)
        except errors.NotFound:
            return
        except Exception:
            usage.is_stale = True
            raise

    async def _bring_up_to_date(self, path: str, quota: Object) -> QuotaUsage:
        namespace, name = split(path)
        usage = self._usages.get(namespace, {}).get(name)
        if usage is not None and path not in self._to_count and usage.uid == quota["metadata"]["uid"]:
            await usage.catch_up()
            return usage
        self._to_count.discard(path)
        usage = QuotaUsage(quota, self._find_counted(quota))
        self._usages.setdefault(namespace, {})[name] = usage
        await usage.count()
        return usage

    def _find_counted(self, quota: Object) -> dict[Resource, Counted]:
        limits = _limits(quota)
        found: dict[Resource, Counted] = {}
        for resource, followed in self._followed.items():
            if names := find_names(followed.evaluator, limits):
                found[resource] = Counted(followed.cache, followed.evaluator, names)
        return found


def _limits(quota: Object) -> dict[str, str]:
    return quota["spec"].get("hard") or {}


def _tell(usage: QuotaUsage, live: Object) -> Object:
    """Nothing where it says so already, or is another one or limits something else by now, which is counted again."""
    if live["metadata"]["uid"] != usage.uid:
        return live
    usage.catch_up_now()
    hard, status = _limits(live), live.get("status") or {}
    known = status.get("used") or {}
    used = {name: amount for name, amount in (known | usage.total()).items() if name in hard}
    is_told = "hard" in status and "used" in status
    if is_told and _equal(hard, status["hard"]) and _equal(used, status["used"]):
        return live
    return {**live, "status": {**status, "hard": dict(hard), "used": used}}


def _equal(left: dict[str, str], right: dict[str, str]) -> bool:
    return podamounts.parse(left) == podamounts.parse(right)
