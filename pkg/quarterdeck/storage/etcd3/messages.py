"""The messages of etcd's API that are used here, as bytes and back.

Only the fields that are needed are written and read; others are passed over, so that newer servers may send more.
Numbers stand beside their names.

Source: etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto (v3.4 to v3.6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from quarterdeck.apimachinery.codec.protobuf_wire import bytes_field, varint_field

KV: Final = "/etcdserverpb.KV/"
WATCH: Final = "/etcdserverpb.Watch/Watch"
LEASE: Final = "/etcdserverpb.Lease/"
MAINTENANCE: Final = "/etcdserverpb.Maintenance/"
_COMPARE_MOD: Final = 2
_COMPARE_VERSION: Final = 0
_VARINT_BYTES_MAX: Final = 10
_INT64_SIGN: Final = 1 << 63


class MalformedMessage(ValueError):
    """It is not what etcd sends."""


class Record(NamedTuple):
    """mvccpb.KeyValue: key = 1, create_revision = 2, mod_revision = 3, version = 4, value = 5, lease = 6."""

    key: bytes
    value: bytes
    revision: int
    create_revision: int
    version: int


class Ranged(NamedTuple):
    """RangeResponse: header = 1, kvs = 2, count = 4 (of the whole range). `revision` is the store's."""

    records: list[Record]
    total: int
    revision: int


class Outcome(NamedTuple):
    """TxnResponse: header = 1, succeeded = 2, responses = 3. `found`: what the comparison met, where it failed."""

    succeeded: bool
    revision: int
    found: Record | None


class WatchEvent(NamedTuple):
    """mvccpb.Event: type = 1 (DELETE is 1), kv = 2."""

    is_delete: bool
    record: Record


class Watched(NamedTuple):
    """WatchResponse: header = 1, created = 3, canceled = 4, compact_revision = 5, cancel_reason = 6, fragment = 7,
    events = 11."""

    revision: int
    created: bool
    canceled: bool
    compact_revision: int
    reason: str
    fragment: bool
    events: list[WatchEvent]


# - requests


def encode_range(key: bytes, end: bytes = b"", *, limit: int = 0, revision: int = 0, keys_only: bool = False) -> bytes:
    """RangeRequest: key = 1, range_end = 2, limit = 3, revision = 4, keys_only = 8."""
    parts = [bytes_field(1, key)]
    if end:
        parts.append(bytes_field(2, end))
    if limit:
        parts.append(varint_field(3, limit))
    if revision:
        parts.append(varint_field(4, revision))
    if keys_only:
        parts.append(varint_field(8, 1))
    return b"".join(parts)


def encode_put(key: bytes, value: bytes, expected_revision: int, lease: int = 0) -> bytes:
    """TxnRequest: put where the key's revision is the expected one (0: there is no such key), else say what is."""
    put = bytes_field(1, key) + bytes_field(2, value) + (varint_field(3, lease) if lease else b"")
    return _encode_txn(key, _COMPARE_MOD, expected_revision, bytes_field(2, put))


def encode_delete(key: bytes, expected_revision: int) -> bytes:
    return _encode_txn(key, _COMPARE_MOD, expected_revision, bytes_field(3, bytes_field(1, key)))


def encode_put_version(key: bytes, value: bytes, expected_version: int) -> bytes:
    """As `encode_put`, by how often the key has been written."""
    put = bytes_field(1, key) + bytes_field(2, value)
    return _encode_txn(key, _COMPARE_VERSION, expected_version, bytes_field(2, put))


def _encode_txn(key: bytes, target: int, expected: int, operation: bytes) -> bytes:
    """TxnRequest: compare = 1, success = 2, failure = 3. Compare: target = 2, key = 3, version = 4, mod_revision = 6.
    RequestOp: request_range = 1, request_put = 2, request_delete_range = 3."""
    number = 6 if target == _COMPARE_MOD else 4
    compare = varint_field(2, target) + bytes_field(3, key) + varint_field(number, expected)
    look = bytes_field(1, bytes_field(1, key))
    return bytes_field(1, compare) + bytes_field(2, operation) + bytes_field(3, look)


def encode_watch(key: bytes, end: bytes, start_revision: int) -> bytes:
    """WatchRequest: create_request = 1. WatchCreateRequest: key = 1, range_end = 2, start_revision = 3,
    progress_notify = 4, fragment = 8."""
    create = bytes_field(1, key) + bytes_field(2, end) + varint_field(3, start_revision)
    return bytes_field(1, create + varint_field(4, 1) + varint_field(8, 1))


