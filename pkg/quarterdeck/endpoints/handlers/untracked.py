"""Writes that are tried once more without managedFields, which can be large, since the store took them for too large.

Source: apiserver/pkg/endpoints/handlers/{create,update,patch}.go (isTooLargeError).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.endpoints.request_info import Address
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import Update, WriteContext, WriteResult

Make = Callable[[Object | None], Object]


async def replace(
    scope: Scope, address: Address, admission: WriteAdmission, obj: Object, uid: str, *, is_large: bool
) -> WriteResult:
    """An update by `obj`. Raises as the store does."""
    context = admission.context(is_large=is_large)
    transform = partial(admission.transform_made, partial(_untracked, obj), context)
    return await scope.store.update(
        scope, address.namespace, address.name, Update(transform, precondition_uid=uid), context
    )


def _untracked(obj: Object, _live: Object | None) -> Object:
    new = copy_object(obj)
    new["metadata"].pop("managedFields", None)
    return new


async def patch(
    scope: Scope, address: Address, admission: WriteAdmission, make: Make, *, is_large: bool
) -> WriteResult:
    """An update by what `make` gives. Raises as the store does."""
    context = admission.context(is_large=is_large)
    update = Update(partial(_patched, admission, make, context))
    return await scope.store.update(scope, address.namespace, address.name, update, context)


async def _patched(admission: WriteAdmission, make: Make, context: WriteContext, live: Object | None) -> Object:
    """Admission sees who owns what."""
    made = admission.transform_made(make, context, live)
    new = made if isinstance(made, dict) else await made
    new["metadata"].pop("managedFields", None)
    return new
