"""The forms in which lists and watches show objects beside the plain one: rows of a Table, metadata alone.

A form is made once for each (object form, transformation), so that watchers of the same form share their frames.
Source: apiserver/pkg/endpoints/handlers/response.go (asTable, asPartialObjectMetadata).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from quarterdeck._kernels.objectbytes import slice_metadata
from quarterdeck.apimachinery import clock, meta
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufForm
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import Query, first
from quarterdeck.endpoints.table import columns
from quarterdeck.registry.scope import Scope, TableConvertor
from quarterdeck.storage.cacher import Entry, Form, encode, frames
from quarterdeck.storage.cacher.forms import INITIAL_EVENTS_END, StoredForm, base_form

_FORMS_CACHED_MAX: Final = 4096
_PARTIAL: Final = negotiation.PARTIAL_METADATA


def form_of(scope: Scope, output: Output, query: Query) -> Form:
    """The form that was negotiated. Raises BadRequest for a bad includeObject.

    JSON stands in for protobuf where a kind's messages are not known: clients that ask for protobuf read JSON too."""
    if output.as_kind == negotiation.TABLE:
        include = columns.parse_include_object(first(query, "includeObject"))
        base = scope.object_form if include == columns.OBJECT_WHOLE else scope.shown_form or scope.object_form
        return _table_form(base, scope.table, include, output.meta_version)
    is_protobuf = output.media_type == negotiation.PROTOBUF
    if output.as_kind:
        form = _metadata_form(scope.shown_form or scope.object_form, output.meta_version)
        return _protobuf_form(form, f"meta.k8s.io/{output.meta_version}", _PARTIAL) if is_protobuf else form
    if not is_protobuf:
        return scope.object_form
    resource = scope.resource
    packed = protobuf_form(scope.object_form, resource.group, resource.version, resource.kind)
    return scope.object_form if packed is None else packed


@lru_cache(maxsize=_FORMS_CACHED_MAX)
def protobuf_form(form: Form, group: str, version: str, kind: str) -> ProtobufForm | None:
    """Objects of a kind as protobuf, one for each form of their JSON; None where the kind's messages are not known."""
    return (
        _protobuf_form(form, meta.join_api_version(group, version), kind)
        if protobuf.is_known(group, version, kind)
        else None
    )


@lru_cache(maxsize=_FORMS_CACHED_MAX)
def _table_form(form: Form, table: Callable[[], TableConvertor], include: str, meta_version: str) -> TableForm:
    return TableForm(form, table(), include, meta_version)


@lru_cache(maxsize=_FORMS_CACHED_MAX)
def _protobuf_form(form: Form, api_version: str, kind: str) -> ProtobufForm:
    return ProtobufForm(form, api_version, kind)


@lru_cache(maxsize=_FORMS_CACHED_MAX)
def _metadata_form(form: Form, meta_version: str) -> MetadataForm:
    return MetadataForm(form, meta_version)


class MetadataForm:
    """PartialObjectMetadata."""

    is_stored = False
    is_kept = False  # cutting the metadata out again is cheaper than keeping it
    has_header = False
    framing: frames.Framing = frames.JSON

    def __init__(self, form: Form, meta_version: str) -> None:
        self.base = form
        self._head = (
            b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/%b","metadata":' % meta_version.encode()
        )

        base = base_form(form)
        self._hidden = base.hidden_annotation if isinstance(base, StoredForm) else ""

    def encode(self, entry: Entry) -> bytes:
        return self.encode_data(encode(entry, self.base))

    def encode_data(self, data: bytes) -> bytes:
        metadata = slice_metadata(data)
        if metadata is None:
            metadata = codec.encode(codec.load(data).get("metadata") or {})
        if self._hidden:
            metadata = _hide_annotation(metadata, self._hidden)
        return b"%b%b}" % (self._head, metadata)

    def encode_first(self, entry: Entry) -> bytes:
        return self.encode(entry)

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        data = self.base.encode_bookmark(revision, is_initial_end=is_initial_end, is_first=is_first)
        return self.encode_data(data)


def _hide_annotation(metadata: bytes, key: str) -> bytes:
    found = codec.load(metadata)
    annotations = found.get("annotations") or {}
    if key not in annotations:
        return metadata
    del annotations[key]
    if not annotations:
        del found["annotations"]
    return codec.encode(found)


class TableForm:
    """A Table of one row; its columns are told with the first event of a watch only."""

    is_stored = False
    is_kept = False  # ages change
    has_header = True
    framing: frames.Framing = frames.JSON

    def __init__(self, form: Form, table: TableConvertor, include: str, meta_version: str) -> None:
        self.base = form
        self._table = table
        self._include = include
        self._meta_version = meta_version
        self._metadata_form = MetadataForm(form, meta_version)

    def encode(self, entry: Entry) -> bytes:
        return self._build(encode(entry, self.base), entry.revision, is_first=False)

    def encode_first(self, entry: Entry) -> bytes:
        return self._build(encode(entry, self.base), entry.revision, is_first=True)

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        data = self.base.encode_bookmark(revision, is_initial_end=is_initial_end, is_first=is_first)
        return self._build(data, revision, is_first=is_first)

    def encode_row(self, data: bytes, now_s: float) -> bytes:
        """The row of an object that is given in the form `base`."""
        obj = codec.load(data)
        if self._include == columns.OBJECT_WHOLE:
            shown = data
        # Without its annotation nobody could tell which bookmark ends the first events.
        elif self._include == columns.OBJECT_NONE and meta.annotations(obj).get(INITIAL_EVENTS_END) != "true":
            shown = b"null"
        else:
            shown = self._metadata_form.encode_data(data)
        return self._table.row(obj, now_s, shown)

    def in_order(self, entries: list[Entry]) -> list[Entry]:
        """As the rows of a list of them stand."""
        order = self._table.order
        if order is None:
            return entries
        return sorted(entries, key=lambda entry: order(codec.load(encode(entry, self.base))))

    def build_list(self, metadata: dict[str, object], rows: list[bytes]) -> bytes:
        table = self._table
        return columns.build_table(self._meta_version, metadata, table.definitions, rows, table.no_rows)

    def _build(self, data: bytes, revision: int, *, is_first: bool) -> bytes:
        row = self.encode_row(data, clock.wall_s())
        definitions = self._table.definitions if is_first or self._table.repeats_columns else None
        return columns.build_table(self._meta_version, {"resourceVersion": str(revision)}, definitions, (row,))
