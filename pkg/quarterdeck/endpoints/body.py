"""Request bodies: their size, and the object that is in them.

Unknown and duplicate fields become warnings or a refusal, as fieldValidation asks.
Source: apiserver/pkg/endpoints/handlers/{create,delete,patch,rest}.go.
"""

from __future__ import annotations

import math
from typing import Final

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apiextensions import scheme as definitions
from quarterdeck.apimachinery import errors, gofmt, meta, offload, slices
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import mediatypes, protobuf, strict, typemeta, versions
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.leaves import leaves
from quarterdeck.endpoints import numbers
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gorepeats, sentnumbers
from quarterdeck.schema.schemes import scheme_of
from quarterdeck.transport.brokenbodies import BrokenBody

BODY_BYTES_MAX: Final = 3 * 1024 * 1024
# YAML takes up to 4 µs a byte to read. What is longer than this is read in slices, before its handler is called.
_YAML_AT_ONCE_BYTES: Final = 4096
_YAML_LIMIT_S: Final = 34.0  # what upstream gives a write
_YAML_WRITERS: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))

_TYPE_META: Final = frozenset(("apiVersion", "kind"))

# No more warnings than these go into an answer's headers.
_WARNED_MAX: Final = 4096


def check_size(request: RequestContext) -> None:
    """Where upstream reads the body. Raises RequestEntityTooLarge, and APIStatus for one that came broken."""
    data = request.body
    if len(data) > BODY_BYTES_MAX:
        raise errors.RequestEntityTooLarge.of(f"limit is {BODY_BYTES_MAX}")
    if isinstance(data, BrokenBody):
        raise errors.APIStatus(data.fault)


def takes_long(request: RequestContext) -> bool:
    """Whether the body is read by `read_ahead` before the handler is called."""
    data = request.body
    if request.method not in _YAML_WRITERS or len(data) > BODY_BYTES_MAX:
        return False
    # Short JSON under a YAML type, as applies have it, needs nothing of what reads YAML.
    if len(data) <= _YAML_AT_ONCE_BYTES and (data[:1] == b"{" or yaml_codec.is_loaded()):
        return False
    return "yaml" in request.headers.get("content-type", "").lower()


async def read_ahead(request: RequestContext) -> None:
    """Read a YAML body while other requests have their turns. Its errors wait until the handler asks for it."""
    data = request.body
    is_large = len(data) > offload.LARGE_BYTES
    try:
        found = await offload.run(yaml_codec.decode_json, data) if is_large else yaml_codec.decode_json(data)
        if found is None:
            if not yaml_codec.is_loaded():
                await offload.run(yaml_codec.load)
            found = await slices.run(yaml_codec.decode_in_steps(data), _YAML_LIMIT_S)
        offload.hold(found.value)
        request.decoded = found
    except yaml_codec.DecodeError as error:
        request.decoded = error
    except slices.OutOfTime as error:
        text = "request did not complete within requested timeout - context deadline exceeded"
        raise errors.Timeout.of(text, 0) from error


def read_yaml(request: RequestContext) -> yaml_codec.Decoded:
    """The body as YAML, a copy each time: a write that is tried again asks again."""
    found = request.decoded
    if isinstance(found, yaml_codec.DecodeError):
        raise found
    if isinstance(found, yaml_codec.Decoded):
        return yaml_codec.Decoded(json_kernel.copy(found.value), found.duplicates)
    return yaml_codec.decode(request.body)


def target_of(scope: Scope) -> codec.Target:
    resource = scope.resource
    if scope.is_custom:
        return codec.Target(resource.group, resource.version, resource.kind)
    scheme = definitions.SCHEME if resource.group == definitions.GROUP else scheme_of(resource.group)
    return codec.Target(resource.group, resource.version, resource.kind, scheme)


def decode_object(request: RequestContext, scope: Scope, field_validation: str) -> Object:
    """The object in a body, normalised: pruned, defaulted, of the right types. Raises what upstream answers."""
    obj = _decode_object(request, scope, field_validation)
    if request.audit is not None:
        request.audit.log_object(obj)
    return obj


