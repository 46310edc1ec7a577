"""Files of configuration that are Kubernetes objects (YAML or JSON), decoded with the errors of Go's codecs.

Source: apimachinery/pkg/runtime/serializer (recognizer, json with strict decoding), runtime/error.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import gofmt, meta
from quarterdeck.apimachinery.codec import json, strict, yaml
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import Struct

_FINDINGS_MAX: Final = 100
_NO_KIND: Final = "couldn't get version/kind; json parse error"
_TYPE_META: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)


class BadFile(ValueError):
    """Why a file cannot be used, in upstream's words."""


class UnknownKind(BadFile):
    """It does not say which kind it is, or it is none of those that are known."""


def decode(
    data: bytes, kinds: Mapping[tuple[str, str, str], Struct], scheme: str, *, is_strict: bool = True
) -> dict[str, Any]:
    """The object of a file, of one of these kinds by group, version and kind. `scheme` is what upstream calls its own
    in errors. `is_strict`: fields that there are not, or twice, are errors. Raises BadFile."""
    value, duplicates = read(data)
    struct = _find_kind(value, data, kinds, scheme)
    decoder = Decoder(report_unknown=is_strict)
    try:
        decoded = decoder.decode_struct(value, struct)
    except DecodeError as error:
        raise BadFile(str(error)) from error
    if is_strict and (duplicates or decoder.unknown):
        unknown = [strict.describe_unknown(path) for path in decoder.unknown]
        raise BadFile("strict decoding error: " + ", ".join([*duplicates, *unknown][:_FINDINGS_MAX]))
    return decoded


def read(data: bytes) -> tuple[Any, list[str]]:
    """The value, and the fields that are there twice. Raises BadFile."""
    is_json = data.lstrip().startswith(b"{")
    try:
        if is_json:
            decoded = json.decode(data)
            return decoded.value, decoded.strict_errors
        found = yaml.decode(data)
    except json.DecodeError as error:
        raise BadFile(f"{_NO_KIND}: {error.message}" if error.is_syntax else error.message) from error
    except yaml.DecodeError as error:
        raise BadFile(error.message) from error
    return found.value, [found.strict_error] if found.duplicates else []


def _find_kind(value: Any, data: bytes, kinds: Mapping[tuple[str, str, str], Struct], scheme: str) -> Struct:
    """Raises UnknownKind, and BadFile for what is no object."""
    if value is None:  # an empty file
        value = {}
    if not isinstance(value, dict):
        raise BadFile(f"{_NO_KIND}: json: cannot unmarshal {gofmt.json_type(value)} into Go value of type {_TYPE_META}")
    api_version, kind = value.get("apiVersion") or "", value.get("kind") or ""
    if not kind or not isinstance(kind, str):
        raise UnknownKind(f"Object 'Kind' is missing in '{_show(data)}'")
    if not api_version or not isinstance(api_version, str):
        raise UnknownKind(f"Object 'apiVersion' is missing in '{_show(data)}'")
    group, version = meta.split_api_version(api_version)
    struct = kinds.get((group, version, kind))
    if struct is None:
        raise UnknownKind(
            f"no kind {gofmt.quote(kind)} is registered for version {gofmt.quote(api_version)} in scheme "
            f"{gofmt.quote(scheme)}"
        )
    return struct


def _show(data: bytes) -> str:
    return data.decode("utf-8", "replace")
