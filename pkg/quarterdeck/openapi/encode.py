"""Writes what one source publishes, and the library's types, as members of OpenAPI documents.

Members of JSON come without the braces around them, entries of protobuf's maps one after another: both are joined with
those of other contributions. Sources: kube-openapi/pkg/{builder,builder3}/openapi.go.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import orjson

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.openapi import builtin_types, custom_schemas, paths_v2, paths_v3, protobuf_v2, protobuf_v3
from quarterdeck.openapi.describe import describe
from quarterdeck.openapi.form import Form
from quarterdeck.openapi.publication import Page, Published
from quarterdeck.transport.pieces import Piece, compress

Version = tuple[str, str]  # a group, and a version of it


class Encoded(NamedTuple):
    """Paths, definitions, the names of the types that these refer to, those of the definitions, and what paths of
    version 2 share."""

    paths: bytes
    definitions: bytes
    needed: frozenset[str]
    names: frozenset[str]
    parameters: dict[str, Any]


_METADATA = frozenset((custom_schemas.OBJECT_META, custom_schemas.LIST_META))


def encode_published(published: Sequence[Published | Page], form: Form) -> Encoded:
    """What one source publishes, as the inside of the lists and maps of a document: without braces where it is JSON."""
    described = describe(published, is_v2=form.is_v2)
    shared: dict[str, Any] = {}
    if form.is_v2:
        paths, needed, shared = paths_v2.build_paths(described.resources)
    else:
        paths, needed = paths_v3.build_paths(described.resources)
    if described.schemas:
        needed |= _METADATA  # custom resources refer to no other types
    if form is Form.PROTOBUF_2:
        written = protobuf_v2.encode_paths(paths), protobuf_v2.encode_definitions(described.schemas)
    elif form is Form.PROTOBUF_3:
        written = protobuf_v3.encode_paths(paths), protobuf_v3.encode_schemas(described.schemas)
    else:
        written = orjson.dumps(paths)[1:-1], json_codec.encode(described.schemas)[1:-1]
    own = frozenset(described.schemas)  # none of them is the library's, even where the library has one of that name
    return Encoded(*written, frozenset(needed) - own, own, shared)


def encode_parameters(shared: dict[str, Any], form: Form) -> Piece:
    """What a document of version 2 says once for all its paths, by name."""
    ordered = dict(sorted(shared.items()))
    return compress(protobuf_v2.encode_parameters(ordered) if form is Form.PROTOBUF_2 else orjson.dumps(ordered)[1:-1])


@cache
def _write_type(name: str, form: Form, version: Version | None) -> bytes:
    library = builtin_types.library()
    schema = library.schema_v2(name) if form.is_v2 else library.schema_v3(name, version)
    if form is Form.PROTOBUF_2:
        return protobuf_v2.encode_definitions({name: schema})
    if form is Form.PROTOBUF_3:
        return protobuf_v3.encode_schemas({name: schema})
    return orjson.dumps(name) + b":" + orjson.dumps(schema)


def encode_library(needed: Iterable[str], form: Form, version: Version | None = None) -> Generator[None, None, Piece]:
    """The library's types among `needed`, with all that they refer to, as the document of a version of a group has
    them; None: that of everything, or of definitions. In steps: there are thousands."""
    library = builtin_types.library()
    yield
    entries = []
    for name in library.collect(needed):
        entries.append(_write_type(name, form, version if library.is_shared(name) else None))
        yield
    return compress((b"," if form in (Form.JSON_2, Form.JSON_3) else b"").join(entries))