def _decode_object(request: RequestContext, scope: Scope, field_validation: str) -> Object:
    reports = field_validation != "Ignore"
    content_type = request.headers.get("content-type", "")
    plain = _load_plain(request, content_type, scope)
    if plain is not None:
        return _normalize_plain(plain, request, scope, field_validation)
    target = target_of(scope)
    try:
        decoded = codec.decode_object(
            request.body, content_type, target, lambda _: read_yaml(request), is_strict=reports
        )
    except versions.OtherVersion as error:
        _report_of_other_version(error, request, scope, field_validation)
        raise
    obj = decoded.value
    if decoded.strict_errors and mediatypes.parse(content_type) in ("", codec.JSON):
        take_repeats(obj, request.body, scope)
    try:
        unknown = _normalize_sent(obj, request, scope, report_unknown=reports)
    except BadRequest as error:
        is_yaml = mediatypes.parse(content_type) == codec.YAML
        raise (numbers.as_json if is_yaml else numbers.as_sent)(error, request.body) from error
    if decoded.huge and holds_infinity(obj):
        raise codec.cannot_be_handled(target, json_codec.huge_number(decoded.huge).message)
    if reports and (unknown or decoded.strict_errors):
        if scope.is_custom:
            findings = [*decoded.strict_errors, *unknown_fields(unknown)]
        else:
            findings = _typed_findings(request, decoded.strict_errors, unknown, scope)
        _warn_or_refuse(obj, findings, request, target, field_validation)
    if scope.is_custom:
        codec.check_version(obj, target)
    return obj


def _load_plain(request: RequestContext, content_type: str, scope: Scope) -> Object | None:
    """What says that it is of the kind, once, and has no member twice: nearly every body."""
    resource = scope.resource
    if not content_type or content_type == json_codec.MEDIA_TYPE:
        plain = json_codec.load_plain(request.body)
        is_of_kind = plain is not None and typemeta.is_plainly(plain, resource.api_version, resource.kind)
        return plain if is_of_kind else None
    if content_type == codec.PROTOBUF and not scope.is_custom:
        return protobuf.load_plain(request.body, resource.api_version, resource.kind)
    return None


def _normalize_plain(obj: Object, request: RequestContext, scope: Scope, field_validation: str) -> Object:
    """`decode_object` for an object of the kind."""
    reports = field_validation != "Ignore"
    if scope.is_custom:
        unknown = scope.codec.normalize(obj, report_unknown=reports)
        findings = unknown_fields(unknown) if unknown else unknown
    else:
        try:
            unknown = _normalize_sent(obj, request, scope, report_unknown=reports)
        except BadRequest as error:
            raise numbers.as_sent(error, request.body) from error
        findings = _typed_findings(request, [], unknown, scope) if reports and unknown else []
    return _warn_or_refuse(obj, findings, request, target_of(scope), field_validation) if findings else obj


def _report_of_other_version(
    error: versions.OtherVersion, request: RequestContext, scope: Scope, field_validation: str
) -> None:
    """What strict decoding finds in a body of another version comes before its version does."""
    target = target_of(scope)
    if (error.unknown or error.repeats) and field_validation != "Ignore":
        of_version = {"apiVersion": error.found, "kind": target.kind}
        if error.found == versions.INTERNAL:
            findings = unknown_fields(list(error.unknown))
        else:
            findings = _typed_findings(request, list(error.repeats), list(error.unknown), scope)
        _warn_or_refuse(of_version, findings, request, target, field_validation)


def take_repeats(obj: Object, data: bytes, scope: Scope) -> None:
    """Make of a built-in object what its text says where that gives members more than once."""
    if isinstance(scope.codec, BuiltinCodec):
        merged = gorepeats.read(data, scope.codec.whole_struct()) or {}
        obj.update((name, merged[name]) for name in obj.keys() & merged.keys() - _TYPE_META)


async def decode_object_aside(request: RequestContext, scope: Scope, field_validation: str) -> Object:
    """`decode_object` beside the event loop."""
    return await offload.run(decode_object, request, scope, field_validation)


def holds_infinity(obj: Object) -> bool:
    """Whether a field keeps a number that is too large. Where no field did, nobody has read it."""
    return any(isinstance(leaf, float) and math.isinf(leaf) for leaf in leaves(obj))


