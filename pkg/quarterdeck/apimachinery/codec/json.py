"""JSON as Kubernetes reads and writes it.

Reading: orjson, then a proof that Go would have read the same; whatever orjson refuses or cannot be proved goes to
the kernel's decoder, which has Go's error texts, depth limit, repair of bad text and duplicate keys. A large text goes
there at once: it takes half as long again, and gives up the interpreter's lock, which orjson holds until it is done.

Stored values begin `{"apiVersion":"…","kind":"…","metadata":{"…`, so that the resourceVersion can be spliced into the
bytes without decoding them; `canonical_object` puts an object in that order.

Source of the semantics: sigs.k8s.io/json; encoding/json.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

import orjson

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsondecode, jsonwrite, knownsets, objectbytes
from quarterdeck.apimachinery import gofmt, offload

Object = dict[str, Any]

MEDIA_TYPE: Final = "application/json"
DEPTH_MAX: Final = 10_000  # encoding/json's maxNestingDepth
STRICT_ERRORS_MAX: Final = 100  # sigs.k8s.io/json reports no more

# What orjson takes 5 ms for, at worst.
_LARGE_BYTES: Final = 256 * 1024
# Final: compiled code looks up what a module may set anew in a dictionary each time.
_loads: Final = orjson.loads
_is_exact: Final = kernel.is_exact
_load_known: Final = partial(knownsets.load, loads=orjson.loads)

_METADATA_OPEN: Final = b'"metadata":{'
_SPLICE: Final = b'"metadata":{"resourceVersion":"'


class DecodeError(ValueError):
    """`message` is what Go's decoder says. `is_syntax` tells a text that is no JSON from a value that does not fit."""

    def __init__(self, message: str, *, is_syntax: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.is_syntax = is_syntax


class Decoded:
    """`duplicates`: the paths (`spec.l[0].x`) of keys that were given more than once; the last value stands. `huge`:
    the text of the first number that no float64 holds; it and its like are infinite in the value."""

    def __init__(self, value: Any, duplicates: list[str], huge: str = "") -> None:
        self.value = value
        self.duplicates = duplicates
        self.huge = huge

    @property
    def strict_errors(self) -> list[str]:
        return self.duplicates and [f"duplicate field {gofmt.quote(path)}" for path in self.duplicates]


def decode(data: bytes, *, keeps_huge: bool = False) -> Decoded:
    """The value of a JSON text. `keeps_huge`: numbers that are too large may stand where nobody reads them. Raises
    DecodeError."""
    if len(data) > _LARGE_BYTES:
        return _decode_as_go(data, keeps_huge)
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _decode_as_go(data, keeps_huge)
    if kernel.is_exact(data, value):
        return Decoded(value, [])
    return _decode_as_go(data, keeps_huge)


def load_plain(data: bytes, depth_max: int = DEPTH_MAX) -> Object | None:
    """The object of a text in which there is nothing to tell about; None: `decode` has to look."""
    if len(data) > _LARGE_BYTES:
        return _load_large(data, depth_max)
    try:
        value = _loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if type(value) is dict and _is_exact(data, value) else None


def _load_large(data: bytes, depth_max: int) -> Object | None:
    value, duplicates, error, bad_number = jsondecode.decode(data, depth_max)
    offload.hold(value)
    is_plain = error is None and bad_number is None and not duplicates and type(value) is dict
    return cast(Object, value) if is_plain else None


def _decode_as_go(data: bytes, keeps_huge: bool) -> Decoded:
    value, duplicates, error, bad_number = jsondecode.decode(data, DEPTH_MAX)
    if len(data) > _LARGE_BYTES:
        offload.hold(value)
    if error is not None:
        raise DecodeError(error if isinstance(error, str) else _describe_byte(*error))
    if bad_number is None:
        return Decoded(value, duplicates)
    if not keeps_huge:
        raise huge_number(bad_number)
    return Decoded(value, duplicates, bad_number)


def huge_number(text: str, place: str = "value") -> DecodeError:
    """The refusal of a number that no float64 holds."""
    return DecodeError(f"json: cannot unmarshal number {text} into Go {place} of type float64", is_syntax=False)


def _describe_byte(byte: int, context: str) -> str:
    """Go's SyntaxError. The byte is shown as if it were a code point (quoteChar)."""
    if byte == ord("'"):
        shown = r"'\''"
    elif byte == ord('"'):
        shown = "'\"'"
    else:
        shown = f"'{gofmt.quote(chr(byte))[1:-1]}'"
    return f"invalid character {shown} {context}"


def encode(value: object) -> bytes:
    """JSON without spaces, numbers as Go writes them: 1.0 is `1`, which typed clients read as an integer again."""
    return jsonwrite.encode(value)


def load(data: bytes) -> Object:
    """An object that this server encoded itself: decoded without any check. A float of 19 digits or more is written
    as an integer that may be beyond int64, where orjson reads one up to 2^64."""
    return _load_by(_loads, data)


def load_sharing(data: bytes) -> Object:
    """As `load`, for who changes nothing in place below metadata.managedFields: the sets of fields in it may be those
    of other objects (docs/adr/0060)."""
    return _load_by(_load_known, data)


def _load_by(loads: Callable[[bytes], Any], data: bytes) -> Object:
    if len(data) > _LARGE_BYTES or kernel.has_long_number(data):
        return cast(Object, decode(data).value)
    try:
        loaded: Object = loads(data)
        return loaded
    except orjson.JSONDecodeError:  # nested deeper than orjson goes
        return cast(Object, decode(data).value)


def canonical_object(obj: Object) -> Object:
    """A shallow copy with apiVersion, kind and metadata first; metadata is an object in it.

    A resourceVersion in the metadata is left out: it is not part of a stored value.
    """
    metadata = dict(obj.get("metadata") or {})
    metadata.pop("resourceVersion", None)
    ordered: Object = {"apiVersion": obj.get("apiVersion", ""), "kind": obj.get("kind", ""), "metadata": metadata}
    for name, value in obj.items():
        if name not in ordered:
            ordered[name] = value
    return ordered


encode_stored = jsonwrite.encode_stored
"""`encode(canonical_object(obj))` in one step."""


def splice_resource_version(value: bytes, revision: int) -> bytes:
    """A stored value with its revision as the first member of metadata."""
    spliced = objectbytes.splice_revision(value, revision)
    if spliced is not None:
        return spliced
    # The first occurrence is the right one: the texts before it are an apiVersion and a kind, whose quotes would be
    # escaped.
    end = value.index(_METADATA_OPEN) + len(_METADATA_OPEN)
    separator = b"" if value[end : end + 1] == b"}" else b","
    return b'%b"resourceVersion":"%d"%b%b' % (value[:end], revision, separator, value[end:])


def remove_resource_version(value: bytes) -> tuple[bytes, int]:
    """The inverse of splice_resource_version: the stored value and its revision."""
    start = value.index(_SPLICE) + len(_METADATA_OPEN)
    digits = value.index(b":", start) + 2
    end = value.index(b'"', digits)
    after = end + 2 if value[end + 1 : end + 2] == b"," else end + 1
    return value[:start] + value[after:], int(value[digits:end])
