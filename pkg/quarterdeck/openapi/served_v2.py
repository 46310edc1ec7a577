"""OpenAPI v2 as it is served: one document of everything, in JSON and in protobuf.

What one source contributes is built once and kept as bytes, so that a changed definition costs its own part and a join.
Source: kube-openapi/pkg/handler/handler.go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from quarterdeck.apis.document import Document
from quarterdeck.openapi.published import BUILTIN_INFO, Published
from quarterdeck.transport.messages import Headers, Request, Response

JSON: Final = "application/json"
# clients ask with @v1.0, answers say .v1.0 (a media type has no @)
PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_PROTOBUF_ASKED: Final = (PROTOBUF, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
_JSON_ASKED: Final = (JSON, "application/*", "*/*")

Encoded = dict[str, bytes]  # one path or definition each, by its name


@dataclass(frozen=True, slots=True)
class _Part:
    """What a source contributes, in one encoding."""

    paths: Encoded
    definitions: Encoded


class SwaggerDocument:
    """Not safe for threads: one event loop feeds and asks it."""

    def __init__(self) -> None:
        self._published: dict[str, Sequence[Published]] = {}
        self._parts: dict[tuple[str, str], _Part] = {}  # source and media type
        self._documents: dict[str, tuple[Document, str]] = {}  # media type → document and ETag

    def put(self, source: str, published: Sequence[Published]) -> None:
        """What `source` serves now, in place of what it served before."""
        if published:
            self._published[source] = published
        else:
            self._published.pop(source, None)
        for media_type in (JSON, PROTOBUF):
            self._parts.pop((source, media_type), None)
        self._documents.clear()

    def respond(self, request: Request) -> Response:
        media_type = _choose(request.headers.get("accept", ""))
        if media_type is None:
            return Response(406, [])
        document, etag = self._document(media_type)
        headers: Headers = [("Content-Type", media_type), ("ETag", etag), ("Vary", "Accept")]
        if request.headers.get("if-none-match") == etag:
            return Response(304, headers)
        body, encoding = document.encode(request.headers.get("accept-encoding", ""))
        if encoding:
            headers.append(("Content-Encoding", encoding))
        return Response(200, headers, body)

    def _document(self, media_type: str) -> tuple[Document, str]:
        kept = self._documents.get(media_type)
        if kept is None:
            data = self._join(media_type)
            etag = f'"{hashlib.sha512(data).hexdigest().upper()}"'
            kept = self._documents[media_type] = (Document(data, media_type), etag)
        return kept

    def _join(self, media_type: str) -> bytes:
        paths: Encoded = {}
        definitions: Encoded = {}
        for source, published in self._published.items():
            part = self._parts.get((source, media_type))
            if part is None:
                part = self._parts[source, media_type] = _build(published, media_type)
            paths |= part.paths
            definitions |= part.definitions
        if media_type == JSON:
            return b'{"swagger":"2.0","info":%b,"paths":{%b},"definitions":{%b}}' % (
                orjson.dumps(BUILTIN_INFO),
                b",".join(paths[name] for name in sorted(paths)),
                b",".join(definitions[name] for name in sorted(definitions)),
            )
        from quarterdeck.openapi import v2_protobuf

        return v2_protobuf.encode_document(
            BUILTIN_INFO,
            (paths[name] for name in sorted(paths)),
            (definitions[name] for name in sorted(definitions)),
        )


def _choose(accept: str) -> str | None:
    """The media type of the first clause that can be met; parameters and weights do not count, as upstream."""
    for clause in accept.split(",") if accept.strip() else ["*/*"]:
        name = clause.partition(";")[0].strip().lower()
        if name in _JSON_ASKED:
            return JSON
        if name in _PROTOBUF_ASKED:
            return PROTOBUF
    return None


def _build(published: Sequence[Published], media_type: str) -> _Part:
    # Imported late: the first request that asks for a document pays for them, not the start.
    from quarterdeck.openapi import publish, v2, v2_protobuf
    from quarterdeck.openapi.parts import describe

    described = describe(published, is_v2=True)
    paths, needed = v2.build_paths(described.resources)
    if described.is_custom:
        needed |= {publish.OBJECT_META, publish.LIST_META}
    definitions = v2.library_definitions(needed - described.schemas.keys()) | described.schemas
    if media_type == PROTOBUF:
        return _Part(
            {name: v2_protobuf.encode_paths({name: item}) for name, item in paths.items()},
            {name: v2_protobuf.encode_definitions({name: item}) for name, item in definitions.items()},
        )
    return _Part(_to_json(paths), _to_json(definitions))


def _to_json(entries: dict[str, Any]) -> Encoded:
    return {name: orjson.dumps(name) + b":" + orjson.dumps(item) for name, item in entries.items()}
