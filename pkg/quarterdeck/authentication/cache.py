"""What bearer tokens came to lately, by their keyed digests: a token that comes again is not judged again for a while.

    unknown ──judged──> kept for the TTL of its outcome ──too old, or not current any more──> unknown

An entry is good as long as its own identity says so at each use (`is_current`): who is deleted is refused at once.
Differs from upstream: there a token whose service account, pod, secret or node is gone stays good for its TTL.
The key of the digests is made anew by each server, so that they tell nothing to who reads them, and cannot be chosen.
Several requests with one token that has to be asked for elsewhere wait for one answer.

Upstream: authentication/token/cache (cached_token_authenticator.go), whose metrics these are.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from quarterdeck.apimachinery import clock
from quarterdeck.authentication.interface import AudienceTokenMethod, BadToken, Found, Identity, MaybeLater
from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Registry

SUCCESS_S: Final = 10.0
ENTRIES_MAX: Final = 8192
_LOOKUP_S: Final = 30.0  # one that several wait for ends by then
_DIGEST_BYTES: Final = 32


class _Entry(NamedTuple):
    """`problems`: why the token is bad, None where it is not. `until_s` on the monotonic clock."""

    found: Found
    problems: tuple[str, ...] | None
    until_s: float


class CacheMetrics:
    """Shared by all caches of one server."""

    def __init__(self, registry: Registry) -> None:
        count = registry.counter("authentication_token_cache_request_total", "[ALPHA]", ("status",))
        self.hits, self.misses = count.labels("hit"), count.labels("miss")
        fetched = registry.counter("authentication_token_cache_fetch_total", "[ALPHA]", ("status",))
        self.fetched, self.failed = fetched.labels("ok"), fetched.labels("error")
        active = registry.gauge("authentication_token_cache_active_fetch_count", "[ALPHA]", ("status",))
        self.in_flight, self.blocked = active.labels("in_flight"), active.labels("blocked")
        took = registry.histogram(
            "authentication_token_cache_request_duration_seconds", "[ALPHA]", bounds.DEFAULT, ("status",)
        )
        self.took_hit, self.took_miss = took.labels("hit"), took.labels("miss")


class TokenCache:
    """`keeps_errors`: a token that is bad is kept as long as one that nobody knows. A TTL of 0 keeps nothing."""

    def __init__(
        self,
        kind: AudienceTokenMethod,
        metrics: CacheMetrics,
        *,
        success_s: float = SUCCESS_S,
        failure_s: float = 0.0,
        keeps_errors: bool = True,
        entries_max: int = ENTRIES_MAX,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kind = kind
        self._metrics = metrics
        self._success_s = success_s
        self._failure_s = failure_s
        self._keeps_errors = keeps_errors
        self._entries_max = entries_max
        self._clock = clock
        self._key = secrets.token_bytes(_DIGEST_BYTES)
        self._entries: dict[bytes, _Entry] = {}
        self._running: dict[bytes, asyncio.Task[Found]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Every token is judged anew; what is asked for at this time is not kept."""
        self._entries.clear()
        self._running.clear()

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        begin_s = self._clock()
        digest = self._digest(token, audiences)
        entry = self._entries.get(digest)
        if entry is not None:
            if begin_s < entry.until_s and _is_current(entry.found):
                self._metrics.hits.inc()
                self._metrics.took_hit.observe(self._clock() - begin_s)
                if entry.problems is not None:
                    raise BadToken(*entry.problems)
                return entry.found
            del self._entries[digest]
        self._metrics.misses.inc()
        running = self._running.get(digest)
        if running is not None:
            return self._wait(running, begin_s)
        return self._fetch(digest, token, audiences, begin_s)

    def _fetch(self, digest: bytes, token: str, audiences: Sequence[str], begin_s: float) -> MaybeLater:
        try:
            found = self._kind.authenticate_for(token, audiences)
        except BadToken as error:
            self._note(digest, None, error)
            raise
        finally:
            self._metrics.took_miss.observe(self._clock() - begin_s)
        if found is None or isinstance(found, Identity):
            self._note(digest, found, None)
            return found
        task = asyncio.ensure_future(self._fetch_later(digest, found))
        self._running[digest] = task
        task.add_done_callback(lambda done: self._forget(digest, done))
        return self._wait(task, begin_s)

    async def _fetch_later(self, digest: bytes, waiting: Awaitable[Found]) -> Found:
        """It goes on where the request that began it is given up: others may wait for it."""
        self._metrics.in_flight.inc()
        try:
            async with asyncio.timeout(_LOOKUP_S):
                found = await waiting
        except TimeoutError:
            self._metrics.failed.inc()
            raise BadToken("context deadline exceeded") from None
        except BadToken as error:
            self._keep(digest, None, error)
            raise
        finally:
            self._metrics.in_flight.dec()
        self._keep(digest, found, None)
        return found

    async def _wait(self, task: asyncio.Task[Found], begin_s: float) -> Found:
        self._metrics.blocked.inc()
        try:
            return await asyncio.shield(task)
        finally:
            self._metrics.blocked.dec()
            self._metrics.took_miss.observe(self._clock() - begin_s)

    def _forget(self, digest: bytes, task: asyncio.Task[Found]) -> None:
        if self._running.get(digest) is task:
            del self._running[digest]
        if not task.cancelled():
            task.exception()  # whoever waited has it; nobody may

    def _keep(self, digest: bytes, found: Found, error: BadToken | None) -> None:
        """Not what was asked for before `clear`."""
        if self._running.get(digest) is asyncio.current_task():
            self._note(digest, found, error)

    def _note(self, digest: bytes, found: Found, error: BadToken | None) -> None:
        (self._metrics.fetched if error is None else self._metrics.failed).inc()
        ttl_s = self._failure_s if found is None else self._success_s
        if ttl_s <= 0 or (error is not None and not self._keeps_errors):
            return
        if len(self._entries) >= self._entries_max:
            del self._entries[next(iter(self._entries))]  # the oldest
        problems = None if error is None else error.texts
        self._entries[digest] = _Entry(found, problems, self._clock() + ttl_s)

    def _digest(self, token: str, audiences: Sequence[str]) -> bytes:
        """Of parts with their lengths, so that no two lists of parts are one text."""
        parts = [token, *audiences]
        text = "".join([f"{len(part)}:{part}" for part in parts])
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=self._key).digest()


def _is_current(found: Found) -> bool:
    if found is None:
        return True
    return found.expires_at > clock.wall_s() and (found.is_current is None or found.is_current())
