"""The protobuf messages of KMS v2: what the plugin is sent and answers, and what a stored value begins with.

    EncryptedObject   encryptedData = 1, keyID = 2, encryptedDEKSource = 3, annotations = 4, encryptedDEKSourceType = 5
    StatusResponse    version = 1, healthz = 2, key_id = 3
    DecryptRequest    ciphertext = 1, uid = 2, key_id = 3, annotations = 4;  DecryptResponse  plaintext = 1
    EncryptRequest    plaintext = 1, uid = 2;  EncryptResponse  ciphertext = 1, key_id = 2, annotations = 3

Source: k8s.io/kms/apis/v2/api.proto; apiserver/pkg/storage/value/encrypt/envelope/kmsv2/v2/api.proto, envelope.go (the
bounds).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from quarterdeck._kernels.protobufwire import WireError, bytes_field, read_fields, varint_field
from quarterdeck.apimachinery import gofmt, names
from quarterdeck.storage.value.transformer import TransformError

AES_GCM_KEY: Final = 0
HKDF_SEED: Final = 1
_ANNOTATIONS_BYTES_MAX: Final = 32 * 1024
_KEY_ID_BYTES_MAX: Final = 1024
_SOURCE_BYTES_MAX: Final = 1024


class Status(NamedTuple):
    version: str
    healthz: str
    key_id: str


@dataclass(frozen=True, slots=True)
class Source:
    """An encrypted key or seed, as the plugin gave it: what it has to be given again to decrypt it."""

    ciphertext: bytes
    key_id: str
    annotations: Mapping[str, bytes] = field(default_factory=dict)
    type: int = HKDF_SEED

    def cache_key(self) -> tuple[object, ...]:
        return self.type, self.ciphertext, self.key_id, tuple(sorted(self.annotations.items()))

    def check(self) -> None:
        """Raises TransformError for what upstream does not take."""
        if self.type not in (AES_GCM_KEY, HKDF_SEED):
            raise TransformError(f"unknown encryptedDEKSourceType: {self.type}")
        size = len(self.ciphertext)
        if not size:
            raise TransformError("failed to validate encrypted DEK source: encrypted DEK source is empty")
        if size > _SOURCE_BYTES_MAX:
            text = f"encrypted DEK source is {size} bytes, which exceeds the max size of {_SOURCE_BYTES_MAX}"
            raise TransformError(f"failed to validate encrypted DEK source: {text}")
        if problem := check_key_id(self.key_id):
            raise TransformError(f"failed to validate key id: {problem[1]}")
        if problems := _check_annotations(self.annotations):
            text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            raise TransformError(f"failed to validate annotations: {text}")


def check_key_id(key_id: str) -> tuple[str, str] | None:
    """A code for metrics and the text; None where the id is fine."""
    size = len(key_id.encode())
    if not size:
        return "empty", "keyID is empty"
    if size > _KEY_ID_BYTES_MAX:
        return "too_long", f"keyID is {size} bytes, which exceeds the max size of {_KEY_ID_BYTES_MAX}"
    return None


def _check_annotations(annotations: Mapping[str, bytes]) -> list[str]:
    problems = []
    for key in annotations:
        if not key:
            problems.append("annotations: Required value")
        elif found := names.dns1123_subdomain(key.removesuffix(".")):
            problems.append(f"annotations: Invalid value: {gofmt.quote(key)}: {','.join(found)}")
        elif "." not in key.removesuffix("."):
            text = "should be a domain with at least two segments separated by dots"
            problems.append(f"annotations: Invalid value: {gofmt.quote(key)}: {text}")
    total = sum(len(key.encode()) + len(value) for key, value in annotations.items())
    if total > _ANNOTATIONS_BYTES_MAX:
        text = f"total size of annotations is {total}, which exceeds the max size of {_ANNOTATIONS_BYTES_MAX}"
        problems.append(text)
    return problems


def encode_object(data: bytes, source: Source) -> bytes:
    parts = [bytes_field(1, data), *_source_fields(source)]
    return b"".join(parts)


def _source_fields(source: Source) -> Iterator[bytes]:
    yield bytes_field(2, source.key_id.encode())
    yield bytes_field(3, source.ciphertext)
    yield from _map(4, source.annotations)
    if source.type:
        yield varint_field(5, source.type)


def decode_object(message: bytes) -> tuple[bytes, Source]:
    """The encrypted data and its key's source, checked. Raises TransformError."""
    found = _Fields(message)
    source = Source(found.data(3), found.text(2), found.map(4), found.number(5))
    data = found.data(1)
    if source.type in (AES_GCM_KEY, HKDF_SEED) and not data:
        raise TransformError("encrypted data is empty")
    source.check()
    return data, source


def decode_status(message: bytes) -> Status:
    found = _Fields(message)
    return Status(found.text(1), found.text(2), found.text(3))


def encode_encrypt(plain: bytes, uid: str) -> bytes:
    return bytes_field(1, plain) + bytes_field(2, uid.encode())


def decode_encrypt(message: bytes) -> Source:
    """Not checked yet."""
    found = _Fields(message)
    return Source(found.data(1), found.text(2), found.map(3))


def encode_decrypt(source: Source, uid: str) -> bytes:
    parts = (bytes_field(1, source.ciphertext), bytes_field(2, uid.encode()), bytes_field(3, source.key_id.encode()))
    return b"".join((*parts, *_map(4, source.annotations)))


def decode_decrypt(message: bytes) -> bytes:
    return _Fields(message).data(1)


def _map(number: int, members: Mapping[str, bytes]) -> Iterator[bytes]:
    for key, value in sorted(members.items()):
        yield bytes_field(number, bytes_field(1, key.encode()) + bytes_field(2, value))


class _Fields:
    """The fields of a message; of one that stands several times the last counts. Raises TransformError."""

    def __init__(self, message: bytes) -> None:
        self._last: dict[int, bytes | int] = {}
        self._pieces: dict[int, list[bytes]] = {}
        try:
            for number, value in read_fields(message):
                self._last[number] = value
                if isinstance(value, bytes):
                    self._pieces.setdefault(number, []).append(value)
        except WireError as error:
            raise TransformError("proto: cannot parse invalid wire-format data") from error

    def data(self, number: int) -> bytes:
        value = self._last.get(number, b"")
        return value if isinstance(value, bytes) else b""

    def text(self, number: int) -> str:
        try:
            return self.data(number).decode()
        except UnicodeDecodeError as error:
            raise TransformError("string field contains invalid UTF-8") from error

    def number(self, number: int) -> int:
        value = self._last.get(number, 0)
        return value if isinstance(value, int) else 0

    def map(self, number: int) -> dict[str, bytes]:
        entries = [_Fields(piece) for piece in self._pieces.get(number, ())]
        return {entry.text(1): entry.data(2) for entry in entries}
