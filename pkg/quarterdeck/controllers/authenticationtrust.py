"""Keeps the ConfigMap by which the servers behind APIServices learn whom to believe: authorities of clients, and the
front proxies that tell who a request is from (this server among them), with the fields in which they tell it.

What other servers have published there stays, but for certificates that have ended.
Source: pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import orjson

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "kube-system"
NAME: Final = "extension-apiserver-authentication"
PERIOD_S: Final = 60.0  # certificates end, and the files of authorities may have changed

_PATH: Final = f"{NAMESPACE}/{NAME}"
_CLIENTS: Final = "client-ca-file"
_PROXIES: Final = "requestheader-client-ca-file"
_SLACK: Final = datetime.timedelta(minutes=5)


class Trusted(NamedTuple):
    """Whom this server believes: `clients` and `proxies` are certificates (PEM), `lists` what front proxies say in
    which fields, by the names of the ConfigMap's entries."""

    clients: bytes
    proxies: bytes
    lists: Mapping[str, Sequence[str]]


class ClusterAuthenticationTrustController:
    """`config_maps` is the scope of ConfigMaps. `trusted` is handed in before the start: what is to be published as it
    is now; None: nothing. It may raise OSError."""

    def __init__(self, config_maps: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.trusted: Callable[[], Trusted] | None = None
        self._config_maps = config_maps
        self.controller = Controller("cluster_authentication_trust_controller", self.sync, clock=clock)

    def take_up(self) -> None:
        if self.trusted is not None:
            self._config_maps.store.cache.listeners.append(self._on_config_map)
            self.controller.add(_PATH)

    def publish(self) -> None:
        """What is to be published has changed."""
        self.controller.add(_PATH)

    def _on_config_map(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None and entry.path == _PATH:
            self.controller.add(_PATH)

    async def sync(self, _path: str) -> None:
        """Raises ValueError where what is there cannot be read, and OSError."""
        assert self.trusted is not None
        trusted = self.trusted()
        entry = self._config_maps.store.cache.get(NAMESPACE, NAME)
        if entry is None:
            await self._create(combine({}, trusted))
        else:
            current = json_codec.load(entry.data)
            if combine(current.get("data") or {}, trusted) != (current.get("data") or {}):
                await self._update(trusted)
        self.controller.add_after(_PATH, PERIOD_S)

    async def _create(self, data: dict[str, str]) -> None:
        kind = {"apiVersion": "v1", "kind": "ConfigMap"}
        obj = {**kind, "metadata": {"name": NAME, "namespace": NAMESPACE}, "data": data}
        with suppress(errors.AlreadyExists):
            await ownwrites.create(self.identity, self._config_maps, obj)

    async def _update(self, trusted: Trusted) -> None:
        def combined(live: Object) -> Object:
            return {**live, "data": combine(live.get("data") or {}, trusted)}

        with suppress(errors.NotFound, errors.Conflict):
            await ownwrites.update(self.identity, self._config_maps, NAMESPACE, NAME, combined)


def combine(data: Mapping[str, str], trusted: Trusted) -> dict[str, str]:
    """What is published: what `data` has, then what is missing of `trusted`. Raises ValueError."""
    found: dict[str, str] = {}
    clients = _join(data.get(_CLIENTS, ""), trusted.clients)
    if clients:
        found[_CLIENTS] = clients
    proxies = _join(data.get(_PROXIES, ""), trusted.proxies)
    if proxies:
        for name, wanted in trusted.lists.items():
            known = _read_list(name, data.get(name, ""))
            found[name] = orjson.dumps(list(dict.fromkeys([*known, *wanted]))).decode()
        found[_PROXIES] = proxies
    return found


def _read_list(name: str, text: str) -> list[str]:
    value = orjson.loads(text) if text else []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{NAME}: {name} is no list of texts")
    return value


def _join(known: str, wanted: bytes) -> str:
    """The certificates of both, each once, without those that have ended."""
    from cryptography import x509  # imported late: few servers have front proxies
    from cryptography.hazmat.primitives.serialization import Encoding

    now = datetime.datetime.now(datetime.UTC)
    kept: dict[bytes, None] = {}
    for bundle in (known.encode(), wanted):
        if not bundle.strip():
            continue
        for certificate in x509.load_pem_x509_certificates(bundle):
            if certificate.not_valid_after_utc > now - _SLACK:
                kept[certificate.public_bytes(Encoding.PEM)] = None
    return b"".join(kept).decode()
