"""Puts the garbage collector together, and tells it which resources there are.

Source: pkg/controller/garbagecollector/garbagecollector.go (Sync), config (DefaultIgnoredResources).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.controllers.events import EventRecorder
from quarterdeck.controllers.garbage.collector import GarbageCollector
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.late import LateResources, is_ignored
from quarterdeck.controllers.garbage.local import LocalResource
from quarterdeck.controllers.remoteobjects import RemoteKind, RemoteObjects
from quarterdeck.registry.builtin.assembly import LateScopes
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import Cacher, ResourceCache


class Garbage:
    def __init__(self, events: EventRecorder) -> None:
        self._kinds = Kinds()
        self._prefixes: dict[str, str] = {}  # of the definitions that are followed
        self.collector = GarbageCollector(self._kinds, events)
        self._events = events

    def write_as(self, identity: Identity) -> None:
        self.collector.identity = self._events.identity = identity

    def follow_builtin(self, scopes: Iterable[Scope]) -> None:
        """Once, at the start; all kinds are known before the collector starts."""
        resources = [self._build(scope, frozenset((scope.resource.api_version,))) for scope in scopes]
        self._kinds.put("", resources)
        for resource in resources:
            if not is_ignored(resource.scope.resource):
                self._follow(resource)

    def follow_late(self, builtin: LateScopes, cacher: Cacher) -> None:
        """As `follow_builtin`, without asking for scopes that nobody has used: each resource is followed once the
        server has a cache of it, before which there is nothing of it."""
        late = LateResources(builtin, lambda: self.collector.identity)
        self._kinds.find_builtin = late.find

        def follow_made(cache: ResourceCache) -> None:
            resource = late.of(cache.prefix)
            if resource is not None:
                self.collector.feed.follow(resource, cache)

        for cache in cacher.caches():
            follow_made(cache)
        cacher.follow_made(follow_made)

    def follow_definition(self, name: str, served: ServedDefinition | None) -> None:
        """A definition is served so from now on; None: not any more."""
        if served is None:
            self._kinds.remove(name)
            prefix = self._prefixes.pop(name, None)
            if prefix is not None:
                self.collector.feed.unfollow(prefix)
            return
        scopes = [parts[""] for parts in served.scopes.values()]
        api_versions = frozenset(scope.resource.api_version for scope in scopes)
        self._kinds.put(name, [self._build(scope, api_versions) for scope in scopes])
        self._prefixes[name] = served.store.cache.prefix
        self._follow(self._build(served.storage_scope, api_versions))
        self.collector.retry_parked()

    def follow_remote(self, objects: RemoteObjects, kinds: Sequence[RemoteKind], *, is_whole: bool) -> None:
        """What the servers behind APIServices have; `is_whole` where all of them have told."""
        self.collector.remote.put(objects, kinds, is_whole=is_whole)

    def _build(self, scope: Scope, api_versions: frozenset[str]) -> LocalResource:
        return LocalResource(scope.resource, lambda: scope, api_versions, lambda: self.collector.identity)

    def _follow(self, resource: LocalResource) -> None:
        self.collector.feed.follow(resource, resource.scope.store.cache)