def _typed_findings(request: RequestContext, duplicates: list[str], unknown: list[str], scope: Scope) -> list[str]:
    """What the decoder of Go types finds. It stops counting at some time; pruning does not."""
    if mediatypes.parse(request.headers.get("content-type", "")) in ("", json_codec.MEDIA_TYPE):
        return order_findings(request.body, duplicates, unknown, scope)
    return [*duplicates, *strict.describe_sorted(unknown, json_codec.STRICT_ERRORS_MAX)]


def order_findings(document: bytes, duplicates: list[str], unknown: list[str], scope: Scope) -> list[str]:
    """What strict decoding of a JSON text finds, in its order: nothing in what reads itself."""
    struct = scope.codec.whole_struct() if duplicates and isinstance(scope.codec, BuiltinCodec) else None
    return strict.order_findings(document, duplicates, unknown, json_codec.STRICT_ERRORS_MAX, struct, gorepeats.below)


def _warn_or_refuse(
    obj: Object, findings: list[str], request: RequestContext, target: codec.Target, field_validation: str
) -> Object:
    if not findings:
        return obj
    if field_validation == "Strict":
        raise _strict_refusal(obj, target, findings)
    request.warnings.extend(codec.strict_warnings(findings[:_WARNED_MAX], _WARNED_MAX))
    return obj


def _strict_refusal(obj: Object, target: codec.Target, findings: list[str]) -> BadRequest:
    """A custom resource that has been read is what it says that it is, in the refusal too."""
    kind, version = obj["kind"], meta.split_api_version(obj.get("apiVersion") or "")[1]
    if not version:
        return BadRequest("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return codec.cannot_be_handled(target._replace(kind=kind), codec.strict_error(findings), kind, version)


def normalize(obj: Object, scope: Scope, *, report_unknown: bool) -> list[str]:
    """Decode the body in place. Of another kind only a little is checked: validation refuses it later."""
    if obj.get("kind") != scope.resource.kind or obj.get("apiVersion") != scope.resource.api_version:
        return scope.codec.normalize_foreign(obj, report_unknown=report_unknown)
    return scope.codec.normalize(obj, report_unknown=report_unknown)


def normalize_text(obj: Object, scope: Scope, text: bytes, *, report_unknown: bool) -> list[str]:
    """`normalize` for what has been read from JSON, of which some types read numbers themselves."""
    reading = sentnumbers.reading
    reading.text = text
    try:
        return normalize(obj, scope, report_unknown=report_unknown)
    finally:
        reading.text, reading.document = b"", None


def _normalize_sent(obj: Object, request: RequestContext, scope: Scope, *, report_unknown: bool) -> list[str]:
    """`normalize` for what a request has, and not a patch."""
    if not isinstance(scope.codec, BuiltinCodec):
        return normalize(obj, scope, report_unknown=report_unknown)
    spelling, media_type = scope.codec.spelling, mediatypes.parse(request.headers.get("content-type", ""))
    if media_type not in ("", codec.JSON):
        if media_type == codec.YAML and spelling is not None:
            spelling.sort(obj)
        text = numbers.whole_in_yaml(request.body) if media_type == codec.YAML else b""
        unknown = normalize_text(obj, scope, text, report_unknown=report_unknown)
        if media_type == codec.PROTOBUF and spelling is not None:
            spelling.note_protobuf()
        return unknown
    unknown = normalize_text(obj, scope, request.body, report_unknown=report_unknown)
    if spelling is not None:
        spelling.note_text(request.body)
    return unknown


def unknown_fields(paths: list[str]) -> list[str]:
    if not paths:
        return paths
    offload.hold(paths)
    told = []
    for path in paths:
        longsteps.pause()
        told.append(f'unknown field "{path}"')
    offload.hold(told)
    return told


def decode_apply(request: RequestContext) -> tuple[Object, list[str]]:
    """The object of an apply patch, which is YAML (JSON is YAML too), and its duplicate fields."""
    try:
        decoded = read_yaml(request)
    except yaml_codec.DecodeError as error:
        raise BadRequest(f"error decoding YAML: error converting YAML to JSON: {error.message}") from error
    # Nothing, and null, are an object without a kind: that is what is wrong with it.
    value = {} if decoded.value is None else decoded.value
    if not isinstance(value, dict):
        raise BadRequest(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{gofmt.json_type(value)} into Go value of type map[string]interface {{}}"
        )
    strict = decoded.strict_error
    return value, [strict] if strict else []
