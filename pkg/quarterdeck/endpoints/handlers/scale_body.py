"""The Scale of a custom resource as a request gives it: in the body of an update, or patched.

What is no Scale is refused in one text where it is the body, and in the decoder's words, with the document quoted,
where a patch made it.
Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (scaleScope), endpoints/handlers/patch.go.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.codec import strict
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch
from quarterdeck.endpoints import body, numbers
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import patch, scale_kind
from quarterdeck.endpoints.options import WriteOptions
from quarterdeck.fieldmanager import scale as scale_fields
from quarterdeck.registry.scale import SCALE_TYPE
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gorepeats, gotypes, metadecode
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import Field, Struct

# Upstream refuses every body that is no Scale of autoscaling/v1 with this text.
_UNREADABLE: Final = (
    'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/'
    'customresource_handler.go:781"'
)
# The members of metav1.ManagedFieldsEntry.
_ENTRY_ORDER: Final = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")
_TYPE: Final = {"apiVersion": scale_fields.API_VERSION, "kind": "Scale"}
_TARGET: Final = codec.Target(scale_kind.GROUP, scale_kind.VERSION, scale_kind.KIND)


@cache
def _whole() -> Struct:
    """Of a Scale with its metadata, whose type is made where one is read first."""
    return Struct(SCALE_TYPE.name, {"metadata": Field(gotypes.object_meta()), **SCALE_TYPE.fields})


class ScaleBody:
    """`is_named`: the Scale that was read last tells its version; nobody is told to own the fields of another."""

    def __init__(self, request: RequestContext, options: WriteOptions, patch_type: str) -> None:
        self._request = request
        self._options = options
        self._patch_type = patch_type
        self._is_internal = False
        self.is_named = True

    def decode_sent(self) -> Object:
        """The Scale in the body of an update. Raises UnsupportedMediaType, BadRequest."""
        try:
            value, text, found = self._read()
            scale, findings = self._decode(value, text)
        except (json_codec.DecodeError, yaml_codec.DecodeError, protobuf_codec.DecodeError) as error:
            raise BadRequest(_UNREADABLE) from error
        except (DecodeError, metadecode.DecodeError) as error:
            raise BadRequest(_UNREADABLE) from error
        findings = found + findings
        if findings and self._options.field_validation == "Strict":
            raise BadRequest(_UNREADABLE)
        self._warn(findings)
        if self._is_internal:
            codec.check_version(value, _TARGET)
        return scale

    def read_patched(self, current: Object) -> Object:
        """The patched Scale. What does not fit is Invalid and quotes the document."""
        patched, found = self._patched(json_codec.load(json_codec.encode(current)))
        shown = self._show(current)
        text = shown.encode("utf-8", "surrogatepass")
        try:
            # What a JSON patch puts in stays as it was written; a merge patch sorts it.
            scale, findings = self._decode(patched, text if self._patch_type == patch.JSON_PATCH else b"")
        except (DecodeError, metadecode.DecodeError) as error:
            raise patch.invalid_patch(shown, numbers.text_as_sent(str(error), text)) from error
        findings = found + findings
        if findings and self._options.field_validation == "Strict":
            raise patch.invalid_patch(shown, f"strict decoding error: {', '.join(findings)}")
        self._warn(findings)
        return scale

    def _warn(self, findings: list[str]) -> None:
        if self._options.field_validation == "Warn":
            self._request.warnings.extend(codec.strict_warnings(findings))

    def _read(self) -> tuple[Any, bytes, list[str]]:
        """The value in a body, its text where that is JSON, and what YAML has to say of members given twice.
        Raises UnsupportedMediaType, DecodeError."""
        media_type = codec.media_type_of(self._request.headers.get("content-type", ""))
        if media_type == codec.PROTOBUF:
            return protobuf_codec.decode(self._request.body, scale_fields.API_VERSION, "Scale"), b"", []
        if media_type == codec.YAML:
            from_yaml = body.read_yaml(self._request)
            return from_yaml.value, b"", [from_yaml.strict_error] if from_yaml.strict_error else []
        decoded = json_codec.decode(self._request.body)
        return decoded.value, self._request.body, []

    def _patched(self, document: Object) -> tuple[Any, list[str]]:
        """The patched document, and what strict reading finds in the patch."""
        is_validated = self._options.field_validation != "Ignore"
        if self._patch_type == patch.JSON_PATCH:
            operations = jsonpatch_body.decode(self._request.body, is_validated=is_validated)
            return jsonpatch.apply_to_object(document, operations), operations.strict_errors
        merge = mergepatch.decode(self._request.body, is_validated=is_validated)
        return mergepatch.apply(document, merge.value), merge.strict_errors

    def _show(self, current: Object) -> str:
        """A patched Scale as refusals quote it: what the patch did not touch stands in the order of Go's structs."""
        metadata = current["metadata"]
        if entries := metadata.get("managedFields"):
            ordered = [{name: entry[name] for name in _ENTRY_ORDER if name in entry} for entry in entries]
            current = {**current, "metadata": {**metadata, "managedFields": ordered}}
        return patch.show_patched(json_codec.encode(current).decode(), self._patch_type, self._request.body)

    def _decode(self, value: Any, text: bytes) -> tuple[Object, list[str]]:
        """A Scale in its typed form, and what strict decoding finds. `text`: that of the value; without it, members
        are sorted, and each stands there once. Raises DecodeError."""
        self.is_named, self._is_internal = scale_kind.check(value)
        value = value or {}
        if self._is_internal:  # a type that has no other members, as JSON knows it
            scale: Object = {"metadata": {}}
            paths = sorted(value.keys() - _TYPE.keys())
        else:
            scale, paths = _fit(gorepeats.read(text, _whole()) or value if text else value)
        return {**_TYPE, **scale}, _strict_findings(text, paths)


def _strict_findings(text: bytes, paths: list[str]) -> list[str]:
    """`paths`: of unknown fields."""
    if text:
        duplicates = json_codec.decode(text, keeps_huge=True).strict_errors
        return strict.order_findings(text, duplicates, paths, json_codec.STRICT_ERRORS_MAX)
    return strict.describe_sorted(paths, json_codec.STRICT_ERRORS_MAX)


def _fit(value: Object) -> tuple[Object, list[str]]:
    """The members of a Scale, and the paths of what it does not have. Raises DecodeError."""
    decoder = Decoder(report_unknown=True)
    content = {name: inner for name, inner in value.items() if name not in ("apiVersion", "kind", "metadata")}
    metadata, unknown = metadecode.decode_object_meta(value.get("metadata"), "Scale")
    scale = decoder.decode_struct(content, SCALE_TYPE)
    return {"metadata": metadata, **scale}, [*unknown, *decoder.unknown]
