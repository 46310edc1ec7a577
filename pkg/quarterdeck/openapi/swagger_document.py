"""OpenAPI v2 as it is served: one document of everything, in JSON and in protobuf.

Source: kube-openapi/pkg/handler/handler.go.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Generator, Iterator, Sequence
from typing import Final

import orjson

from quarterdeck.apimachinery import accept
from quarterdeck.openapi.contributions import Built, Contribution, build_in_steps
from quarterdeck.openapi.foreign import ForeignContribution
from quarterdeck.openapi.form import Form
from quarterdeck.openapi.joining import Documents
from quarterdeck.openapi.publication import BUILTIN_INFO, SECURITY
from quarterdeck.transport import ranges
from quarterdeck.transport.messages import Headers, Request, Response
from quarterdeck.transport.pieces import Joined, Piece, compress

JSON: Final = "application/json"
# clients ask with @v1.0, answers say .v1.0 (a media type has no @)
PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_PROTOBUF_ASKED: Final = (PROTOBUF, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
_JSON_ASKED: Final = (JSON, "application/*", "*/*")
_MEDIA_TYPES: Final = {Form.JSON_2: JSON, Form.PROTOBUF_2: PROTOBUF}
_VARY: Final = (("Vary", "Accept-Encoding"), ("Vary", "Accept"))
_COMMA: Final = compress(b",")
# So often a document is joined for a request because something has changed meanwhile. After that it is told as it was.
ROUNDS_MAX: Final = 3

_Told = tuple[str, ForeignContribution]


class SwaggerDocument:
    """`contributions` are those of everything that is served, by source and place; they belong to OpenAPIDocuments."""

    def __init__(self, release: str, contributions: dict[tuple[str, str], Contribution]) -> None:
        self._release = release
        self._contributions = contributions
        self._documents: Documents[Form] = Documents()
        self._changed_s = time.time()
        self._foreign: dict[str, _Told] = {}  # source → place, what another server publishes

    def put_foreign(self, source: str, place: str, told: ForeignContribution | None) -> None:
        """What `source` publishes at `place` (as the contributions' places are); None: nothing any more."""
        before = self._foreign.pop(source, None)
        if told is not None:
            self._foreign[source] = place, told
        if (before[1].digest if before else b"") != (told.digest if told else b""):
            self.changed()

    def changed(self) -> None:
        for form in _MEDIA_TYPES:
            self._documents.forget(form)
        self._changed_s = time.time()

    def respond(self, request: Request) -> Response | Awaitable[Response]:
        form = _choose(request.headers.get("accept", ""))
        if form is None:
            return Response(406, list(_VARY))
        document = self._documents.get(form)
        return self._answer_later(request, form) if document is None else self._answer(request, form, document)

    async def _answer_later(self, request: Request, form: Form) -> Response:
        for _ in range(ROUNDS_MAX):
            own = [contribution for _, contribution in sorted(self._contributions.items())]
            places = {place for place, _ in self._contributions}
            foreign = [told for _, told in sorted(self._foreign.items()) if told[0] not in places]
            document = await self._documents.join(form, _join(self._release, form, own, foreign))
            if self._documents.get(form) is not None:
                break
        return self._answer(request, form, document)

    def _answer(self, request: Request, form: Form, document: Joined) -> Response:
        etag = f'"{document.etag}"'
        headers: Headers = [("ETag", etag), *_VARY]
        return ranges.serve(request, headers, _MEDIA_TYPES[form], etag, self._changed_s, lambda: document)


def _join(
    release: str, form: Form, contributions: list[Contribution], foreign: Sequence[_Told]
) -> Generator[None, None, Joined]:
    """`foreign`: what other servers publish at places that this one has nothing at."""
    from quarterdeck.openapi import encode

    digest = hashlib.sha512(f"{release} {form.value}".encode())
    built = yield from build_in_steps(contributions, form)
    for contribution in contributions:
        digest.update(contribution.digest)
    taken = frozenset().union(*(each.names for each in built))
    shared = {name: told for each in built for name, told in each.parameters.items()}
    for _, told in foreign:
        digest.update(told.digest)
        built.append(told.build(form, taken, shared))
        taken |= built[-1].names
        shared |= built[-1].parameters
        yield
    parameters = encode.encode_parameters(shared, form)
    library = yield from encode.encode_library(frozenset().union(*(each.needed for each in built)), form)
    frame = _frame_json if form is Form.JSON_2 else _frame_protobuf
    return Joined(list(frame(built, library, parameters)), digest.hexdigest().upper())


def _frame_json(built: list[Built], library: Piece, parameters: Piece) -> Iterator[Piece]:
    yield compress(b'{"swagger":"2.0","info":%b,"paths":{' % orjson.dumps(BUILTIN_INFO))
    yield from separate([each.paths for each in built])
    yield compress(b'},"definitions":{')
    yield from separate([*(each.definitions for each in built), library])
    if parameters.size:
        yield compress(b'},"parameters":{')
        yield parameters
    required: list[dict[str, list[str]]] = [{name: []} for name in SECURITY]
    yield compress(b'},"securityDefinitions":%b,"security":%b}' % (orjson.dumps(SECURITY), orjson.dumps(required)))


def separate(members: list[Piece]) -> Iterator[Piece]:
    """The members of a JSON object that lie in pieces, with commas between the pieces."""
    is_first = True
    for piece in members:
        if piece.size:
            if not is_first:
                yield _COMMA
            yield piece
            is_first = False


def _frame_protobuf(built: list[Built], library: Piece, parameters: Piece) -> Iterator[Piece]:
    from quarterdeck.openapi import protobuf_v2

    paths = [each.paths for each in built]
    definitions = [*(each.definitions for each in built), library]
    yield compress(protobuf_v2.encode_head(BUILTIN_INFO) + protobuf_v2.open_paths(sum(each.size for each in paths)))
    yield from paths
    yield compress(protobuf_v2.open_definitions(sum(each.size for each in definitions)))
    yield from definitions
    yield compress(protobuf_v2.open_parameters(parameters.size))
    yield parameters
    yield compress(protobuf_v2.encode_security(SECURITY))


def _choose(header: str) -> Form | None:
    """What the first clause that can be met asks for; parameters do not count, as upstream."""
    for clause in accept.parse(header or "*/*"):
        name = f"{clause.media_type}/{clause.subtype}"
        if name in _JSON_ASKED:
            return Form.JSON_2
        if name in _PROTOBUF_ASKED:
            return Form.PROTOBUF_2
    return None
