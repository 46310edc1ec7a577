"""OpenAPI v3 as it is served: the index and one document for each group and version, built at the first request.

Who serves something says so (`put`, `remove`); a change makes the documents of its groups and versions stale, nothing
more. Documents are kept as bytes, compressed once. No definition is copied until somebody asks.

Source: kube-openapi/pkg/handler3/handler.go; apiextensions-apiserver/pkg/controller/openapiv3/controller.go.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any, Final

import orjson

from quarterdeck.apis.document import Document
from quarterdeck.apis.resource import APIResource
from quarterdeck.transport.messages import Headers, Request, Response

ROOT: Final = "/openapi/v3"
_JSON: Final = "application/json"
_YEAR_S: Final = 365 * 24 * 3600
_BUILTIN_INFO: Final = {"title": "Kubernetes", "version": "v1.36.0"}
_SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"


@dataclass(frozen=True, slots=True)
class Published:
    """One resource in one version. `schema` is the definition's openAPIV3Schema, None for a built-in kind, whose type
    is known by name. `selectable` are the selectableFields as the definition has them."""

    resource: APIResource
    schema: dict[str, Any] | None
    is_custom: bool
    selectable: tuple[dict[str, Any], ...] = ()


class OpenAPIDocuments:
    """Not safe for threads: one event loop feeds and asks it."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, list[Published]]] = {}  # path of the document → source → its part
        self._built: dict[str, tuple[Document, str]] = {}  # path → document and hash
        self._index: bytes | None = None

    def put(self, source: str, published: Sequence[Published]) -> None:
        """What `source` serves now, in place of what it served before."""
        self._drop(source)
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
                name: {"serverRelativeURL": f"{ROOT}/{name}?hash={self._document(name)[1]}"} for name in sorted(self._parts)
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
        headers += [("Cache-Control", "public, immutable"), ("Expires", formatdate(time.time() + _YEAR_S, usegmt=True))]
    if request.headers.get("if-none-match") == etag:
        return Response(304, headers)
    body, encoding = document.encode(request.headers.get("accept-encoding", ""))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    return Response(200, headers, body)


def _build(sources: dict[str, list[Published]]) -> dict[str, Any]:
    # Imported late: the first request that asks for a document pays for them, not the start.
    from quarterdeck.openapi import names, publish, types, v3
    from quarterdeck.openapi.operations import PathResource

    schemas: dict[str, Any] = {}
    resources: list[PathResource] = []
    known = {(gvk["group"], gvk["version"], gvk["kind"]): name for name, gvk in types.library().kinds()}
    is_custom = True
    for part in (part for parts in sources.values() for part in parts):
        resource = part.resource
        is_custom = part.is_custom
        if part.is_custom:
            definition = names.definition_name(resource.group, resource.version, resource.kind)
            listing = names.definition_name(resource.group, resource.version, resource.list_kind)
            gvk = {"group": resource.group, "kind": resource.kind, "version": resource.version}
            list_gvk = {**gvk, "kind": resource.list_kind}
            selectable = list(part.selectable)
            schemas[definition] = publish.publish(part.schema, gvk, selectable, is_v2=False)
            schemas[listing] = publish.publish_list(definition, list_gvk, resource.name, selectable, is_v2=False)
        else:
            definition = known.get((resource.group, resource.version, resource.kind), "")
            listing = known.get((resource.group, resource.version, resource.list_kind), "")
            if not definition:
                continue
        subresources = tuple(
            (each.name, _SCALE if each.gvk.kind == "Scale" else definition) for each in resource.subresources
        )
        resources.append(
            PathResource(
                group=resource.group,
                version=resource.version,
                plural=resource.name,
                kind=resource.kind,
                definition=definition,
                list_definition=listing,
                namespaced=resource.namespaced,
                subresources=subresources,
                is_custom=part.is_custom,
            )
        )
    return v3.build_document(v3.CUSTOM_INFO if is_custom else _BUILTIN_INFO, resources, schemas)
