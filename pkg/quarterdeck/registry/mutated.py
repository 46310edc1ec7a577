"""What a JSON patch of admission made of an object, read as upstream reads it: as a body that may say anything.

Source: apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go, plugin/policy/mutating/patch/json_patch.go;
apiextensions-apiserver/pkg/apiserver/conversion/converter.go (ConvertToVersion).
"""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Any, Final

from quarterdeck.admission.attributes import MergeError
from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import strict, versions
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.leaves import leaves
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.strategy import Codec, NotConvertible, Object
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.schemes import scheme_of

# Whoever knows the patch tells the number as it was sent.
_HUGE: Final = "json: cannot unmarshal number inf into Go value of type float64"


def read(value: Any, kind: GroupVersionKind, codec_of_kind: Codec, *, is_strict: bool) -> Object:
    """The object with its defaults. Raises InternalError where it cannot be read, or has unknown fields and
    `is_strict`, and what the checks raise."""
    unknown: list[str] = []
    try:
        made = codec_of_kind.default(codec_of_kind.check_mutated(value, kind), unknown if is_strict else None)
    except BadRequest as error:
        # The decoder's words alone.
        text = error.message.partition(" cannot be handled as a ")[2].partition(": ")[2]
        raise errors.InternalError.of(text or error.message) from error
    _check_known(unknown)
    return made


def read_options(value: Any, kind: GroupVersionKind, *, is_strict: bool) -> Object:
    """The options of a connection, which are flat: as `read` does."""
    decoder = Decoder(report_unknown=is_strict)
    try:
        sent = check_builtin(value, kind)
        content = {name: item for name, item in sent.items() if name not in ("apiVersion", "kind")}
        options = decoder.decode_struct(content, gotypes.struct_of(kind.api_version, kind.kind))
    except (BadRequest, DecodeError) as error:
        raise errors.InternalError.of(error.message if isinstance(error, BadRequest) else str(error)) from error
    _check_known(decoder.unknown)
    return {"kind": kind.kind, "apiVersion": kind.api_version, **options}


def _check_known(unknown: list[str]) -> None:
    """Raises InternalError."""
    if unknown:
        told = [strict.describe_unknown(path) for path in sorted(unknown, key=strict.sort_key)]
        raise errors.InternalError.of(codec.strict_error(told))


def default_configured(obj: Object, codec_of_kind: Codec, *, drops_nulls: bool = False) -> Object:
    """What an apply configuration made of an object, with its defaults. Raises MergeError where it does not fit the Go
    type of its kind."""
    try:
        return codec_of_kind.default_configured(obj, drops_nulls=drops_nulls)
    except NotConvertible as error:
        raise MergeError(str(error)) from error


def no_type(kind: GroupVersionKind) -> MergeError:
    """Why nothing can be applied to an object whose type the OpenAPI document of its version does not tell as one."""
    shown = f"{kind.group}/{kind.version}, Kind={kind.kind}"
    return MergeError(f"failed to convert patch object to typed object: no corresponding type for {shown}")


def not_convertible(kind: GroupVersionKind, wanted: GroupVersionKind) -> str:
    """Of two versions of a built-in kind: policies make objects of the one, and upstream knows no way to the other
    (runtime.Scheme.ConvertToVersion)."""
    if kind.group == wanted.group:
        return f"converting ({kind.version}.{kind.kind}) to ({wanted.version}.{wanted.kind}): unknown conversion"
    scheme = gofmt.quote(scheme_of(kind.group).name)
    target = gofmt.quote(wanted.api_version)
    return f"{kind.version}.{kind.kind} is not suitable for converting to {target} in scheme {scheme}"


def check_custom(value: Any, kind: GroupVersionKind, api_versions: Container[str]) -> Object:
    """A custom resource, of any kind. Raises BadRequest where it is none, Unreasoned where it is none of the group's
    versions and so cannot be brought into the request's."""
    group, version, own_kind = codec.interpret(value, is_patched=True)
    if not value or not value.get("kind"):
        raise BadRequest(f"Object 'Kind' is missing in '{gofmt.format_json(value)}'")
    if group != kind.group:
        found = f"{group}/{version}, Kind={own_kind}"
        text = f"{found} is unstructured and is not suitable for converting to {gofmt.quote(kind.api_version)}"
        raise errors.Unreasoned(text)
    api_version = meta.join_api_version(group, version)
    if api_version not in api_versions:
        raise errors.Unreasoned(f"request to convert CR from an invalid group/version: {api_version}")
    obj: Object = value
    meta.ensure_metadata(obj)
    if any(isinstance(leaf, float) and math.isinf(leaf) for leaf in leaves(obj)):
        raise BadRequest(_HUGE)
    return obj


def check_builtin(value: Any, kind: GroupVersionKind) -> Object:
    """A built-in object of the kind, whose type it need not say. Raises BadRequest where it says that it is of another
    one that cannot be read, Unreasoned where it can be."""
    group, version, own_kind = codec.interpret(value, is_patched=True)
    if not version and group in ("", kind.group):
        group, version = kind.group, kind.version
    if not version:
        raise BadRequest(f"Object 'apiVersion' is missing in '{gofmt.format_json(value)}'")
    target = codec.Target(kind.group, kind.version, kind.kind, scheme_of(kind.group))
    try:
        codec.check_registered(group, version, own_kind or kind.kind, target, value)
    except versions.NotConvertible as error:
        raise errors.Unreasoned(error.message) from error
    obj: Object = {} if value is None else value
    obj["apiVersion"], obj["kind"] = kind.api_version, kind.kind
    return obj
