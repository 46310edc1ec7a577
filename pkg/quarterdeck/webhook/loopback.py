"""Webhooks that this server serves itself, or one behind its APIServices: those of the service `kubernetes`.

Nobody else can say who asks, so they are called as this server: it knows itself by a token that nothing else is told.
Source: apiserver/pkg/util/webhook/authentication.go (NewDefaultAuthenticationInfoResolverWrapper),
kube-aggregator/pkg/apiserver/resolvers.go (NewLoopbackServiceResolver).
"""

from __future__ import annotations

import ipaddress
import secrets
from typing import Final

from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook.client import Call, ServiceResolver, WebhookClient
from quarterdeck.webhook.config import HTTPS_PORT, Service, Target

SERVICE: Final = Service("default", "kubernetes", HTTPS_PORT)


class Loopback:
    """`address` and `port` are where this server listens. Its certificate is not looked at: it may be for other names,
    and nobody else can listen there."""

    def __init__(self, address: str, port: int) -> None:
        at = ipaddress.ip_address(address)
        self._host = ("127.0.0.1" if at.version == 4 else "::1") if at.is_unspecified else address
        self._port = port
        self._trust = Trust(b"", is_verified=False)
        self.token = secrets.token_urlsafe(32)

    def turn(self, call: Call) -> Call:
        """The call, to this server where it is meant for it."""
        if not _is_own(call.target):
            return call
        target = call.target._replace(service=None, host=self._host, port=self._port, trusted=self._trust)
        return call._replace(target=target, headers={**call.headers, "Authorization": f"Bearer {self.token}"})


def _is_own(target: Target) -> bool:
    """By a service, or by a URL."""
    if target.service is not None or target.trusted is None:
        return target.service == SERVICE
    return (target.name, target.port) == (f"{SERVICE.name}.{SERVICE.namespace}.svc", SERVICE.port)


class LoopbackClient(WebhookClient):
    """`inner` makes the calls."""

    def __init__(self, http: HTTPClient, resolve: ServiceResolver, loopback: Loopback, inner: WebhookClient) -> None:
        super().__init__(http, resolve)
        self._loopback = loopback
        self._inner = inner

    async def ask(self, call: Call) -> bytes:
        return await self._inner.ask(self._loopback.turn(call))
