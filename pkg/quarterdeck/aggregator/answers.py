"""What the answers of other servers to requests for objects mean: errors in client-go's words, metadata of the types
that it has to have.

Source: apimachinery/pkg/api/errors (NewGenericServerResponse); client-go/metadata/metadata.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from quarterdeck.aggregator.client import Document
from quarterdeck.apimachinery import errors
from quarterdeck.controllers.remoteobjects import Metadata, MetadataPage, Unreachable

UNAVAILABLE: Final = "the server is currently unable to handle the request"
# client-go's words for answers that are no Status.
_TEXTS: Final = {
    401: "the server has asked for the client to provide credentials",
    409: "the server reported a conflict",
    429: "the server has received too many requests and has asked us to try again later",
    503: UNAVAILABLE,
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
# Nothing is wrong with what was asked: the server, or whatever stands before it, has no answer now.
_LATER: Final = frozenset((429, 502, 503, 504))
_NO_RESOURCE: Final = "the server could not find the requested resource"
_TEXTS_OF_METADATA: Final = ("namespace", "resourceVersion", "deletionTimestamp")
_TEXTS_OF_REFERENCES: Final = ("uid", "apiVersion", "kind", "name")


def describe(document: Document) -> str:
    """Why a request was refused."""
    value = _load(document.body)
    if isinstance(value, dict) and value.get("kind") == "Status" and isinstance(value.get("message"), str):
        return str(value["message"])
    status = document.status
    if status >= 500 and status not in _TEXTS:
        shown = document.body[:2048].decode(errors="replace").strip()
        return f'an error on the server ("{shown}") has prevented the request from succeeding'
    return _TEXTS.get(status) or f"the server responded with the status code {status} but did not return more details"


def check(document: Document, name: str = "") -> None:
    """Raises Unreachable, and what the server says: NotFound of the object alone, Conflict, Expired, Unreasoned."""
    status = document.status
    if 200 <= status < 300:
        return
    text = describe(document)
    if status in _LATER:
        raise Unreachable(text)
    if status == 404 and _is_object_missing(document.body, name):
        raise errors.NotFound(text)
    raise {409: errors.Conflict, 410: errors.Expired}.get(status, errors.Unreasoned)(text)


def _is_object_missing(body: bytes, name: str) -> bool:
    # Differs from upstream: an answer that does not speak of an object is no word about one. A server that has just
    # begun, or one that stands in its place, answers so for all there is.
    value = _load(body)
    if not isinstance(value, dict) or value.get("kind") != "Status" or value.get("reason") != "NotFound":
        return False
    details = value.get("details")
    told = details.get("name") if isinstance(details, dict) else None
    return told in (None, "", name) and not str(value.get("message") or "").startswith(_NO_RESOURCE)


def read_object(body: bytes) -> Metadata:
    """Raises Unreasoned."""
    return read_metadata(_load(body))


def read_page(body: bytes) -> MetadataPage:
    """Raises Unreasoned."""
    value = _load(body)
    items, head = (value.get("items"), value.get("metadata")) if isinstance(value, dict) else (None, None)
    if not isinstance(items, list | None) or not isinstance(head, dict):
        raise errors.Unreasoned("the server has answered a list with something else")
    found = [read_metadata(item) for item in items or ()]
    return MetadataPage(found, str(head.get("continue") or ""), str(head.get("resourceVersion") or ""))


def read_event(line: bytes) -> tuple[str, dict[str, Any]]:
    """Type and object. Raises Unreasoned."""
    value = _load(line)
    kind, obj = (value.get("type"), value.get("object")) if isinstance(value, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(obj, dict):
        raise errors.Unreasoned("the server has answered a watch with something else")
    return kind, obj


def read_metadata(obj: object) -> Metadata:
    """Raises Unreasoned where it is not what metadata has to be."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict) or not _is_text(metadata, "name") or not _is_text(metadata, "uid"):
        raise errors.Unreasoned("the server has answered with something that has no metadata")
    references = metadata.get("ownerReferences")
    are_texts = _may_be_texts(metadata, _TEXTS_OF_METADATA) and _are(metadata.get("finalizers"), str)
    if not are_texts or not _are(references, dict) or not all(_is_reference(each) for each in references or ()):
        raise errors.Unreasoned("the server has answered with metadata of other types")
    return metadata


def _is_reference(reference: Mapping[str, Any]) -> bool:
    return _may_be_texts(reference, _TEXTS_OF_REFERENCES)


def _may_be_texts(value: Mapping[str, Any], names: Iterable[str]) -> bool:
    return all(isinstance(value.get(name), str | None) for name in names)


def _is_text(value: Mapping[str, Any], name: str) -> bool:
    found = value.get(name)
    return isinstance(found, str) and bool(found)


def _are(values: object, kind: type) -> bool:
    return values is None or (isinstance(values, list) and all(isinstance(each, kind) for each in values))


def _load(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except ValueError:
        return None
