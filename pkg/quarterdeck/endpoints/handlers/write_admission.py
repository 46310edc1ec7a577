"""Admission of one write: mutating plugins run before the object is complete, validating ones after.

Both see the same attributes. They finish at once (None) unless a plugin has to be awaited, so that a write without
webhooks runs from the request to the store without a coroutine for each step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quarterdeck.admission.chain import CREATE, UPDATE, Attributes, Chain
from quarterdeck.apimachinery import aside
from quarterdeck.endpoints.handlers import common
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.writes import WriteContext
from quarterdeck.transport.messages import Request


class WriteAdmission:
    """Admission of a create, an update or a patch. After a conflict of writers it starts again with `mutate`."""

    __slots__ = ("_attributes", "_chain", "_dry_run", "_request", "_scope")

    def __init__(self, chain: Chain, request: Request, scope: Scope, *, dry_run: bool) -> None:
        self._chain = chain
        self._request = request
        self._scope = scope
        self._dry_run = dry_run
        self._attributes: Attributes | None = None

    def context(self) -> WriteContext:
        request = self._request
        return WriteContext(self._dry_run, request.warnings, self.validate, common.is_large(request, self._scope))

    def mutate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        waiting = self._chain.admit(self._describe(new, old))
        if waiting is not None:
            return self._mutate(waiting, new)
        common.drop_repeated_owners(new, self._request.warnings, is_admitted=True)
        return None

    async def _mutate(self, waiting: Awaitable[None], new: Object) -> None:
        await waiting
        common.drop_repeated_owners(new, self._request.warnings, is_admitted=True)

    def transform(self, new: Object, old: Object | None) -> Object | Awaitable[Object]:
        """`new` after the mutating pass."""
        waiting = self.mutate(new, old)
        return new if waiting is None else _result_of(waiting, new)

    def transform_made(
        self, make: Callable[[Object | None], Object], context: WriteContext, old: Object | None
    ) -> Object | Awaitable[Object]:
        """What `make` gives of the live object, after the mutating pass. `make` is no function nested in a handler:
        compiled, two nested functions of which one calls the other hold each other, and all that they work on, until
        the collector comes."""
        return self.transform_aside(make, old) if context.is_large else self.transform(make(old), old)

    async def transform_aside(self, make: Callable[[Object | None], Object], old: Object | None) -> Object:
        """What `make` gives, run beside the event loop, after the mutating pass."""
        new = await aside.run(make, old)
        waiting = self.mutate(new, old)
        if waiting is not None:
            await waiting
        return new

    def validate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        attributes = self._attributes
        if attributes is None or (old is None) != (attributes.old is None):
            attributes = self._describe(new, old)
        else:
            attributes.obj, attributes.old = new, old
        return self._chain.validate(attributes)

    def _describe(self, new: Object, old: Object | None) -> Attributes:
        operation = UPDATE if old is not None else CREATE
        found = common.attributes_of(self._request, self._scope, operation, new, old, dry_run=self._dry_run)
        self._attributes = found
        return found


async def _result_of(waiting: Awaitable[None], new: Object) -> Object:
    await waiting
    return new
