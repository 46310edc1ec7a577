"""How this server writes objects of its own: as kube-apiserver does through its loopback client, in its own name."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery import clock, errors
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object


async def create(identity: Identity, scope: Scope, obj: Object, manager: str = MANAGER) -> None:
    """`obj` is made complete in place; its fields are `manager`'s. Raises as the store does: AlreadyExists, Invalid."""
    scope.codec.normalize(obj, report_unknown=False)
    scope.own(None, obj, manager)
    await identity.create(scope, obj)


async def update(
    identity: Identity,
    scope: Scope,
    namespace: str,
    name: str,
    change: Callable[[Object], Object],
    manager: str = MANAGER,
) -> None:
    """`change` gives a new object for the live one, or an equal one: then nothing is written. Raises NotFound."""

    def transform(live: Object | None) -> Object:
        if live is None:  # of a kind that updates create
            raise errors.NotFound.of(scope.resource.group, scope.resource.name, name)
        new = change(live)
        if new == live:
            return copy_object(live)
        new = copy_object(new)
        scope.own(live, new, manager)
        return new

    await identity.update(scope, namespace, name, transform)


async def apply(identity: Identity, scope: Scope, namespace: str, name: str, fields: Object, manager: str) -> None:
    """Server-side apply, by force: `fields` are `manager`'s from then on, and what it applied before and leaves out now
    goes. Raises NotFound."""

    def transform(live: Object | None) -> Object:
        ownership, resource = scope.ownership, scope.resource
        if live is None or ownership is None:
            raise errors.NotFound.of(resource.group, resource.name, name)
        applied = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": name}, **fields}
        new = ownership.apply(
            live,
            applied,
            manager=manager,
            force=True,
            subresource=scope.subresource,
            api_version=resource.api_version,
            now=clock.now(),
        )
        scope.codec.normalize_applied(new)
        return new

    await identity.update(scope, namespace, name, transform)
