"""Fills secrets of type kubernetes.io/service-account-token: the token, the root certificates, the namespace.

A secret whose account is not there goes; an account does not name a secret that is gone.
Source: pkg/controller/serviceaccount/tokens_controller.go.
"""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.authentication.serviceaccounts import legacy
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, read
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry

ACCOUNT: Final = "kubernetes.io/service-account.name"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"
ROOT_CA: Final = "ca.crt"
NAMESPACE: Final = "namespace"
TYPE: Final = "kubernetes.io/service-account-token"

_OF_TYPE: Final = f'"{TYPE}"'.encode()
_WORKERS: Final = 5


class ServiceAccountTokensController:
    """Keys are those of secrets, and of those that are gone with the account behind them: its name and uid."""

    def __init__(self, context: ControllerContext) -> None:
        self._secrets = context.scope("", "secrets")
        self._accounts = context.scope("", "serviceaccounts")
        self._identity = context.identity_of_manager()
        assert context.dependencies.keys is not None
        self._keys = context.dependencies.keys
        self._root_ca = base64.b64encode(context.dependencies.root_ca).decode()
        self._of_account: dict[str, set[str]] = {}  # names of secrets by the path of their account
        self.controller = Controller("serviceaccount_tokens_service", self.sync, workers=_WORKERS, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._secrets.store.cache.state.all():
            if _OF_TYPE in entry.data:
                self._note(entry)
        follow(self._secrets.store.cache, self._on_secret)
        follow(self._accounts.store.cache, self._on_account)

    def _on_secret(self, change: Change) -> None:
        if change.old is not None and _OF_TYPE in change.old.data:
            self._forget(change.old, is_gone=change.entry is None)
        if change.entry is not None and _OF_TYPE in change.entry.data:
            self._note(change.entry)

    def _note(self, entry: Entry) -> None:
        obj = read(entry)
        if obj.get("type") == TYPE:
            self._of_account.setdefault(f"{entry.namespace}/{_account_of(obj)[0]}", set()).add(entry.name)
            self.controller.add(entry.path)

    def _forget(self, entry: Entry, *, is_gone: bool) -> None:
        obj = read(entry)
        if obj.get("type") != TYPE:
            return
        account, uid = _account_of(obj)
        path = f"{entry.namespace}/{account}"
        names = self._of_account.get(path, set())
        names.discard(entry.name)
        if not names:
            self._of_account.pop(path, None)
        if is_gone and self._accounts.store.cache.get(entry.namespace, account) is not None:
            self.controller.add(f"{entry.path}/{account}/{uid}")

    def _on_account(self, change: Change) -> None:
        """Also of one that was made again: what is left is the old one's."""
        entry = change.entry or change.old
        if entry is not None:
            for name in sorted(self._of_account.get(entry.path, ())):
                self.controller.add(f"{entry.namespace}/{name}")

    async def sync(self, key: str) -> None:
        namespace, name, *of_account = key.split("/", 3)
        secret = find(self._secrets, namespace, name)
        if of_account:
            if secret is None:
                await self._remove_reference(namespace, name, *of_account)
            return
        if secret is None or secret.get("type") != TYPE:
            return
        account_name, uid = _account_of(secret)
        account = await self._find_account(namespace, account_name, uid)
        if account is None:
            with suppress(errors.NotFound, errors.Conflict):
                await self._identity.delete(self._secrets, namespace, name, Options(precondition_uid=meta.uid(secret)))
        elif self._is_lacking(secret):
            if not self._keys.is_loaded:
                await asyncio.to_thread(self._keys.load)
            with suppress(errors.NotFound):
                await ownwrites.update(
                    self._identity, self._secrets, namespace, name, lambda live: self._fill(live, account), MANAGER
                )

    async def _find_account(self, namespace: str, name: str, uid: str) -> Object | None:
        """None: it is gone, or another one has its name."""
        shared = self._accounts.store.cache.shared
        for is_last in (shared.is_alone, True):
            found = find(self._accounts, namespace, name)
            if found is not None and uid in ("", meta.uid(found)):
                return found
            if is_last:
                break
            await shared.catch_up()  # the store of accounts may have told less than that of secrets
        return None

    def _is_lacking(self, secret: Object) -> bool:
        data = secret.get("data") or {}
        lacks_root = bool(self._root_ca) and data.get(ROOT_CA) != self._root_ca
        return lacks_root or not data.get(NAMESPACE) or not data.get(legacy.TOKEN)

    def _fill(self, live: Object, account: Object) -> Object:
        """Nothing where it is another secret by now."""
        metadata: dict[str, Any] = live["metadata"]
        name, uid = account["metadata"]["name"], meta.uid(account)
        if not self._is_lacking(live) or _account_of(live) not in ((name, ""), (name, uid)):
            return live
        data = dict(live.get("data") or {})
        if self._root_ca:
            data[ROOT_CA] = self._root_ca
        if not data.get(NAMESPACE):
            data[NAMESPACE] = _encode(metadata["namespace"])
        if not data.get(legacy.TOKEN):
            data[legacy.TOKEN] = _encode(legacy.issue(self._keys, metadata["namespace"], metadata["name"], name, uid))
        annotations = {**(metadata.get("annotations") or {}), ACCOUNT: name, ACCOUNT_UID: uid}
        return {**live, "metadata": {**metadata, "annotations": annotations}, "data": data}

    async def _remove_reference(self, namespace: str, secret: str, account: str, uid: str) -> None:
        found = find(self._accounts, namespace, account)
        if found is None or not any(each.get("name") == secret for each in found.get("secrets") or ()):
            return

        def change(live: Object) -> Object:
            if uid and meta.uid(live) != uid:
                return live
            left = [each for each in live.get("secrets") or () if each.get("name") != secret]
            new = {**live, "secrets": left}
            return new if left else {key: value for key, value in live.items() if key != "secrets"}

        with suppress(errors.NotFound):
            await ownwrites.update(self._identity, self._accounts, namespace, account, change, MANAGER)


def _account_of(secret: Object) -> tuple[str, str]:
    """Its name, and its uid where the secret says."""
    annotations = secret["metadata"].get("annotations") or {}
    return annotations.get(ACCOUNT) or "", annotations.get(ACCOUNT_UID) or ""


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
