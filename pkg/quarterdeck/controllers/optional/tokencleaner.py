"""Deletes the secrets of bootstrap tokens that have ended.

Source: pkg/controller/bootstrap/tokencleaner.go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.authentication import bootstraptokens as tokens
from quarterdeck.authentication.interface import FOREVER
from quarterdeck.controllers.optional.context import ControllerContext, find, follow
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.storage.cacher import Change, Entry

_OF_TYPE: Final = f'"{tokens.TYPE}"'.encode()


class TokenCleaner:
    """Keys are names of secrets."""

    def __init__(self, context: ControllerContext) -> None:
        self._secrets = context.scope("", "secrets")
        self._clock = context.time()
        self._identity = context.identity_of("token-cleaner")
        self.controller = Controller("token_cleaner", self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._secrets.store.cache.state.range(f"{tokens.NAMESPACE}/"):
            self._consider(entry)
        follow(self._secrets.store.cache, self._on_secret)

    def _on_secret(self, change: Change) -> None:
        if change.entry is not None and change.entry.namespace == tokens.NAMESPACE:
            self._consider(change.entry)

    def _consider(self, entry: Entry) -> None:
        if _OF_TYPE in entry.data:
            self.controller.add(entry.name)

    async def sync(self, name: str) -> None:
        secret = find(self._secrets, tokens.NAMESPACE, name)
        if secret is None or secret.get("type") != tokens.TYPE:
            return
        left_s = tokens.find_expiry_s(secret) - self._clock.wall_s()
        if left_s == FOREVER:
            return
        if left_s > 0:
            self.controller.add_after(name, left_s)
            return
        with suppress(errors.NotFound, errors.Conflict):
            options = Options(precondition_uid=meta.uid(secret))
            await self._identity.delete(self._secrets, tokens.NAMESPACE, name, options)
