"""Applying a configuration without owners, as admission policies do.

Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarterdeck._kernels import fieldmerge, fieldtype, longsteps
from quarterdeck.apimachinery.gofmt import Foreign
from quarterdeck.apimachinery.leaves import leaves
from quarterdeck.fieldmanager import conformance

if TYPE_CHECKING:
    from quarterdeck._kernels.fieldtype import FieldType
    from quarterdeck.fieldmanager.types import TypeSchema

Object = dict[str, Any]


def lay_over(schema: TypeSchema | None, live: Object, patch: Object) -> Object:
    """What `patch` makes of `live`; shares with both. Raises ValueError where one does not fit the type, or the patch
    holds something atomic: what it does not mention there would be lost."""
    if schema is None:
        raise ValueError("type converter must not be nil")
    type_ = schema.root
    if _has_foreign(patch) or not fieldtype.conforms(type_, patch, False):
        told = conformance.explain(type_, patch, allow_duplicates=False)
        raise ValueError(f"failed to convert patch object to typed object: {told}")
    if found := _atomic_paths(type_, patch):
        text = f"may not mutate atomic arrays, maps or structs: {', '.join(found)}"
        raise ValueError(f"invalid ApplyConfiguration: {text}")
    if not fieldtype.conforms(type_, live, True):
        told = conformance.explain(type_, live, allow_duplicates=True)
        raise ValueError(f"failed to convert original object to typed object: {told}")
    merged: Object = fieldmerge.merge(type_, live, patch)
    return merged


def _has_foreign(value: object) -> bool:
    return any(isinstance(leaf, Foreign) for leaf in leaves(value))


def _atomic_paths(type_: FieldType, value: object) -> list[str]:
    """Where something atomic stands, at declared fields and in lists."""
    found: list[str] = []
    todo: list[tuple[str, FieldType, object]] = [("", type_, value)]
    while todo:
        path, type_, value = todo.pop()
        type_.resolved()
        if isinstance(value, dict) and type_.has_map:
            if type_.map_atomic:
                found.append(path)
            below = [(f"{path}.{name}", type_.field(name), value[name]) for name in reversed(longsteps.sort(value))]
            todo += [(at, child, inner) for at, child, inner in below if child is not None]
        elif isinstance(value, list) and type_.has_list:
            if type_.list_atomic:
                found.append(path)
            item = type_.item
            if item is not None:
                todo += [(f"{path}[{at}]", item, value[at]) for at in reversed(range(len(value)))]
    return found
