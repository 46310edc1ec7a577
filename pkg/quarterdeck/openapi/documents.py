"""OpenAPI as it is served: v3's index and one document for each group and version, and v2's one document of everything.

Who serves something says so (`put`, `remove`): that replaces its own contributions and makes documents with them
stale, nothing more. Documents are joined at the first request. Their hashes follow from what is published, not from the
documents, so that the index of all needs none of them.

Source: kube-openapi/pkg/handler3/handler.go; apiextensions-apiserver/pkg/controller/openapiv3/controller.go.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Generator, Iterator, Sequence
from typing import Final

import orjson

from quarterdeck.apimachinery import accept
from quarterdeck.openapi.contributions import Contribution, build_in_steps
from quarterdeck.openapi.foreign import ForeignContribution
from quarterdeck.openapi.form import Form
from quarterdeck.openapi.joining import Documents
from quarterdeck.openapi.publication import BUILTIN_INFO, CUSTOM_INFO, SECURITY, Page, Published, Security
from quarterdeck.openapi.swagger_document import ROUNDS_MAX, SwaggerDocument, separate
from quarterdeck.transport import freshness, ranges
from quarterdeck.transport.messages import Headers, Request, Response
from quarterdeck.transport.pieces import Joined, Piece, compress

ROOT: Final = "/openapi/v3"
V2: Final = "/openapi/v2"
_JSON: Final = "application/json"
# clients ask with @v1.0, answers say .v1.0 (a media type has no @)
_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
_MEDIA_TYPES: Final = {Form.JSON_3: _JSON, Form.PROTOBUF_3: _PROTOBUF}
_FORMS: Final = {
    _JSON: Form.JSON_3,
    "application/*": Form.JSON_3,
    "*/*": Form.JSON_3,
    _PROTOBUF: Form.PROTOBUF_3,
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf": Form.PROTOBUF_3,
}
_YEAR_S: Final = 365 * 24 * 3600
# Parts of one source in documents of version 3 that it does not serve any more.
KEPT_MAX: Final = 4

Contributions = dict[str, Contribution]


class OpenAPIDocuments:
    """Not safe for threads: one event loop feeds and asks it. `release` names the program that writes the documents:
    another one may write others of the same definitions. `base` stands before the paths of this server in addresses."""

    def __init__(self, release: str = "", base: str = "") -> None:
        self._release = release
        self._base = base
        self._contributions: dict[str, Contributions] = {}  # path of the document → source → its contribution
        self._paths_of: dict[str, tuple[str, ...]] = {}  # source → the paths that it takes part in, old ones first
        self._all: dict[tuple[str, str], Contribution] = {}  # (path, source) → the same but for those that are kept
        self._hashes: dict[str, str] = {}
        self._documents: Documents[tuple[str, Form]] = Documents()
        self._index: Joined | None = None
        self._indexed_s = 0.0
        self._elsewhere: dict[str, dict[str, str]] = {}  # source → path of a document that another server has → address
        self._swagger = SwaggerDocument(release, self._all)
        self._changed_s: dict[str, float] = {}  # path → when its document changed

    def put(self, source: str, published: Sequence[Published | Page], *, keeps_gone: bool = False) -> None:
        """What `source` serves now, in place of what it served before. `keeps_gone`: its part in documents of version 3
        in which it serves nothing any more stays as it was last."""
        parts: dict[str, list[Published | Page]] = {}
        for part in published:
            parts.setdefault(_path_of(part), []).append(part)
        is_changed = False
        gone = [path for path in self._paths_of.pop(source, ()) if path not in parts]
        # Differs from upstream: the last few are kept.
        kept = gone[-KEPT_MAX:] if keeps_gone else []
        for path in gone:
            is_changed |= self._all.pop((path, source), None) is not None
            if path not in kept:
                self._drop(path, source)
                is_changed = True
        for path, of_path in parts.items():
            contribution, known = Contribution(of_path), self._all.get((path, source))
            if known is not None and known.digest == contribution.digest:
                continue
            self._contributions.setdefault(path, {})[source] = self._all[path, source] = contribution
            self._forget(path)
            is_changed = True
        if kept or parts:
            self._paths_of[source] = (*kept, *parts)
        if is_changed:
            self._index = None
            self._swagger.changed()

    def _drop(self, path: str, source: str) -> None:
        del self._contributions[path][source]
        if not self._contributions[path]:
            del self._contributions[path]
        self._forget(path)

    def put_same(self, source: str, other: OpenAPIDocuments) -> None:
        """What `source` serves there, which it serves here as well: what is made of it is made once."""
        paths = self._paths_of[source] = other._paths_of[source]
        for path in paths:
            contribution = other._all[path, source]
            self._contributions.setdefault(path, {})[source] = self._all[path, source] = contribution
            self._forget(path)
        self._index = None
        self._swagger.changed()

    def remove(self, source: str) -> None:
        self.put(source, ())

    def put_elsewhere(self, source: str, addresses: dict[str, str]) -> None:
        """Documents that other servers have, by path: the index tells of them, and whoever knows those servers
        answers for them. Empty: `source` has none any more."""
        if self._elsewhere.get(source, {}) == addresses:
            return
        self._elsewhere.pop(source, None)
        if addresses:
            self._elsewhere[source] = addresses
        self._index = None

    def put_foreign(self, source: str, path: str, told: ForeignContribution | None) -> None:
        """What another server publishes as v2 of what this server would have at `path`; None: nothing any more."""
        self._swagger.put_foreign(source, path, told)

    def _forget(self, path: str) -> None:
        self._hashes.pop(path, None)
        self._changed_s[path] = time.time()
        for form in _MEDIA_TYPES:
            self._documents.forget((path, form))

    def respond(self, request: Request) -> Response | Awaitable[Response] | None:
        """The answer for the index and the documents; None for other paths."""
        path = request.path
        if path == ROOT:
            return self._respond_index(request)
        if path == V2:
            return self._swagger.respond(request)
        if not path.startswith(ROOT + "/"):
            return None
        name = path[len(ROOT) + 1 :]
        if name not in self._contributions:
            return Response(404, [])
        clauses = accept.parse(request.headers.get("accept", "") or "*/*")
        if not clauses:  # none that can be read; upstream answers nothing then
            return Response(200, [])
        form = _choose(clauses)
        if form is None:
            return Response(406, [("Vary", "Accept")])
        document = self._documents.get((name, form))
        if document is None:
            return self._respond_later(request, name, form)
        return self._respond_document(request, name, form, document)

    async def _respond_later(self, request: Request, name: str, form: Form) -> Response:
        for _ in range(ROUNDS_MAX):
            if name not in self._contributions:
                break
            contributions = [contribution for _, contribution in sorted(self._contributions[name].items())]
            steps = _join(name, contributions, form, self._hash(name))
            document = await self._documents.join((name, form), steps)
            if self._documents.get((name, form)) is not None:
                break
        if name not in self._contributions:
            return Response(404, [])
        return self._respond_document(request, name, form, document)

    def _respond_index(self, request: Request) -> Response:
        if self._index is None:
            urls = {name: f"{ROOT}/{name}?hash={self._hash(name)}" for name in self._contributions}
            for addresses in self._elsewhere.values():
                urls |= addresses
            paths = {name: {"serverRelativeURL": self._base + url} for name, url in sorted(urls.items())}
            self._index = Joined([compress(orjson.dumps({"paths": paths}))], "")
            # Another second than before: clients compare whole ones, and would take the old index for this one.
            self._indexed_s = max(time.time(), int(self._indexed_s) + 1)
        modified = ("Last-Modified", freshness.http_time(self._indexed_s))
        if status := freshness.judge(request, "", self._indexed_s):
            return Response(status, [modified])
        headers = [("Content-Type", "text/plain; charset=utf-8"), modified]
        return ranges.answer(request, headers, "", self._indexed_s, self._index)

    def _hash(self, name: str) -> str:
        known = self._hashes.get(name)
        if known is None:
            from quarterdeck.openapi.library.digest import of_texts, of_version  # imported late: its texts are large

            texts = of_texts() + of_version(*_version_of(name))
            digest = hashlib.sha512(f"{self._release} {name}".encode() + texts)
            for _, contribution in sorted(self._contributions[name].items()):
                digest.update(contribution.digest)
            known = self._hashes[name] = digest.hexdigest().upper()
        return known

    def _respond_document(self, request: Request, name: str, form: Form, document: Joined) -> Response:
        """With the right hash the document may be kept for ever; with another one the client is sent to that one."""
        digest = document.etag
        given = next((pair[5:] for pair in request.query.split("&") if pair.startswith("hash=")), "")
        if given and given != digest:
            location = f"{self._base}{ROOT}/{name}?hash={digest}"
            return Response(301, [("Location", location), ("Content-Type", _MEDIA_TYPES[form]), ("Vary", "Accept")])
        etag = f'"{digest}"'
        headers: Headers = [("ETag", etag), ("Vary", "Accept")]
        if given:
            expires = freshness.http_time(time.time() + _YEAR_S)
            headers += [("Cache-Control", "public, immutable"), ("Expires", expires)]
        # Differs from upstream: compressed where the client takes that.
        return ranges.serve(request, headers, _MEDIA_TYPES[form], etag, self._changed_s[name], lambda: document)


def _choose(clauses: Sequence[accept.Clause]) -> Form | None:
    for clause in clauses:
        if form := _FORMS.get(f"{clause.media_type}/{clause.subtype}"):
            return form
    return None


def _path_of(part: Published | Page) -> str:
    if isinstance(part, Page):
        return part.document
    resource = part.resource
    return f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"


def _version_of(name: str) -> tuple[str, str]:
    """The group and the version that a document is about, if any."""
    parts = name.split("/")
    if parts[0] == "api":
        return "", parts[-1]
    return (parts[1], parts[2]) if len(parts) == 3 else ("", "")


def _join(name: str, contributions: list[Contribution], form: Form, digest: str) -> Generator[None, None, Joined]:
    from quarterdeck.openapi import encode

    built = yield from build_in_steps(contributions, form)
    is_custom = any(part.is_custom for contribution in contributions for part in contribution.published)
    info = CUSTOM_INFO if is_custom else BUILTIN_INFO
    needed = frozenset().union(*(each.needed for each in built))
    library = yield from encode.encode_library(needed, form, None if is_custom else _version_of(name))
    paths, schemas = [each.paths for each in built], [*(each.definitions for each in built), library]
    frame = _frame_json if form is Form.JSON_3 else _frame_protobuf
    return Joined(list(frame(info, paths, schemas, {} if is_custom else SECURITY)), digest)


def _frame_json(info: dict[str, str], paths: list[Piece], schemas: list[Piece], security: Security) -> Iterator[Piece]:
    yield compress(b'{"openapi":"3.0.0","info":%b,"paths":{' % orjson.dumps(info))
    yield from separate(paths)
    yield compress(b'},"components":{')
    if any(each.size for each in schemas):
        yield compress(b'"schemas":{')
        yield from separate(schemas)
        yield compress(b"}," if security else b"}")
    yield compress((b'"securitySchemes":%b}}' % orjson.dumps(security)) if security else b"}}")


def _frame_protobuf(
    info: dict[str, str], paths: list[Piece], schemas: list[Piece], security: Security
) -> Iterator[Piece]:
    from quarterdeck.openapi import protobuf_v3

    yield compress(protobuf_v3.encode_head(info) + protobuf_v3.open_paths(sum(each.size for each in paths)))
    yield from paths
    behind = protobuf_v3.encode_security(security)
    yield compress(protobuf_v3.open_schemas(sum(each.size for each in schemas), len(behind)))
    yield from schemas
    yield compress(behind)
