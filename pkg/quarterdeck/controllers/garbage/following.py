"""Which resources of other servers are followed, and the circuit breakers of their servers.

Nothing here runs, and no object is looked at in another way, while there is no such resource.

Source: pkg/controller/garbagecollector/garbagecollector.go (Sync), graph_builder.go (syncMonitors).
Differs from upstream: what is final waits for the lists of resources that have just come too, and nothing else waits
for any.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from quarterdeck.controllers.garbage.circuitbreaker import CircuitBreaker
from quarterdeck.controllers.garbage.feed import Feed
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.reflector import Reflector
from quarterdeck.controllers.garbage.remote import Mirror, RemoteResource
from quarterdeck.controllers.remoteobjects import RemoteKind, RemoteObjects

# How long what is final waits for the lists of other servers (upstream: the initial sync's timeout).
SETTLING_S: Final = 30.0


class RemoteFollower:
    """`on_more` is called when more kinds are known than before."""

    def __init__(self, feed: Feed, kinds: Kinds, on_more: Callable[[], None]) -> None:
        self._feed = feed
        self._kinds = kinds
        self._on_more = on_more
        self._objects: RemoteObjects | None = None
        self._told: Sequence[RemoteKind] = ()
        self._is_whole = True
        self._is_started = False
        self._breakers: dict[str, CircuitBreaker] = {}
        self._mirrors: dict[tuple[str, str], Mirror] = {}
        self._followed: dict[RemoteKind, tuple[RemoteResource, Reflector]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._settling_until_s = 0.0

    @property
    def has_any(self) -> bool:
        return bool(self._breakers)

    @property
    def is_settling(self) -> bool:
        """There may be dependents that other servers are still to tell of."""
        if self._is_whole and all(reflector.is_listed for _, reflector in self._followed.values()):
            return False
        return asyncio.get_running_loop().time() < self._settling_until_s

    def put(self, objects: RemoteObjects, kinds: Sequence[RemoteKind], *, is_whole: bool) -> None:
        """What other servers have, as far as it is known: `is_whole` where they all have told."""
        is_news = self._is_whole and not is_whole
        self._objects, self._told, self._is_whole = objects, kinds, is_whole
        if self._is_started:
            self._apply(is_news=is_news)

    def start(self) -> None:
        self._is_started = True
        self._apply(is_news=not self._is_whole)

    def wake(self, service: str) -> None:
        """Something is new about an APIService."""
        breaker = self._breakers.get(service)
        if breaker is not None:
            breaker.wake()

    def hold(self) -> None:
        """What is followed stays so; what is new is taken up at the start."""
        self._is_started = False

    async def stop(self) -> None:
        self._is_started = False
        self._told = ()
        self._apply(is_news=False)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _apply(self, *, is_news: bool) -> None:
        wanted = set(self._told)
        gone = [kind for kind in self._followed if kind not in wanted]
        for kind in gone:
            self._unfollow(kind)
        resources = self._build()
        self._kinds.put_remote(resources)
        new = [each for each in resources if each.what.is_followed and each.what not in self._followed]
        if new or is_news:
            self._settling_until_s = asyncio.get_running_loop().time() + SETTLING_S
        for resource in new:
            reflector = Reflector(resource, self._feed)
            self._followed[resource.what] = resource, reflector
            self._feed.resources[resource.key] = resource
            reflector.start()
        self._close_unused()
        if resources:
            self._on_more()

    def _build(self) -> list[RemoteResource]:
        """A resource that is followed already stays, so that objects are written in one way."""
        api_versions = defaultdict(set)
        for kind in self._told:
            api_versions[kind.group, kind.resource].add(kind.api_version)
        found = []
        for kind in self._told:
            assert self._objects is not None
            name = kind.group, kind.resource
            versions = frozenset(api_versions[name])
            known = self._followed.get(kind)
            if known is not None:
                known[0].api_versions = versions
                found.append(known[0])
                continue
            breaker = self._breakers.setdefault(kind.service, CircuitBreaker(kind.service))
            found.append(RemoteResource(kind, versions, self._objects, breaker, self._mirrors.setdefault(name, {})))
        return found

    def _unfollow(self, kind: RemoteKind) -> None:
        resource, reflector = self._followed.pop(kind)
        task = reflector.stop()
        if task is not None:
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._feed.drop(resource.key, resource.mirror)
        self._mirrors.pop((kind.group, kind.resource), None)

    def _close_unused(self) -> None:
        services = {kind.service for kind in self._told}
        for name in [name for name in self._breakers if name not in services]:
            self._breakers.pop(name).close()
        resources = {(kind.group, kind.resource) for kind in self._told}
        for resource in [resource for resource in self._mirrors if resource not in resources]:
            del self._mirrors[resource]
