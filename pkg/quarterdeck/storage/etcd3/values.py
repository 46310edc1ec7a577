"""What is stored in etcd for the JSON that this server works with.

Objects of definitions, definitions and APIServices are JSON with a newline; all other built-in kinds are protobuf in
Kubernetes' envelope (`k8s\\0`), unless --storage-media-type asks for JSON. Both are read, whatever is written.

Source: apiserver/pkg/server/storage/storage_codec.go; LegacyCodec in apiextensions-apiserver and kube-aggregator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.storage.value.resources import KeyPrefixes, prefix_of

_AS_JSON: Final = frozenset(("apiextensions.k8s.io", "apiregistration.k8s.io"))
_RESOURCES_MAX: Final = 20_000


class Encoding(Protocol):
    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        """The stored bytes of an object's JSON; `key` is ours, `there` etcd's. Raises Untransformable."""

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        """The JSON of stored bytes. Raises ValueError, Untransformable, KeyWanted."""


class Values(Encoding, Protocol):
    """`is_identity`: bytes are as their encoding makes them, and never stale."""

    @property
    def is_identity(self) -> bool: ...

    def is_stale(self, key: str, there: bytes, stored: bytes) -> bool:
        """Whether a value would be stored as other bytes now, or cannot be read any more. Raises KeyWanted."""


class SameValues:
    """Bytes as they are."""

    is_identity = True

    def is_stale(self, key: str, there: bytes, stored: bytes) -> bool:
        return False

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        return value

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        return stored


class KubernetesValues:
    """`restore` makes the JSON of an object that was read from protobuf. Raises ValueError."""

    def __init__(self, restore: Callable[[dict[str, Any]], bytes], *, is_protobuf: bool) -> None:
        self._restore = restore
        self._is_protobuf = is_protobuf
        self._known: dict[str, bool] = {}

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        if self._is_protobuf and self._has_protobuf(key):
            encoded = protobuf.encode(json_codec.load(value))
            if encoded is not None:
                return encoded
        return value + b"\n"

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        if stored.startswith(protobuf.MAGIC):
            try:
                return self._restore(protobuf.decode(stored))
            except (APIStatus, LookupError) as error:
                raise ValueError(str(error)) from error
        value = stored.rstrip(b"\n")
        if not value.startswith(b"{"):
            raise ValueError("it is neither JSON nor Kubernetes' protobuf")
        return value

    def _has_protobuf(self, key: str) -> bool:
        prefix = prefix_of(key)
        known = self._known.get(prefix)
        if known is None:
            place = KeyPrefixes(prefix) if prefix else None
            known = place is not None and place.is_builtin and place.group not in _AS_JSON
            if len(self._known) < _RESOURCES_MAX:
                self._known[prefix] = known
        return known
