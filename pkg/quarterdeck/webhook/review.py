"""What a webhook answers, read as the Review that it was asked with.

Source: apimachinery/pkg/runtime/serializer (json, recognizer, versioning); apiserver/pkg/util/webhook/client.go (the
scheme that decodes it).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import body as body_codec
from quarterdeck.apimachinery.codec import json, yaml
from quarterdeck.apimachinery.meta import join_api_version
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import BOOL, BYTES, INT32, INT64, STRING, Field, ListOf, MapOf, Scalar, Struct
from quarterdeck.webhook.client import WebhookFailed

_SCHEME: Final = "k8s.io/apiserver/pkg/util/webhook/client.go:71"
_VERSIONS: Final = ("v1", "v1beta1")

_LIST_META: Final = Struct(
    "ListMeta",
    {
        "selfLink": Field(STRING),
        "resourceVersion": Field(STRING),
        "continue": Field(STRING),
        "remainingItemCount": Field(INT64, pointer=True),
    },
)
_CAUSE: Final = Struct(
    "StatusCause",
    {
        "reason": Field(Scalar("v1.CauseType", "string")),
        "message": Field(STRING),
        "field": Field(STRING),
    },
)
_DETAILS: Final = Struct(
    "StatusDetails",
    {
        "name": Field(STRING),
        "group": Field(STRING),
        "kind": Field(STRING),
        "uid": Field(Scalar("types.UID", "string")),
        "causes": Field(ListOf(_CAUSE)),
        "retryAfterSeconds": Field(INT32),
    },
)
STATUS: Final = Struct(
    "Status",
    {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "metadata": Field(_LIST_META, always=True),
        "status": Field(STRING),
        "message": Field(STRING),
        "reason": Field(Scalar("v1.StatusReason", "string")),
        "details": Field(_DETAILS, pointer=True),
        "code": Field(INT32),
    },
)


_RAW: Final = Scalar("runtime.RawExtension", "any")
_UID: Final = Scalar("types.UID", "string")


def _group_version(last: str) -> Struct:
    """A GroupVersionKind or a GroupVersionResource."""
    members = ("group", "version", last.lower())
    return Struct(f"GroupVersion{last}", {name: Field(STRING) for name in members}, "v1")


_GROUP_VERSION_KIND: Final = _group_version("Kind")
_GROUP_VERSION_RESOURCE: Final = _group_version("Resource")
_USER_INFO: Final = Struct(
    "UserInfo",
    {
        "username": Field(STRING),
        "uid": Field(STRING),
        "groups": Field(ListOf(STRING)),
        "extra": Field(MapOf(ListOf(STRING, "v1.ExtraValue"))),
    },
    "v1",
)


def _admission_request(package: str) -> Struct:
    return Struct(
        "AdmissionRequest",
        {
            "uid": Field(_UID),
            "kind": Field(_GROUP_VERSION_KIND),
            "resource": Field(_GROUP_VERSION_RESOURCE),
            "subResource": Field(STRING),
            "requestKind": Field(_GROUP_VERSION_KIND, pointer=True),
            "requestResource": Field(_GROUP_VERSION_RESOURCE, pointer=True),
            "requestSubResource": Field(STRING),
            "name": Field(STRING),
            "namespace": Field(STRING),
            "operation": Field(Scalar(f"{package}.Operation", "string")),
            "userInfo": Field(_USER_INFO),
            "object": Field(_RAW),
            "oldObject": Field(_RAW),
            "dryRun": Field(BOOL, pointer=True),
            "options": Field(_RAW),
        },
        package,
    )


def _conversion_request(package: str) -> Struct:
    members = {"uid": Field(_UID), "desiredAPIVersion": Field(STRING), "objects": Field(ListOf(_RAW))}
    return Struct("ConversionRequest", members, package)


def _admission_review(package: str) -> Struct:
    response = Struct(
        "AdmissionResponse",
        {
            "uid": Field(_UID, always=True),
            "allowed": Field(BOOL, always=True),
            "status": Field(STATUS, pointer=True),
            "patch": Field(BYTES),
            "patchType": Field(Scalar(f"{package}.PatchType", "string"), pointer=True),
            "auditAnnotations": Field(MapOf(STRING)),
            "warnings": Field(ListOf(STRING)),
        },
        package,
    )
    return _review("AdmissionReview", _admission_request(package), response, package)


def _conversion_review(package: str) -> Struct:
    response = Struct(
        "ConversionResponse",
        {
            "uid": Field(_UID, always=True),
            "convertedObjects": Field(ListOf(_RAW), always=True),
            "result": Field(STATUS, always=True),
        },
        package,
    )
    return _review("ConversionReview", _conversion_request(package), response, package)


def _review(name: str, request: Struct, response: Struct, package: str) -> Struct:
    """A webhook may send back what it was asked, which nobody reads; but it is decoded."""
    fields = {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "request": Field(request, pointer=True),
        "response": Field(response, pointer=True),
    }
    return Struct(name, fields, package)


ADMISSION: Final = {version: _admission_review(version) for version in _VERSIONS}
CONVERSION: Final = {version: _conversion_review(version) for version in _VERSIONS}


def decode(
    data: bytes,
    group: str,
    version: str,
    struct: Struct,
    versions: Sequence[str] = _VERSIONS,
    scheme: str = _SCHEME,
) -> dict[str, Any]:
    """The fields of `struct` that the answer holds. `versions`: those that there are; `scheme`: what upstream calls
    its own in errors. Raises WebhookFailed."""
    value = _decode_text(data)
    try:
        found_group, found_version, kind = body_codec.interpret(value)
    except errors.BadRequest as refused:
        raise WebhookFailed(refused.message) from refused
    if not found_version and found_group in ("", group):
        found_group, found_version = group, version
    kind = kind or struct.name
    if (found_group, kind) != (group, struct.name) or found_version not in versions:
        raise WebhookFailed(_describe_kind(found_group, found_version, kind, struct, scheme))
    try:
        decoded = Decoder(report_unknown=False).decode_struct(value, struct)
    except DecodeError as error:
        raise WebhookFailed(str(error)) from error
    if found_version != version:
        raise WebhookFailed(_describe_conversion(found_version, kind, struct))
    decoded.pop("request", None)
    return decoded


def _decode_text(data: bytes) -> Any:
    try:
        return json.decode(data).value
    except json.DecodeError as error:
        if data.lstrip().startswith(b"{"):
            text = f"couldn't get version/kind; json parse error: {error.message}" if error.is_syntax else error.message
            raise WebhookFailed(text) from error
    try:
        return yaml.decode(data).value
    except yaml.DecodeError as error:
        raise WebhookFailed(error.message) from error


def _describe_kind(group: str, version: str, kind: str, struct: Struct, scheme: str) -> str:
    if (group, version, kind) == ("", "v1", "Status"):
        return _describe_conversion(version, kind, struct)
    if not kind:
        return "Object 'Kind' is missing"
    shown = (gofmt.quote(each) for each in (kind, join_api_version(group, version), scheme))
    return "no kind {} is registered for version {} in scheme {}".format(*shown)


def _describe_conversion(version: str, kind: str, struct: Struct) -> str:
    return f"converting ({version}.{kind}) to ({struct.go_name}): unknown conversion"
