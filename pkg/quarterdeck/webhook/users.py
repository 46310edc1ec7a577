"""As whom webhooks of admission are called: users of a kubeconfig, by the host and port that a webhook has.

    users:
    - name: hooks.shop.svc          # a service, at port 443; others as hooks.shop.svc:8443
    - name: "*.example.com:9443"    # all hosts below
    - name: "*"                     # all others

Source: apiserver/pkg/util/webhook/authentication.go (clientConfig).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook import kubeconfig
from quarterdeck.webhook.client import Call, ServiceResolver, WebhookClient
from quarterdeck.webhook.config import HTTPS_PORT
from quarterdeck.webhook.kubeconfig import User

_TRUSTS_MAX: Final = 200


class Users:
    """`current` is who has to do where nobody is named for a host."""

    def __init__(self, named: Mapping[str, User], current: User | None) -> None:
        self._named = named
        self._current = current
        self._trust_with = lru_cache(maxsize=_TRUSTS_MAX)(Trust)

    def find(self, authority: str) -> User | None:
        """Of a webhook at `host`, which is the same as `host:443`, or `host:port`."""
        host, colon, port = authority.rpartition(":")
        if not colon or authority.endswith("]"):
            host, port = authority, str(HTTPS_PORT)
        places = [f"{host}:{port}", host] if port == str(HTTPS_PORT) else [authority]
        for place in places:
            for name in _names(place):
                if name in self._named:
                    return self._named[name]
        return self._named.get("*", self._current)

    def sign(self, call: Call) -> Call:
        """The call as the user who is named for it."""
        target = call.target
        user = self.find(target.authority)
        if user is None:
            return call
        trusted = target.trusted
        if user.own is not None and trusted is not None:
            target = target._replace(trusted=self._trust_with(trusted.bundle, user.own))
        return call._replace(target=target, headers={**call.headers, **user.credentials.headers()})


def _names(place: str) -> Iterator[str]:
    """Under which a place may be named, the closest first."""
    yield place
    steps = place.split(".")
    for begin in range(1, len(steps)):
        yield f"*.{'.'.join(steps[begin:])}"


def load(path: Path) -> Users:
    """Raises kubeconfig.BadKubeconfig."""
    named, current = kubeconfig.load_users(path)
    return Users(named, named.get(current))


class SigningClient(WebhookClient):
    """`inner` makes the calls."""

    def __init__(self, http: HTTPClient, resolve: ServiceResolver, users: Users, inner: WebhookClient) -> None:
        super().__init__(http, resolve)
        self._users = users
        self._inner = inner

    async def ask(self, call: Call) -> bytes:
        return await self._inner.ask(self._users.sign(call))
