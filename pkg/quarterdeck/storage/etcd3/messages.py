"""The messages of etcd's API that are used here, as bytes and back.

Only the fields that are needed are written and read; others are passed over, so that newer servers may send more.
Numbers stand beside their names.

Source: etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto (v3.4 to v3.6).
"""

from __future__ import annotations

from typing import Final, final

from quarterdeck._kernels.protobufwire import WireError, bytes_field, read_fields, varint_field

RANGE: Final = b"/etcdserverpb.KV/Range"
TXN: Final = b"/etcdserverpb.KV/Txn"
COMPACT: Final = b"/etcdserverpb.KV/Compact"
PUT: Final = b"/etcdserverpb.KV/Put"
WATCH: Final = b"/etcdserverpb.Watch/Watch"
GRANT: Final = b"/etcdserverpb.Lease/LeaseGrant"
STATUS: Final = b"/etcdserverpb.Maintenance/Status"
_COMPARE_MOD: Final = 2
_COMPARE_VERSION: Final = 0


@final
class Record:
    """mvccpb.KeyValue: key = 1, create_revision = 2, mod_revision = 3, version = 4, value = 5, lease = 6."""

    __slots__ = ("create_revision", "key", "revision", "value", "version")

    def __init__(self, key: bytes, value: bytes, revision: int, create_revision: int, version: int) -> None:
        self.key = key
        self.value = value
        self.revision = revision
        self.create_revision = create_revision
        self.version = version


@final
class RangeResponse:
    """RangeResponse: header = 1, kvs = 2, count = 4 (of the whole range). `revision` is the store's."""

    __slots__ = ("records", "revision", "total")

    def __init__(self, records: list[Record], total: int, revision: int) -> None:
        self.records = records
        self.total = total
        self.revision = revision


@final
class TxnResponse:
    """TxnResponse: header = 1, succeeded = 2, responses = 3. `found`: what the comparison met, where it failed."""

    __slots__ = ("found", "revision", "succeeded")

    def __init__(self, succeeded: bool, revision: int, found: Record | None) -> None:
        self.succeeded = succeeded
        self.revision = revision
        self.found = found


@final
class WatchEvent:
    """mvccpb.Event: type = 1 (DELETE is 1), kv = 2."""

    __slots__ = ("is_delete", "record")

    def __init__(self, is_delete: bool, record: Record) -> None:
        self.is_delete = is_delete
        self.record = record

    @property
    def is_create(self) -> bool:
        return not self.is_delete and self.record.create_revision == self.record.revision


@final
class WatchResponse:
    """WatchResponse: header = 1, created = 3, canceled = 4, compact_revision = 5, cancel_reason = 6, fragment = 7,
    events = 11."""

    __slots__ = ("canceled", "compact_revision", "created", "events", "fragment", "reason", "revision")

    def __init__(self, events: list[WatchEvent]) -> None:
        self.events = events
        self.revision = self.compact_revision = 0
        self.created = self.canceled = self.fragment = False
        self.reason = ""


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
    put = encode_leased_put(key, value, lease) if lease else bytes_field(1, key) + bytes_field(2, value)
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


def encode_grant(ttl_s: int) -> bytes:
    """LeaseGrantRequest: TTL = 1."""
    return varint_field(1, ttl_s)


def encode_leased_put(key: bytes, value: bytes, lease: int) -> bytes:
    """PutRequest: key = 1, value = 2, lease = 3."""
    return bytes_field(1, key) + bytes_field(2, value) + varint_field(3, lease)


# - answers (each raises WireError)


def decode_range(message: bytes) -> RangeResponse:
    records: list[Record] = []
    count = revision = 0
    for number, value in read_fields(message):
        if number == 2:
            records.append(_record(value))
        elif number == 1:
            revision = _header(value)
        elif number == 4:
            count = _number(value)
    return RangeResponse(records, count, revision)


def decode_revision(message: bytes) -> int:
    """The store's, of a RangeResponse."""
    for number, value in read_fields(message):
        if number == 1:
            return _header(value)
    return 0


def decode_txn(message: bytes) -> TxnResponse:
    succeeded, revision, found = False, 0, None
    for number, value in read_fields(message):
        if number == 1:
            revision = _header(value)
        elif number == 2:
            succeeded = bool(value)
        elif number == 3:  # ResponseOp: response_range = 1
            for kind, answer in read_fields(_data(value)):
                if kind == 1 and (records := decode_range(_data(answer)).records):
                    found = records[0]
    return TxnResponse(succeeded, revision, found)


def decode_watch(message: bytes) -> WatchResponse:
    found = WatchResponse([])
    for number, value in read_fields(message):
        if number == 11:
            found.events.append(_event(value))
        elif number == 1:
            found.revision = _header(value)
        elif number == 3:
            found.created = bool(value)
        elif number == 4:
            found.canceled = bool(value)
        elif number == 5:
            found.compact_revision = _number(value)
        elif number == 6:
            found.reason = _data(value).decode(errors="replace")
        elif number == 7:
            found.fragment = bool(value)
    return found


def decode_lease(message: bytes) -> int:
    """LeaseGrantResponse: ID = 2."""
    return _number(dict(read_fields(message)).get(2, 0))


def decode_status(message: bytes) -> tuple[str, int]:
    """StatusResponse: version = 2, dbSize = 3."""
    fields = dict(read_fields(message))
    return _data(fields.get(2, b"")).decode(errors="replace"), _number(fields.get(3, 0))


def _header(value: int | bytes) -> int:
    """ResponseHeader: revision = 3."""
    revision = 0
    for number, field in read_fields(_data(value)):
        if number == 3:
            revision = _number(field)
    return revision


def _event(message: int | bytes) -> WatchEvent:
    is_delete, record = False, None
    for number, value in read_fields(_data(message)):
        if number == 1:
            is_delete = value == 1
        elif number == 2:
            record = _record(value)
    if record is None:
        raise WireError("an event without a key")
    return WatchEvent(is_delete, record)


def _record(message: int | bytes) -> Record:
    found = Record(b"", b"", 0, 0, 0)
    for number, value in read_fields(_data(message)):
        if number == 1:
            found.key = _data(value)
        elif number == 2:
            found.create_revision = _number(value)
        elif number == 3:
            found.revision = _number(value)
        elif number == 4:
            found.version = _number(value)
        elif number == 5:
            found.value = _data(value)
    return found


def _data(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise WireError("a number where bytes belong")
    return value


def _number(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise WireError("bytes where a number belongs")
    return value
