"""Admission of the deletions of a collection, many of which are under way at once.

Source: apiserver/pkg/registry/generic/registry/store.go (DeleteCollection, with one worker).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import DeletionAdmission, Origin
from quarterdeck.registry.writes import WriteContext


class CollectionAdmission:
    """One deletion is admitted after the other, in the order in which they ask; only what comes after that overlaps.
    Where one is refused, so is all that has not been admitted yet: upstream never comes to it."""

    def __init__(self, chain: Chain, scope: Scope, origin: Origin) -> None:
        self._deletion = DeletionAdmission(chain, scope, origin, of_collection=True)
        self._origin = origin
        self._turn = asyncio.Lock()
        self._in_turn = 0
        self._refusal: errors.APIStatus | None = None

    def context(self) -> WriteContext:
        return WriteContext(self._origin.dry_run, self._origin.warnings, self.admit)

    def admit(self, obj: Object, _old: Object | None) -> Awaitable[None] | None:
        if self._in_turn:
            return self._wait(obj, None)
        waiting = self._ask(obj)
        return None if waiting is None else self._wait(obj, waiting)

    async def _wait(self, obj: Object, waiting: Awaitable[None] | None) -> None:
        """`waiting`: what is left of asking; None where nobody was asked yet."""
        self._in_turn += 1
        try:
            async with self._turn:
                if waiting is None:
                    waiting = self._ask(obj)
                if waiting is not None:
                    await waiting
        except errors.APIStatus as refusal:
            self._note(refusal)
            raise
        finally:
            self._in_turn -= 1

    def _ask(self, obj: Object) -> Awaitable[None] | None:
        if self._refusal is not None:
            raise self._refusal
        try:
            return self._deletion.admit(obj, None)
        except errors.APIStatus as refusal:
            self._note(refusal)
            raise

    def _note(self, refusal: errors.APIStatus) -> None:
        if not errors.is_not_found(refusal):
            self._refusal = refusal
