"""What it costs to know who sends a request, by what it brings and what is remembered of that.

    python bench/micro/bench_authentication.py

CPU microseconds of one request: the next one of a connection, the first one of a new connection with a token that the
server has judged within ten seconds (a hit of the cache), and one whose signature has to be verified.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.cache import CacheMetrics, TokenCache
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import Agnostic, TokenUnion
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request
from support.issuer import Key
from support.oidc_world import World

ROUNDS = 5
SECONDS = 0.3


def measure(step: Callable[[], object]) -> float:
    """The best of several rounds, in µs."""
    best = float("inf")
    for _ in range(ROUNDS):
        count, begin = 0, time.process_time()
        while time.process_time() - begin < SECONDS:
            for _ in range(100):
                step()
            count += 100
        best = min(best, (time.process_time() - begin) / count)
    return best * 1e6


async def run(algorithm: str) -> None:
    world = World(Key(algorithm))
    await world.begin()
    token = world.issuer.issue(groups=["a", "b"], jti="1")
    await world.ask(token)  # the key is known from here on
    kinds = TokenUnion([Agnostic(TokenFile({"other": User("x")}), ["api"]), Agnostic(world.issuers, ["api"])])
    cache = TokenCache(kinds, CacheMetrics(Registry()))
    remembering = Authenticator([BearerMethod(cache, ["api"])])
    forgetting = Authenticator([BearerMethod(kinds, ["api"])])
    kept = ConnectionInfo("", is_secure=True)

    def ask(authenticator: Authenticator, connection: ConnectionInfo | None = None) -> None:
        where = connection or ConnectionInfo("", is_secure=True)
        authenticator.authenticate(Request("GET", "/", "", {"authorization": f"Bearer {token}"}, b"", where), [])

    print(f"{algorithm}, a token of {len(token)} bytes")
    print(f"  the next request of a connection  {measure(lambda: ask(remembering, kept)):7.2f} µs")
    print(f"  a new connection, a cached token  {measure(lambda: ask(remembering)):7.2f} µs")
    print(f"  the cache alone                   {measure(lambda: cache.authenticate_for(token, ('api',))):7.2f} µs")
    print(f"  a token that is verified          {measure(lambda: ask(forgetting)):7.2f} µs")
    world.issuers.stop()


if __name__ == "__main__":
    for each in ("RS256", "ES256"):
        asyncio.run(run(each))
