"""How the servers behind APIServices are reached: where they are, whom they have to be, and by what they know this one.

Source: kube-aggregator/pkg/controllers/status/remote (BuildTransportConfig), pkg/apiserver/resolvers.go;
client-go/transport/round_trippers.go (SetAuthProxyHeaders).
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from quarterdeck.aggregator.apiservices import APIService
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.proxy.messages import Pair
from quarterdeck.transport.client.pool import Server
from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook.config import Service

_KEPT_IN_KEYS: Final = frozenset((string.ascii_letters + string.digits + "!#$&'*+-.^_`|~").encode())

OwnCertificate = tuple[bytes, bytes]
"""A certificate with its chain, and its key (PEM)."""


class Remotes:
    """`resolve` gives the address of a service, and raises ServiceUnresolved. `own` is what this server shows of
    itself, so that its word about users is believed; None: nothing."""

    def __init__(self, resolve: Callable[[Service], tuple[str, int]]) -> None:
        self._resolve = resolve
        self.own: OwnCertificate | None = None

    def server_of(self, api: APIService) -> Server:
        """Raises ServiceUnresolved, and ValueError (the text is client-go's) for certificates that cannot be used."""
        service = api.service
        assert service is not None
        host, port = self._resolve(service)
        trusted = _trust(api.bundle, self.own, is_verified=api.is_verified)
        return Server(host, port, f"{service.name}.{service.namespace}.svc", trusted)


@lru_cache(maxsize=256)
def _trust(bundle: bytes, own: OwnCertificate | None, *, is_verified: bool) -> Trust:
    return Trust(bundle, own, is_verified=is_verified)


def identity_fields(user: User) -> Iterable[Pair]:
    """Who a request is from, as an authenticating proxy tells it."""
    yield "X-Remote-User", user.name
    if user.uid:
        yield "X-Remote-Uid", user.uid
    for group in user.groups:
        yield "X-Remote-Group", group
    for key, values in user.extra.items():
        for value in values:
            yield f"X-Remote-Extra-{escape_key(key)}", value


def escape_key(key: str) -> str:
    """What no name of a field may hold is percent-encoded, and so is the percent sign."""
    return "".join(chr(octet) if octet in _KEPT_IN_KEYS else f"%{octet:02X}" for octet in key.encode())
