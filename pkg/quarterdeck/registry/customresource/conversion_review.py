"""What a conversion webhook is asked, and what of its answer is taken.

Source: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import rawjson
from quarterdeck.apimachinery.meta import join_api_version, split_api_version
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta
from quarterdeck.webhook import review

GROUP: Final = "apiextensions.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1")

# What upstream sends along: a response in which nothing is set.
_NO_RESPONSE: Final[Object] = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}


class BadAnswer(Exception):
    """The answer of a webhook is not accepted. `place` stands between the name of the webhook and the reason;
    "" where upstream tells the reason alone."""

    def __init__(self, text: str, place: str = "failed") -> None:
        super().__init__(text)
        self._place = place

    def describe(self, webhook: str) -> str:
        return f"{webhook} {self._place}: {self}" if self._place else str(self)


def choose_version(wanted: Sequence[str]) -> str | None:
    """The first that both sides know."""
    return next((version for version in wanted if version in _VERSIONS), None)


def build(version: str, uid: str, objs: list[Object], api_version: str) -> bytes:
    request = {"uid": uid, "desiredAPIVersion": api_version, "objects": objs}
    review = {"kind": "ConversionReview", "apiVersion": f"{GROUP}/{version}", "request": request}
    return json_codec.encode({**review, "response": _NO_RESPONSE})


def read(data: bytes, version: str, uid: str) -> list[Any]:
    """The converted objects of an answer. Raises BadAnswer and WebhookFailed."""
    answer = review.decode(data, GROUP, version, review.CONVERSION[version])
    if version == "v1":
        _check_type(answer)
    response = answer.get("response")
    if response is None:
        raise BadAnswer("no response provided")
    given_uid = response.get("uid", "")
    if version == "v1" and given_uid != uid:
        raise BadAnswer(f"expected response.uid={gofmt.quote(uid)}, got {gofmt.quote(given_uid)}")
    result = response.get("result") or {}
    status = result.get("status", "")
    if status != "Success":
        raise BadAnswer(result.get("message") or f"response.result.status was '{status}', not 'Success'")
    return response.get("convertedObjects") or []


def _check_type(answer: Object) -> None:
    group, version = split_api_version(answer.get("apiVersion") or "")
    kind = answer.get("kind", "")
    if (group, version, kind) != (GROUP, "v1", "ConversionReview"):
        got = f"{group}/{version}, Kind={kind}"
        raise BadAnswer(f"expected webhook response of {GROUP}/v1, Kind=ConversionReview, got {got}")


def spelling(data: bytes, position: int, converted: Any) -> str:
    """A converted object as the answer has it, where that is JSON."""
    try:
        json_codec.decode(data)
    except json_codec.DecodeError:
        return gofmt.format_json(converted)
    found = rawjson.find(data, "response", "convertedObjects", position)
    return gofmt.decode_utf8(found or b"")


def accept(original: Object, converted: Any, api_version: str, spell: Callable[[], str]) -> Object:
    """The converted object: with the metadata of the original, but its own labels and annotations. Raises BadAnswer.
    `spell`: how it is written in the answer."""
    place = "returned invalid object at index 0"
    if converted is None:
        raise BadAnswer("unexpected end of JSON input", place="")
    if not isinstance(converted, dict):
        found = gofmt.json_type(converted)
        raise BadAnswer(f"json: cannot unmarshal {found} into Go value of type map[string]interface {{}}", place="")
    received, got = _text(converted, "apiVersion"), _text(converted, "kind")
    if not got or received.count("/") > 1:
        raise BadAnswer(f"Object 'Kind' is missing in '{spell()}'", place="")
    group, version = split_api_version(received)
    if split_api_version(api_version) != (group, version):
        shown = join_api_version(group, version)
        raise BadAnswer(f"invalid groupVersion (expected {api_version}, received {shown})", place)
    if (kind := original.get("kind", "")) != got:
        raise BadAnswer(f"invalid kind (expected {kind}, received {got})", place)
    _check_identity(original, converted)
    return {**converted, "metadata": _restore_metadata(original, converted)}


def _check_identity(original: Object, converted: Object) -> None:
    before, after = original.get("metadata") or {}, converted.get("metadata")
    after = after if isinstance(after, dict) else {}
    for member, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        old, new = _text(before, member), _text(after, member)
        if old != new:
            raise BadAnswer(f"must have the same {shown}: {old} != {new}", "returned invalid object")


def _text(of: Object, member: str) -> str:
    value = of.get(member)
    return value if isinstance(value, str) else ""


def _restore_metadata(original: Object, converted: Object) -> Object:
    place = "returned invalid metadata"
    if "metadata" not in converted:
        raise BadAnswer("missing metadata in converted object", place)
    given = converted["metadata"]
    if not isinstance(given, dict):
        raise BadAnswer(f"invalid metadata of type {_go_type(given)} in converted object", place)
    metadata = dict(original.get("metadata") or {})
    for member in ("labels", "annotations"):
        values = given.get(member)
        if values is None:
            metadata.pop(member, None)
            continue
        if not isinstance(values, dict):
            raise BadAnswer(f"invalid metadata.{member} of type {_go_type(values)} in converted object", place)
        for name, value in values.items():
            if not isinstance(value, str):
                told = f"must be a string, but is {_go_type(value)} in converted object"
                raise BadAnswer(f"metadata.{member}[{name}] {told}", place)
        if values != (metadata.get(member) or {}) and (problems := _check(member, values)):
            raise BadAnswer(field.aggregate_message(problems), place)
        metadata[member] = values
    return metadata


def _go_type(value: object) -> str:
    """As Go prints the type of what it read from JSON."""
    for kind, name in ((bool, "bool"), (str, "string"), (int, "int64"), (float, "float64"), (list, "[]interface {}")):
        if isinstance(value, kind):
            return name
    return "map[string]interface {}" if isinstance(value, dict) else "<nil>"


def _check(member: str, values: dict[str, str]) -> list[field.FieldError]:
    if member == "labels":
        return objectmeta.validate_labels(values, "metadata.labels")
    return objectmeta.validate_annotations(values, "metadata.annotation")
