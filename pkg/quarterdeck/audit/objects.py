"""The objects that events show: what a request brought and what it was answered, as JSON in one line.

Both stay the bytes that they are wherever those are such JSON already. Source: apiserver/pkg/audit/request.go
(LogRequestObject, LogRequestPatch, LogResponseObject, copyWithoutManagedFields).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final

import orjson

from quarterdeck.apimachinery import gofmt, offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.transport.messages import Body, LazyBody, Response

_LOG: Final = logging.getLogger(__name__)

Object = Mapping[str, Any]
Pieces = Sequence[bytes]

_MANAGED: Final = b'"managedFields"'
_JSON: Final = "application/json"
_YAML: Final = "application/yaml"
_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_YAML_BYTES_MAX: Final = 4096  # what is longer takes too long, unless its handler has read it


def encode_sent(obj: Object, *, omits_managed_fields: bool) -> bytes:
    """The object of a body, as it was decoded: later it is worked on."""
    if omits_managed_fields:
        obj = _without_managed_fields(obj)
    return json_codec.encode(obj)


def encode_patch(patch: bytes, decoded: object = None) -> bytes:
    """A patch as it was sent. What is no JSON in one line is shown as that: YAML as the value that it is (`decoded`
    where it has been read already), and what cannot be read as a text.

    Differs from upstream: it then has no event at all.
    """
    if isinstance(decoded, yaml_codec.Decoded):
        return json_codec.encode(decoded.value)
    stripped = patch.strip()
    try:
        if len(stripped) <= offload.LARGE_BYTES:
            orjson.loads(stripped)
        else:
            json_codec.decode(stripped)
    except ValueError:
        return _encode_foreign(patch)
    return stripped if _is_one_line(stripped) else json_codec.encode(json_codec.decode(stripped).value)


def _encode_foreign(patch: bytes) -> bytes:
    if len(patch) <= _YAML_BYTES_MAX:
        try:
            return json_codec.encode(yaml_codec.decode(patch).value)
        except yaml_codec.DecodeError:
            pass
    return orjson.dumps(gofmt.decode_utf8(patch))


def of_response(response: Response, *, omits_managed_fields: bool) -> Pieces | Awaitable[Pieces | None] | None:
    """What an answer holds, in pieces; None where it holds no object, or one that cannot be read."""
    media_type = next((value for name, value in response.headers if name == "Content-Type"), "").partition(";")[0]
    if media_type not in (_JSON, _YAML, _PROTOBUF):
        return None
    body = response.body
    if isinstance(body, bytes) and len(body) <= offload.LARGE_BYTES:
        return _try_read([body], media_type, omits_managed_fields)
    return _read_later(body, media_type, omits_managed_fields)


async def _read_later(body: Body, media_type: str, omits_managed_fields: bool) -> Pieces | None:
    pieces = await offload.run(list, body) if isinstance(body, LazyBody) else _as_pieces(body)
    return await offload.run(_try_read, pieces, media_type, omits_managed_fields)


def _try_read(pieces: Pieces, media_type: str, omits_managed_fields: bool) -> Pieces | None:
    """Upstream leaves out what it cannot encode, too, and tells so in its log."""
    try:
        return _read(pieces, media_type, omits_managed_fields)
    except ValueError as error:
        _LOG.error("encoding failed of response object: %s", error)
        return None


def _as_pieces(body: Body) -> list[bytes]:
    return [body] if isinstance(body, bytes) else list(body)


def _read(pieces: Pieces, media_type: str, omits_managed_fields: bool) -> Pieces:
    whole = b"".join(pieces) if omits_managed_fields or media_type != _JSON else b""
    if media_type == _JSON and _MANAGED not in whole and all(map(_is_one_line, pieces)):
        return pieces
    value = _decode(whole or b"".join(pieces), media_type)
    return [json_codec.encode(_without_managed_fields(value) if omits_managed_fields else value)]


def _decode(data: bytes, media_type: str) -> Object:
    if media_type == _PROTOBUF:
        return protobuf_codec.decode(data)
    if media_type == _YAML:
        value: Object = yaml_codec.decode(data).value
        return value
    return json_codec.load(data)


def _is_one_line(data: bytes) -> bool:
    """Line ends stand between the tokens of a JSON text; in strings they are escaped."""
    return b"\n" not in data and b"\r" not in data


def _without_managed_fields(value: Object) -> Object:
    """A shallow copy: of an object, of a list, or of a Table."""
    value = _strip(value)
    if isinstance(items := value.get("items"), list):
        value["items"] = [_strip(item) if isinstance(item, dict) else item for item in items]
    if value.get("kind") == "Table" and isinstance(rows := value.get("rows"), list):
        value["rows"] = [
            {**row, "object": _strip(row["object"])} if isinstance(row.get("object"), dict) else row for row in rows
        ]
    return value


def _strip(obj: Object) -> dict[str, Any]:
    copy = dict(obj)
    metadata = copy.get("metadata")
    if isinstance(metadata, dict) and "managedFields" in metadata:
        copy["metadata"] = {name: value for name, value in metadata.items() if name != "managedFields"}
    return copy
