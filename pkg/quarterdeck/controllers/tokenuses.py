"""Notes in a secret the day on which its token was used last, in the server's own name.

Source: pkg/serviceaccount/legacy.go (patchSecretWithLastUsedDate).
Differs from upstream: the request that uses the token does not wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.authentication.serviceaccounts.legacy import LAST_USED
from quarterdeck.controllers import ownwrites
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object

AT_ONCE_MAX: Final = 100  # what is beyond is noted at a later use
_LOG: Final = logging.getLogger(__name__)


class TokenUses:
    """`secrets` is their scope."""

    def __init__(self, identity: Identity, secrets: Scope) -> None:
        self._identity = identity
        self._secrets = secrets
        self._under_way: dict[tuple[str, str], asyncio.Task[None]] = {}

    def note(self, namespace: str, name: str, uid: str, day: str) -> None:
        """To be called on the event loop."""
        key = (namespace, name)
        if key not in self._under_way and len(self._under_way) < AT_ONCE_MAX:
            task = asyncio.get_running_loop().create_task(self._write(namespace, name, uid, day))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))

    async def _write(self, namespace: str, name: str, uid: str, day: str) -> None:
        def change(live: Object) -> Object:
            metadata = live["metadata"]
            if meta.uid(live) != uid:
                return live
            labels = {**(metadata.get("labels") or {}), LAST_USED: day}
            return {**live, "metadata": {**metadata, "labels": labels}}

        try:
            await ownwrites.update(self._identity, self._secrets, namespace, name, change)
        except errors.APIStatus as error:
            _LOG.error(
                "Failed to label legacy service account token %s/%s with last-used date, err: %s",
                namespace,
                name,
                error,
            )
