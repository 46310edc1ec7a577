"""Kubernetes' protobuf read with nothing of the product: enough of the wire format to look into answers and watches.

A message is a dict of field numbers to the values that stood there; counted bytes stay bytes until they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

MAGIC = b"k8s\x00"
Message = dict[int, list[Any]]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def read(data: bytes) -> Message:
    message: Message = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        size, at = _varint(data, at)
        assert tag & 7 in (0, 2), tag
        value: Any = size
        if tag & 7 == 2:
            value = data[at : at + size]
            assert len(value) == size
            at += size
        message.setdefault(tag >> 3, []).append(value)
    return message


class Unknown(NamedTuple):
    """runtime.Unknown: what an envelope says and holds."""

    api_version: str
    kind: str
    message: Message


def open_envelope(data: bytes) -> Unknown:
    assert data.startswith(MAGIC), data[:20]
    outer = read(data[len(MAGIC) :])
    type_meta = read(outer[1][0])
    assert outer[3] == [b""] and outer[4] == [b""]
    return Unknown(type_meta[1][0].decode(), type_meta[2][0].decode(), read(outer[2][0]))


class Event(NamedTuple):
    type: str
    object: Unknown


def read_events(data: bytes) -> Iterator[Event]:
    """A watch's body: lengths of four bytes, each with a WatchEvent."""
    while data:
        size = int.from_bytes(data[:4])
        assert len(data) >= 4 + size
        event = read(data[4 : 4 + size])
        yield Event(event[1][0].decode(), open_envelope(read(event[2][0])[1][0]))
        data = data[4 + size :]


class Metadata(NamedTuple):
    """ObjectMeta, as far as tests look."""

    name: str
    namespace: str
    revision: int
    labels: dict[str, str]
    annotations: dict[str, str]


def read_metadata(obj: Message) -> Metadata:
    metadata = read(obj[1][0])
    texts = [metadata.get(number, [b""])[0].decode() for number in (1, 3, 6)]
    return Metadata(texts[0], texts[1], int(texts[2] or 0), read_map(metadata, 11), read_map(metadata, 12))


def read_map(message: Message, number: int) -> dict[str, str]:
    entries = [read(entry) for entry in message.get(number, [])]
    return {entry[1][0].decode(): entry.get(2, [b""])[0].decode() for entry in entries}
