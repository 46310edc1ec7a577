"""Objects as protobuf: the bytes of an entry, what a watch is sent, and lists.

A form's bytes are the message alone, without its envelope: the same ones stand in an object's answer, in an event and
in a list, and they are kept with the entry. In a watch an event is a length of four bytes and a WatchEvent, whose
object is the message in its envelope.

Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go, util/framer (NewLengthDelimitedFrameWriter).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from quarterdeck._kernels.protobufwire import bytes_field, bytes_head
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.endpoints import negotiation
from quarterdeck.storage.cacher import Entry, Form, encode
from quarterdeck.storage.cacher.frames import ERROR, TYPES, Framing
from quarterdeck.transport.messages import LazyBody, Response

_CONTENT_TYPE: Final = ("Content-Type", negotiation.PROTOBUF)
_TYPE_FIELDS: Final = {kind: bytes_field(1, name) for kind, name in TYPES.items()}


class ProtobufFraming(Framing):
    content_type = f"{negotiation.PROTOBUF};stream=watch"

    def __init__(self, api_version: str, kind: str) -> None:
        self._api_version, self._kind = api_version, kind

    def ends(self, kind: int, size: int) -> tuple[bytes, bytes]:
        head, tail = protobuf.envelope_ends(self._api_version, self._kind, size)
        envelope_size = len(head) + size + len(tail)
        raw_head = bytes_head(1, envelope_size)
        event_head = _TYPE_FIELDS[kind] + bytes_head(2, len(raw_head) + envelope_size) + raw_head
        return (len(event_head) + envelope_size).to_bytes(4) + event_head + head, tail

    def frame_error(self, error: errors.APIStatus) -> bytes:
        return _STATUS.frame_event(ERROR, protobuf.encode_message(error.to_status(), "v1", "Status"))


_STATUS: Final = ProtobufFraming("v1", "Status")


class ProtobufForm:
    """`base` gives the JSON of the same objects. Their kind has a protobuf form that is known (`protobuf.is_known`).
    `enclose` puts the envelope around a message."""

    is_stored = False
    is_kept = True
    has_header = False

    def __init__(self, base: Form, api_version: str, kind: str) -> None:
        self.base = base
        self.framing: Framing = ProtobufFraming(api_version, kind)
        self._api_version, self._kind = api_version, kind
        self.enclose = protobuf.enclosing(api_version, kind)
        self._encode = protobuf.text_writer(api_version, kind)

    def encode(self, entry: Entry) -> bytes:
        return self._encode(entry.data if self.base.is_stored else encode(entry, self.base))

    def encode_first(self, entry: Entry) -> bytes:
        return self.encode(entry)

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        return self._encode(self.base.encode_bookmark(revision, is_initial_end=is_initial_end, is_first=is_first))

    def respond(self, status: int, message: bytes) -> Response:
        """The answer with one object."""
        return Response(status, [_CONTENT_TYPE], self.enclose(message), compressible=True)

    def respond_list(self, metadata: dict[str, object], messages: list[bytes], piece_bytes: int) -> Response:
        """The answer with a list, joined in pieces of about that size while it is sent."""
        list_kind = self._kind + "List"
        parts = protobuf.encode_items(self._api_version, list_kind, messages)
        items_size = sum(map(len, parts))
        head, tail = protobuf.encode_list_ends(self._api_version, list_kind, metadata, items_size)
        headers = [_CONTENT_TYPE]
        if items_size <= piece_bytes:
            return Response(200, headers, head + b"".join(parts) + tail, compressible=True)
        count = max(2, piece_bytes * len(parts) // items_size)
        body = LazyBody(len(head) + items_size + len(tail), lambda: _join_pieces(head, parts, tail, count))
        return Response(200, headers, body, compressible=True)


def _join_pieces(head: bytes, parts: list[bytes], tail: bytes, count: int) -> Iterator[bytes]:
    yield head
    for begin in range(0, len(parts), count):
        yield b"".join(parts[begin : begin + count])
    yield tail
