"""Request bodies to objects, with the errors that upstream wraps around the decoder's.

`decode_object` covers what create and update do: media type, syntax, apiVersion and kind, duplicate fields. What a
type allows inside an object is not known here; the caller checks it afterwards and words a refusal by
`cannot_be_handled`, and joins all strict errors by `strict_error`.

Source: apimachinery/pkg/runtime/serializer/json/json.go; apimachinery/pkg/runtime/serializer/versioning;
apiserver/pkg/endpoints/handlers/{create.go,rest.go (transformDecodeError)}; apiserver/pkg/util/warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.apimachinery.codec import json, mediatypes, protobuf, strict, typemeta, versions, yaml, yamlorder

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
ALL_MEDIA_TYPES: Final = (JSON, YAML, PROTOBUF)

Members = list[tuple[str, Any]]
_SUMMARY_BYTES: Final = 30
_NO_PROTOBUF: Final = (
    "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to "
    "a protobuf message"
)
_YAML_PREFIXES: Final = ("yaml: unmarshal errors:\n", "error converting YAML to JSON: yaml: unmarshal errors:\n")


@dataclass(frozen=True, slots=True)
class Scheme:
    """The Go scheme that an endpoint's kinds are registered in, for the texts of errors.

    `has_kind(group, version, kind)` tells what is registered; `name` is the source line that upstream prints.
    `find_mistake(api_version, kind, value)` tells why a value cannot be read as that kind, "" where it can;
    `find_unknown` the paths of what the kind does not have in a value that can.
    """

    name: str
    has_kind: Callable[[str, str, str], bool]
    find_mistake: Callable[[str, str, Any], str] = lambda *_: ""
    find_unknown: Callable[[str, str, Any], list[str]] = lambda *_: []


class Target(NamedTuple):
    """What an endpoint takes. `scheme` is None for a custom resource."""

    group: str
    version: str
    kind: str
    scheme: Scheme | None = None


class DecodedObject(NamedTuple):
    """`strict_errors`: duplicate fields, in the order of the body; the caller adds unknown ones. `huge`: the first
    number that no float64 holds; the caller refuses it where a field keeps it (json.Decoded)."""

    value: json.Object
    strict_errors: list[str]
    huge: str = ""


class _Refused(Exception):
    """The decoder's own error. `kind` and `version` are what the body says, once that much is known. `is_readable`: the
    value can be read as its own kind."""

    def __init__(self, message: str, kind: str = "", version: str = "", *, is_readable: bool = False) -> None:
        super().__init__(message)
        self.message, self.kind, self.version, self.is_readable = message, kind, version, is_readable


def media_type_of(content_type: str) -> str:
    """The media type of a body, JSON where no Content-Type is given. Raises UnsupportedMediaType."""
    if content_type in ALL_MEDIA_TYPES:
        return content_type
    media_type = mediatypes.parse(content_type) if content_type else JSON
    if media_type not in ALL_MEDIA_TYPES:
        raise errors.UnsupportedMediaType.of(list(ALL_MEDIA_TYPES))
    return media_type


def decode_object(
    data: bytes,
    content_type: str,
    target: Target,
    read_yaml: Callable[[bytes], yaml.Decoded] = yaml.decode,
    *,
    is_strict: bool = True,
) -> DecodedObject:
    """An object of a request body. Raises UnsupportedMediaType, BadRequest. `read_yaml` may know it already.

    `content_type` is the header's value; without one a body is JSON. The apiVersion and kind of a custom resource
    are the body's own: the caller looks at what else is wrong before it calls `check_version`, and the kind may be
    another than the target's, which validation objects to later. Those of a built-in type are filled in where the body
    has none.
    """
    media_type = media_type_of(content_type)
    if media_type == JSON and (value := json.load_plain(data)) is not None:
        api_version = f"{target.group}/{target.version}" if target.group else target.version
        if typemeta.is_plainly(value, api_version, target.kind):
            return DecodedObject(value, [])
    try:
        decoded = _decode(data, media_type, target, read_yaml, is_strict)
    except _Refused as refused:
        if refused.kind:
            raise cannot_be_handled(target, refused.message, refused.kind, refused.version) from refused
        text = f"the object provided is unrecognized (must be of type {target.kind}): {refused.message}"
        raise errors.BadRequest(f"{text} ({_summarize(data)})") from refused
    if target.scheme is not None:
        try:
            check_version(decoded.value, target)
        except versions.OtherVersion as refusal:
            if refusal.found != versions.INTERNAL:
                refusal.unknown = tuple(target.scheme.find_unknown(refusal.found, target.kind, decoded.value))
                refusal.repeats = tuple(decoded.strict_errors)
            raise
    return decoded


def check_version(obj: json.Object, target: Target) -> None:
    """Raises BadRequest where a body is of another version than the endpoint."""
    expected = meta.join_api_version(target.group, target.version)
    if obj.get("apiVersion", "") != expected:
        raise versions.refuse(obj, expected)


def cannot_be_handled(target: Target, detail: str, kind: str = "", version: str | None = None) -> errors.BadRequest:
    """The refusal of a body whose kind is known. `kind` and `version` are the body's, the target's by default."""
    shown = f"{kind or target.kind} in version {gofmt.quote(target.version if version is None else version)}"
    return errors.BadRequest(f"{shown} cannot be handled as a {target.kind}: {detail}")


def strict_error(messages: list[str]) -> str:
    """What a refusal under fieldValidation=Strict says."""
    return "strict decoding error: " + ", ".join(messages)


def strict_warnings(messages: list[str], lines_max: int = -1) -> list[str]:
    """Strict errors as warnings: those of YAML, which are one text, line by line, up to `lines_max`."""
    warnings: list[str] = []
    for message in messages:
        prefix = next((prefix for prefix in _YAML_PREFIXES if message.startswith(prefix)), None)
        if prefix is None:
            warnings.append(message)
        else:
            lines = message[len(prefix) :].split("\n", lines_max)
            warnings.extend(line.strip() for line in (lines[:lines_max] if lines_max >= 0 else lines))
    return warnings


def _summarize(data: bytes) -> str:
    """The beginning of a body that could not be recognised; in hex where it does not look like JSON."""
    if not data:
        return "<empty>"
    start = data[:_SUMMARY_BYTES]
    shown = gofmt.decode_utf8(start) if data[:1] == b"{" else start.hex()
    return f"{shown} ..." if len(data) > _SUMMARY_BYTES else shown


def _decode(
    data: bytes, media_type: str, target: Target, read_yaml: Callable[[bytes], yaml.Decoded], is_strict: bool
) -> DecodedObject:
    if media_type == PROTOBUF:
        return _decode_protobuf(data, target)
    (value, strict_errors, huge), members = _decode_text(data, media_type, read_yaml)
    api_version, kind = _interpret(value, members, is_sorted=media_type == YAML)
    group, version = _split_api_version(api_version)
    if target.scheme is None:
        if huge:  # upstream reads the head in a pass of its own
            raise _Refused(json.huge_number(huge).message, kind or target.kind, version or target.version)
        own_kind = value.get("kind") or "" if value else ""
        if not own_kind:
            if is_strict:
                raise _Refused(f"Object 'Kind' is missing in '{gofmt.decode_utf8(data)}'")
            text = gofmt.format_json(value) if media_type == YAML else gofmt.decode_utf8(data.strip())
            raise _Refused(f"Object 'Kind' is missing in '{text}'", kind or target.kind, version or target.version)
        return DecodedObject(value, strict_errors)
    if media_type == YAML:
        yamlorder.sort_members(value)
    kind = kind or target.kind
    if not version and group in ("", target.group):
        group, version = target.group, target.version
    _check_registered(group, version, kind, target, data, value)
    value = value or {}
    value["apiVersion"] = meta.join_api_version(group, version)
    value["kind"] = kind
    return DecodedObject(value, strict_errors, huge)


def _decode_text(
    data: bytes, media_type: str, read_yaml: Callable[[bytes], yaml.Decoded]
) -> tuple[DecodedObject, Members | None]:
    """Its value may be of any type yet. With the members of the text where it says more than once what it is."""
    if media_type == YAML:
        try:
            from_yaml = read_yaml(data)
        except yaml.DecodeError as error:
            raise _Refused(error.message) from error
        told = from_yaml.strict_error
        return DecodedObject(from_yaml.value, [told] if told else []), None
    try:
        decoded = json.decode(data, keeps_huge=True)
    except json.DecodeError as error:
        raise _Refused(f"couldn't get version/kind; json parse error: {error.message}") from error
    members = repeated_members(data, decoded.duplicates)
    return DecodedObject(decoded.value, decoded.strict_errors, decoded.huge), members


def repeated_members(data: bytes, duplicates: list[str]) -> Members | None:
    """The members of a JSON text's object where `duplicates`, the paths of those that stand more than once, tell that
    it says more than once what it is."""
    return strict.read_members(data) if typemeta.find(duplicates) else None


def _interpret(value: Any, members: Members | None = None, *, is_sorted: bool = False) -> tuple[str, str]:
    """(apiVersion, kind)."""
    try:
        return typemeta.read(value, is_sorted=is_sorted) if members is None else typemeta.read_members(members)
    except typemeta.Mismatch as error:
        raise _Refused(f"couldn't get version/kind; json parse error: {error}") from error


def interpret(value: Any, members: Members | None = None, *, is_patched: bool = False) -> tuple[str, str, str]:
    """(group, version, kind) that a decoded body claims; `members` as `repeated_members` gives them. `is_patched`: a
    patch gives it, whose members upstream has in the order of their names. Raises BadRequest with the decoder's own
    text."""
    try:
        api_version, kind = _interpret(value, members, is_sorted=is_patched)
        return *_split_api_version(api_version), kind
    except _Refused as refused:
        raise errors.BadRequest(refused.message) from refused


def check_registered(group: str, version: str, kind: str, target: Target, value: Any) -> None:
    """Whether a value of this type can be read as the target, which is built in. Raises BadRequest with the decoder's
    own text."""
    try:
        _check_registered(group, version, kind, target, b"", value)
    except _Refused as refused:
        raise (versions.NotConvertible if refused.is_readable else errors.BadRequest)(refused.message) from refused


def _split_api_version(api_version: str) -> tuple[str, str]:
    """schema.ParseGroupVersion."""
    if api_version in ("", "/"):
        return "", ""
    if api_version.count("/") > 1:
        raise _Refused(f"unexpected GroupVersion string: {api_version}")
    return meta.split_api_version(api_version)


def _check_registered(group: str, version: str, kind: str, target: Target, data: bytes, value: Any = None) -> None:
    """`data` is the body that `value` was read from, which is None where that is not JSON."""
    if not version:
        raise _Refused(f"Object 'apiVersion' is missing in '{gofmt.decode_utf8(data)}'", kind)
    assert target.scheme is not None
    if (group, version, kind) == (target.group, target.version, target.kind):
        return
    if not target.scheme.has_kind(group, version, kind):
        raise _Refused(versions.not_registered(group, version, kind, target.scheme.name), kind, version)
    is_internal = version == versions.INTERNAL
    if not is_internal and value is not None:
        mistake = target.scheme.find_mistake(meta.join_api_version(group, version), kind, value)
        if mistake:
            raise _Refused(mistake, kind, version)
    if kind != target.kind or (is_internal and group != target.group):
        wanted = f"{versions.internal_package(target.group)}.{target.kind}"
        text = f"converting ({versions.go_type(group, version, kind)}) to ({wanted}): unknown conversion"
        raise _Refused(text, kind, version, is_readable=True)


def _decode_protobuf(data: bytes, target: Target) -> DecodedObject:
    def check(api_version: str, kind: str) -> None:
        group, version = _split_api_version(api_version)
        if target.scheme is None:
            # Differs from upstream: there the handler panics, unless nobody asks for strict findings.
            raise _Refused(_NO_PROTOBUF, kind, version)
        _check_registered(group, version, kind, target, data)

    expected = meta.join_api_version(target.group, target.version)
    try:
        return DecodedObject(protobuf.decode(data, expected, target.kind, check), [])
    except protobuf.DecodeError as error:
        if isinstance(error, protobuf.UnknownKind) and error.api_version != expected:
            # Of a version that upstream still reads, and refuses then.
            raise errors.BadRequest(versions.mismatch(error.api_version, expected)) from error
        raise _Refused(error.message, error.kind, error.version) from error
