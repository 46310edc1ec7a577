"""What the controllers of CustomResourceDefinitions share: reading one, and writing its status as the server does.

Definitions are read from the watch cache; what they return is shared and must not be changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Update, WriteContext
from quarterdeck.registry.strategy import Object, copy_object

MANAGER: Final = "kube-apiserver"

Definition = dict[str, Any]


class Definitions:
    """`status_scope` is the scope of customresourcedefinitions/status."""

    def __init__(self, status_scope: Scope) -> None:
        self._scope = status_scope
        self.cache = status_scope.store.cache

    def get(self, name: str) -> Definition | None:
        entry = self.cache.get("", name)
        return json_codec.load(entry.data) if entry is not None else None

    def in_group(self, group: str) -> list[Definition]:
        suffix = f".{group}"
        return [
            definition
            for entry in self.cache.state.all()
            if entry.name.endswith(suffix) and (definition := json_codec.load(entry.data))["spec"]["group"] == group
        ]

    async def update_status(self, name: str, change: Callable[[Definition], Definition | None]) -> None:
        """Store what `change` makes of the newest definition; None leaves it. A definition that is gone is fine."""

        async def transform(live: Object | None) -> Object:
            assert live is not None
            changed = change(live)
            new = copy_object(live if changed is None else changed)
            if self._scope.ownership is not None:
                self._scope.ownership.update(
                    live,
                    new,
                    manager=MANAGER,
                    subresource="status",
                    api_version=self._scope.resource.api_version,
                    now=clock.now(),
                )
            return new

        try:
            await self._scope.store.update(
                self._scope, "", name, Update(transform), WriteContext(dry_run=False, warnings=[])
            )
        except errors.NotFound:
            return
