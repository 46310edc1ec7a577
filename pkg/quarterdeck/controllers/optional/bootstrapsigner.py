"""Signs the kubeconfig in the ConfigMap `cluster-info` with every bootstrap token that may sign, so that who knows a
token can tell that it is his cluster's.

Source: pkg/controller/bootstrap/{bootstrapsigner,util}.go, cluster-bootstrap/token/jws/jws.go (RFC 7515, appendix F).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.authentication import bootstraptokens as tokens
from quarterdeck.authentication.serviceaccounts.jws import encode_part
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, read
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "kube-public"
NAME: Final = "cluster-info"
KUBECONFIG: Final = "kubeconfig"
SIGNATURE: Final = "jws-kubeconfig-"
_PATH: Final = f"{NAMESPACE}/{NAME}"
_ID_LENGTH: Final = 6
_OF_TYPE: Final = f'"{tokens.TYPE}"'.encode()


class BootstrapSigner:
    """There is one key: that of the ConfigMap."""

    def __init__(self, context: ControllerContext) -> None:
        self._config_maps = context.scope("", "configmaps")
        self._secrets = context.scope("", "secrets")
        self._clock = context.time()
        self._identity = context.identity_of("bootstrap-signer")
        self._names: set[str] = set()  # of secrets that may hold tokens
        self.controller = Controller("bootstrap_signer_queue", self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._secrets.store.cache.state.range(f"{tokens.NAMESPACE}/{tokens.PREFIX}"):
            self._names.add(entry.name)
        follow(self._config_maps.store.cache, self._on_config_map)
        follow(self._secrets.store.cache, self._on_secret)
        self.controller.add(_PATH)

    def _on_config_map(self, change: Change) -> None:
        if change.entry is not None and change.entry.path == _PATH:
            self.controller.add(_PATH)

    def _on_secret(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is None or entry.namespace != tokens.NAMESPACE or _OF_TYPE not in entry.data:
            return
        if change.entry is None:
            self._names.discard(entry.name)
        elif entry.name.startswith(tokens.PREFIX):
            self._names.add(entry.name)
        self.controller.add(_PATH)

    async def sync(self, _path: str) -> None:
        found = find(self._config_maps, NAMESPACE, NAME)
        if found is not None and self._sign(found) != found:
            with suppress(errors.NotFound):
                await ownwrites.update(self._identity, self._config_maps, NAMESPACE, NAME, self._sign, MANAGER)

    def _sign(self, live: Object) -> Object:
        data: dict[str, str] = live.get("data") or {}
        if KUBECONFIG not in data:
            return live
        signed = {key: value for key, value in data.items() if not key.startswith(SIGNATURE)}
        for identifier, secret in self._find_tokens():
            signed[f"{SIGNATURE}{identifier}"] = sign(data[KUBECONFIG], identifier, secret)
        return {**live, "data": signed}

    def _find_tokens(self) -> list[tuple[str, str]]:
        found = []
        for name in sorted(self._names):
            entry = self._secrets.store.cache.get(tokens.NAMESPACE, name)
            if entry is not None and (token := self._read_token(name, read(entry))) is not None:
                found.append(token)
        return found

    def _read_token(self, name: str, secret: Object) -> tuple[str, str] | None:
        """None for one that may not sign."""
        identifier, text = tokens.read(secret, tokens.ID), tokens.read(secret, tokens.SECRET)
        is_named = len(identifier) == _ID_LENGTH and name == f"{tokens.PREFIX}{identifier}"
        if secret.get("type") != tokens.TYPE or not is_named or not text:
            return None
        has_ended = tokens.find_expiry_s(secret) <= self._clock.wall_s()
        return None if has_ended or tokens.read(secret, tokens.SIGNS) != "true" else (identifier, text)


def sign(content: str, identifier: str, secret: str) -> str:
    """A signature in JWS's compact form, without what it signs."""
    header = json.dumps({"alg": "HS256", "kid": identifier}, separators=(",", ":")).encode()
    head = encode_part(header)
    signed = f"{head}.{encode_part(content.encode('utf-8', 'surrogatepass'))}"
    key = secret.encode("utf-8", "surrogateescape")
    return f"{head}..{encode_part(hmac.new(key, signed.encode(), hashlib.sha256).digest())}"
