"""Objects of a kind with several versions as owners of fields in another version see them.

What an apply made is read into the Go type of its version before it is converted: what does not fit it is told, and
what is left out there of fields that Go always writes is zero. Of metadata it writes nothing that is empty.

Source: apimachinery/pkg/util/managedfields/internal/versionconverter.go, apimachinery/pkg/runtime/scheme.go
(unstructuredToTyped).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.cel import recursion
from quarterdeck.fieldmanager.updater import ConversionError
from quarterdeck.registry.strategy import Object, copy_value
from quarterdeck.schema import gotypes, unstructured
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError

Convert = Callable[[Object, str], Object]

# What stands for the live object of a write, and that itself (BuiltinCodec.as_compared).
_marked: ContextVar[tuple[Object, Object] | None] = ContextVar("the live object as it is compared", default=None)
_POINTERS: Final = frozenset(("deletionGracePeriodSeconds",))


def reading(convert: Convert, kind: str) -> Convert:
    """`convert` of an object that is read first. It raises ConversionError."""
    return partial(_convert_read, convert, kind)


def note_marked(marked: Object, live: Object) -> Object:
    """`marked` tells lists and texts apart that are alike once they are read again, as they are to be converted."""
    _marked.set((marked, live))
    return marked


def _convert_read(convert: Convert, kind: str, obj: Object, api_version: str) -> Object:
    if (marked := _marked.get()) is not None and marked[0] is obj:
        obj = marked[1]
    have = obj["apiVersion"]
    made: Any = copy_value(obj)
    struct = gotypes.struct_of(have, kind)
    try:
        unstructured.fit_object(made, struct)
        read = recursion.with_room(lambda: Decoder(report_unknown=False).decode_struct(made, struct))
    except DecodeError as error:
        group, version = split_api_version(have)
        text = f"unable to convert unstructured object to {group}/{version}, Kind={kind}: {error}"
        raise ConversionError(text) from error
    metadata = _without_empty(made.get("metadata") or {})
    return convert({"apiVersion": have, "kind": kind, "metadata": metadata, **read}, api_version)


def _without_empty(metadata: Object) -> Object:
    """Nobody owns `labels: {}` in another version than the one in which they were sent."""
    return {name: value for name, value in metadata.items() if value or (name in _POINTERS and value is not None)}