def encode_compact(revision: int) -> bytes:
    return varint_field(1, revision)


def encode_lease_grant(ttl_s: int) -> bytes:
    return varint_field(1, ttl_s)


def encode_lease(lease: int) -> bytes:
    """LeaseKeepAliveRequest, LeaseRevokeRequest: ID = 1."""
    return varint_field(1, lease)


# - answers (each raises MalformedMessage)


def decode_range(message: bytes) -> Ranged:
    records: list[Record] = []
    count = revision = 0
    for number, value in _read(message):
        if number == 2:
            records.append(_record(value))
        elif number == 1:
            revision = _header(value)
        elif number == 4:
            count = _number(value)
    return Ranged(records, count, revision)


def decode_txn(message: bytes) -> Outcome:
    succeeded, revision, found = False, 0, None
    for number, value in _read(message):
        if number == 1:
            revision = _header(value)
        elif number == 2:
            succeeded = bool(value)
        elif number == 3:  # ResponseOp: response_range = 1
            for kind, answer in _read(_data(value)):
                if kind == 1 and (records := decode_range(_data(answer)).records):
                    found = records[0]
    return Outcome(succeeded, revision, found)


def decode_watch(message: bytes) -> Watched:
    revision = compact_revision = 0
    created = canceled = fragment = False
    reason = ""
    events: list[WatchEvent] = []
    for number, value in _read(message):
        if number == 11:
            events.append(_event(value))
        elif number == 1:
            revision = _header(value)
        elif number == 3:
            created = bool(value)
        elif number == 4:
            canceled = bool(value)
        elif number == 5:
            compact_revision = _number(value)
        elif number == 6:
            reason = _data(value).decode(errors="replace")
        elif number == 7:
            fragment = bool(value)
    return Watched(revision, created, canceled, compact_revision, reason, fragment, events)


def decode_lease(message: bytes) -> tuple[int, int]:
    """LeaseGrantResponse, LeaseKeepAliveResponse: ID = 2, TTL = 3 (seconds; 0: it is no more)."""
    lease = ttl_s = 0
    for number, value in _read(message):
        if number == 2:
            lease = _number(value)
        elif number == 3:
            ttl_s = _number(value)
    return lease, ttl_s


def decode_status(message: bytes) -> tuple[str, int]:
    """StatusResponse: version = 2, dbSize = 3."""
    version, size = "", 0
    for number, value in _read(message):
        if number == 2:
            version = _data(value).decode(errors="replace")
        elif number == 3:
            size = _number(value)
    return version, size


def _header(value: int | bytes) -> int:
    """ResponseHeader: revision = 3."""
    for number, member in _read(_data(value)):
        if number == 3:
            return _number(member)
    return 0


def _event(message: int | bytes) -> WatchEvent:
    is_delete, record = False, None
    for number, value in _read(_data(message)):
        if number == 1:
            is_delete = value == 1
        elif number == 2:
            record = _record(value)
    if record is None:
        raise MalformedMessage("an event without a key")
    return WatchEvent(is_delete, record)


def _record(message: int | bytes) -> Record:
    key = value = b""
    revision = create_revision = version = 0
    for number, member in _read(_data(message)):
        if number == 1:
            key = _data(member)
        elif number == 5:
            value = _data(member)
        elif number == 3:
            revision = _number(member)
        elif number == 2:
            create_revision = _number(member)
        elif number == 4:
            version = _number(member)
    return Record(key, value, revision, create_revision, version)


def _data(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise MalformedMessage("a number where bytes belong")
    return value


def _number(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise MalformedMessage("bytes where a number belongs")
    return value - (1 << 64) if value & _INT64_SIGN else value


def _read(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    at, end = 0, len(message)
    try:
        while at < end:
            tag = message[at]
            at += 1
            if tag >= 0x80:
                tag, at = _varint(message, at - 1)
            wire = tag & 7
            if wire == 0:
                number, at = _varint(message, at)
                yield tag >> 3, number
                continue
            if wire == 2:
                size, at = _varint(message, at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
            else:
                raise MalformedMessage(f"wire type {wire}")
            if at + size > end:
                raise MalformedMessage("it ends early")
            yield tag >> 3, message[at : at + size]
            at += size
    except IndexError as error:
        raise MalformedMessage("it ends early") from error


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(_VARINT_BYTES_MAX):
        byte = message[at + shift]
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, at + shift + 1
    raise MalformedMessage("a number of more than ten bytes")
