"""OpenAPI as it is served: v3's index and one document for each group and version, and v2's one document of everything.

Who serves something says so (`put`, `remove`); a change makes the documents of its groups and versions stale, nothing
more. They are built at the first request, kept as bytes and compressed once.

Source: kube-openapi/pkg/handler3/handler.go; apiextensions-apiserver/pkg/controller/openapiv3/controller.go.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any, Final

import orjson

from quarterdeck.apis.document import Document
from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi.published import BUILTIN_INFO, Published
from quarterdeck.openapi.served_v2 import SwaggerDocument
from quarterdeck.transport.messages import Headers, Request, Response

ROOT: Final = "/openapi/v3"
V2: Final = "/openapi/v2"
_JSON: Final = "application/json"
_YEAR_S: Final = 365 * 24 * 3600


class OpenAPIDocuments:
    """Not safe for threads: one event loop feeds and asks it."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, list[Published]]] = {}  # path of the document → source → its part
        self._built: dict[str, tuple[Document, str]] = {}  # path → document and hash
        self._index: bytes | None = None
        self._swagger = SwaggerDocument()

    def put(self, source: str, published: Sequence[Published]) -> None:
        """What `source` serves now, in place of what it served before."""
        self._drop(source)
        self._swagger.put(source, published)
        for part in published:
            path = _path_of(part.resource)
            self._parts.setdefault(path, {}).setdefault(source, []).append(part)
            self._built.pop(path, None)
        self._index = None

    def remove(self, source: str) -> None:
        self.put(source, ())

    def _drop(self, source: str) -> None:
        for path in [path for path, sources in self._parts.items() if source in sources]:
            del self._parts[path][source]
            self._built.pop(path, None)
            if not self._parts[path]:
                del self._parts[path]

    def respond(self, request: Request) -> Response | None:
        """The answer for the index and the documents; None for other paths."""
        path = request.path.removesuffix("/")
        if path == V2:
            return self._swagger.respond(request)
        if path == ROOT:
            return self._respond_index()
        if not path.startswith(ROOT + "/"):
            return None
        name = path[len(ROOT) + 1 :]
        if name not in self._parts:
            return Response(404, [])
        document, digest = self._document(name)
        return _respond_document(request, name, document, digest)

    def _respond_index(self) -> Response:
        if self._index is None:
            urls = {
                name: {"serverRelativeURL": f"{ROOT}/{name}?hash={self._document(name)[1]}"}
                for name in sorted(self._parts)
            }
            self._index = orjson.dumps({"paths": urls})
        return Response(200, [("Content-Type", "text/plain; charset=utf-8")], self._index, compressible=True)

    def _document(self, name: str) -> tuple[Document, str]:
        built = self._built.get(name)
        if built is None:
            data = orjson.dumps(_build(self._parts[name]))
            digest = hashlib.sha512(data).hexdigest().upper()
            built = self._built[name] = (Document(data, _JSON), digest)
        return built


def _path_of(resource: APIResource) -> str:
    return f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"


def _respond_document(request: Request, name: str, document: Document, digest: str) -> Response:
    """With the right hash the document may be kept for ever; with another one the client is sent to the right one."""
    given = next((pair[5:] for pair in request.query.split("&") if pair.startswith("hash=")), "")
    if given and given != digest:
        location = f"{ROOT}/{name}?hash={digest}"
        return Response(301, [("Location", location), ("Content-Type", _JSON)])
    etag = f'"{digest}"'
    headers: Headers = [("Content-Type", _JSON), ("ETag", etag), ("Vary", "Accept")]
    if given:
        from email.utils import formatdate  # here, because the package email is large and needed for nothing else

        headers += [("Cache-Control", "public, immutable"), ("Expires", formatdate(time.time() + _YEAR_S, usegmt=True))]
    if request.headers.get("if-none-match") == etag:
        return Response(304, headers)
    body, encoding = document.encode(request.headers.get("accept-encoding", ""))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    return Response(200, headers, body)


def _build(sources: dict[str, list[Published]]) -> dict[str, Any]:
    # Imported late: the first request that asks for a document pays for them, not the start.
    from quarterdeck.openapi import v3
    from quarterdeck.openapi.parts import describe

    described = describe((part for parts in sources.values() for part in parts), is_v2=False)
    info = v3.CUSTOM_INFO if described.is_custom else BUILTIN_INFO
    return v3.build_document(info, described.resources, described.schemas)
