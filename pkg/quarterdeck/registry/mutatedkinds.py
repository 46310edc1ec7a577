"""What a policy's JSON patch made of a built-in object: it may say that it is of another kind or version by now.

Upstream reads it strictly as what it says that it is, and then converts that to the version of the request.
Source: apiserver/pkg/admission/plugin/policy/mutating/{patch/json_patch,dispatcher}.go;
apimachinery/pkg/runtime/scheme.go (ConvertToVersion).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import MergeError
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import strict, versions
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry import mutated
from quarterdeck.schema import gotypes
from quarterdeck.schema.schemes import scheme_of

_TYPE_META: Final = ("apiVersion", "kind")


def find(value: Any, kind: GroupVersionKind, wanted: GroupVersionKind) -> GroupVersionKind:
    """The kind to read the object as, which was one of `kind`, for a request of the kind `wanted`. Raises InternalError
    where it cannot be read as what it says, MergeError where that cannot be brought into the request's version."""
    found = _claimed(value, kind)
    if found is None or found == kind or not scheme_of(kind.group).has_kind(*found):
        return kind  # who reads it tells what is wrong
    _check(value, found, kind)
    if found == wanted:
        return wanted
    is_shared = found.kind in versions.UNVERSIONED or found.kind in versions.OF_ANY_GROUP
    if not is_shared and found.version != versions.INTERNAL and found.api_version != wanted.api_version:
        raise MergeError(_not_convertible(found, wanted))
    return kind


def _claimed(value: Any, kind: GroupVersionKind) -> GroupVersionKind | None:
    try:
        group, version, own = codec.interpret(value, is_patched=True)
    except errors.BadRequest:
        return None
    if not version and group in ("", kind.group):
        group, version = kind.group, kind.version
    return GroupVersionKind(group, version, own or kind.kind)


def _check(value: Any, found: GroupVersionKind, kind: GroupVersionKind) -> None:
    """Raises InternalError."""
    scheme = scheme_of(kind.group)
    if found.version == versions.INTERNAL:  # a type whose other members JSON does not know
        unknown = [name for name in value if name not in _TYPE_META]
    else:
        if mistake := scheme.find_mistake(found.api_version, found.kind, value):
            raise errors.InternalError.of(mistake)
        unknown = scheme.find_unknown(found.api_version, found.kind, value)
    if unknown:
        told = [strict.describe_unknown(path) for path in sorted(unknown, key=_place)]
        raise errors.InternalError.of(codec.strict_error(told))


def _place(path: str) -> tuple[str, int, list[tuple[int, str]]]:
    """Sorts paths as the members stand: those at the top by name, those of metadata as Go writes it."""
    top, _, inner = path.partition(".")
    order = list(gotypes.object_meta().fields) if top == "metadata" else []
    return top, order.index(inner) if inner in order else -1, strict.sort_key(path)


def _not_convertible(found: GroupVersionKind, wanted: GroupVersionKind) -> str:
    scheme = scheme_of(wanted.group)
    if found.group == wanted.group and not scheme.has_kind(wanted.group, wanted.version, found.kind):
        return versions.not_registered(wanted.group, wanted.version, found.kind, scheme.name)
    return mutated.not_convertible(found, wanted._replace(kind=found.kind))
