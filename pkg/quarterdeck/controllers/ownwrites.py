"""How this server writes objects of its own: as kube-apiserver does through its loopback client, in its own name."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery import clock, errors
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.writes import Update, WriteContext


async def create(scope: Scope, obj: Object) -> None:
    """`obj` is made complete in place. Raises what the store does: AlreadyExists, Invalid."""
    scope.codec.normalize(obj, report_unknown=False)
    _own(scope, None, obj)
    await scope.store.create(scope, obj, _context())


async def update(scope: Scope, namespace: str, name: str, change: Callable[[Object], Object]) -> None:
    """`change` gives a new object for the live one, or an equal one: then nothing is written. Raises NotFound."""

    def transform(live: Object | None) -> Object:
        if live is None:  # of a kind that updates create
            raise errors.NotFound.of(scope.resource.group, scope.resource.name, name)
        new = change(live)
        if new == live:
            return copy_object(live)
        new = copy_object(new)
        _own(scope, live, new)
        return new

    await scope.store.update(scope, namespace, name, Update(transform), _context())


def _own(scope: Scope, live: Object | None, new: Object) -> None:
    if scope.ownership is not None:
        scope.ownership.update(
            live, new, manager=MANAGER, subresource="", api_version=scope.resource.api_version, now=clock.now()
        )


def _context() -> WriteContext:
    return WriteContext(dry_run=False, warnings=[])
