"""A request as a webhook sees it: its objects in the version that the webhook's rules name.

Source: apiserver/pkg/admission/conversion.go (VersionedAttributes).
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from quarterdeck._kernels import json as json_kernel
from quarterdeck.admission.attributes import Attributes
from quarterdeck.apimachinery.codec import json
from quarterdeck.apis.resource import GroupVersionKind

Object = dict[str, Any]


class VersionedAttributes:
    """`obj` and `old` are read only."""

    __slots__ = ("attributes", "kind", "obj", "old")

    def __init__(self, attributes: Attributes, kind: GroupVersionKind, obj: Object | None, old: Object | None) -> None:
        self.attributes = attributes
        self.kind = kind
        self.obj = obj
        self.old = old


async def see(attributes: Attributes, kind: GroupVersionKind) -> VersionedAttributes:
    """The request's objects in another version, or as they are. Raises APIStatus where they cannot be converted."""
    obj, old = attributes.obj, attributes.old
    if kind != attributes.kind:
        old = await convert(attributes, old, kind) if old is not None else None
        obj = await convert(attributes, obj, kind) if obj is not None else None
    return VersionedAttributes(attributes, kind, obj, old)


async def convert(attributes: Attributes, obj: Object, kind: GroupVersionKind) -> Object:
    """A copy in that version; what it is made of stays as it is. An integer that is written as a float stays one."""
    found = attributes.interfaces.convert(json_kernel.copy(obj), kind)
    return await found if isinstance(found, Awaitable) else found


async def bring_back(attributes: Attributes, obj: Object) -> Object:
    """What webhooks made of the request's object, in its version: a copy, as of `convert`."""
    found = attributes.interfaces.bring_back(json_kernel.copy(obj), attributes.obj or {})
    return await found if isinstance(found, Awaitable) else found


def copy(obj: Object) -> Object:
    """The object as its JSON is read; nothing is shared with it."""
    return json.load(json.encode(obj))
