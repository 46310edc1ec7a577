"""What is stored in etcd for the JSON that this server works with.

Objects of definitions, definitions and APIServices are JSON with a newline; all other built-in kinds are protobuf in
Kubernetes' envelope (`k8s\\0`), unless --storage-media-type asks for JSON. Both are read, whatever is written, and so
are older versions of a kind (storedversions.py).

Source: apiserver/pkg/server/storage/storage_codec.go; LegacyCodec in apiextensions-apiserver and kube-aggregator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from quarterdeck._kernels import objectbytes
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.storage.etcd3 import storedversions
from quarterdeck.storage.etcd3.storedversions import StoredKinds, StoredVersions
from quarterdeck.storage.value.resources import KeyPrefixes, prefix_of

_AS_JSON: Final = frozenset(("apiextensions.k8s.io", "apiregistration.k8s.io"))
_RESOURCES_MAX: Final = 20_000

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_splice_revision: Final = objectbytes.splice_revision

Object = dict[str, Any]
Default = Callable[[Object], None]
Defaults = Mapping[tuple[str, str], Default]  # by apiVersion and kind
Restore = Callable[[Object, Default | None], bytes]


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
    has_old = False

    def is_old(self, key: str, stored: bytes) -> bool:
        return False

    def is_stale(self, key: str, there: bytes, stored: bytes) -> bool:
        return False

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        return value

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        return stored


class KubernetesValues:
    """`restore` makes the JSON of an object that was read, with what it has by default. Raises ValueError. `versions`:
    of kinds that are kept in others than they are served in. `has_old`: something was read in a version of old, which
    is stored in today's when it is written, even if nothing else changes."""

    def __init__(self, restore: Restore, *, is_protobuf: bool, versions: StoredKinds | None = None) -> None:
        self._restore = restore
        self._is_protobuf = is_protobuf
        self._versions = versions or {}
        self._defaults: Defaults = {}
        self._known: dict[str, bool] = {}
        self.has_old = False

    def use_defaults(self, defaults: Defaults) -> None:
        """Objects that others have written lack what was not there when they did, and what is told to readers alone."""
        self._defaults = defaults

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        prefix = prefix_of(key)
        versions = self._versions.get(prefix)
        if versions is not None and versions.is_written_as_served:
            versions = None
        if self._is_protobuf and self._has_protobuf(prefix):
            obj = json_codec.load(value)
            if versions is not None:
                return storedversions.encode_protobuf(obj, versions)
            encoded = protobuf.encode(obj)
            if encoded is not None:
                return encoded
        if versions is not None:
            value = json_codec.encode(storedversions.as_written(json_codec.load(value), versions))
        return value + b"\n"

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        prefix = prefix_of(key)
        versions = self._versions.get(prefix)
        try:
            if stored.startswith(protobuf.MAGIC):
                if versions is None:
                    return self._whole(protobuf.decode(stored))
                return self._whole(self._served(storedversions.decode_protobuf(stored, versions), versions))
            value = stored.rstrip(b"\n")
            if not value.startswith(b"{"):
                raise ValueError("it is neither JSON nor Kubernetes' protobuf")
            if self._has_protobuf(prefix):
                obj = json_codec.load(value)
                return self._whole(obj if versions is None else self._served(obj, versions))
            if versions is not None:
                value = json_codec.encode(self._served(json_codec.load(value), versions))
            return value if _splice_revision(value, 1) is not None else _in_our_order(value)
        except (APIStatus, LookupError, TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error

    def is_old(self, key: str, stored: bytes) -> bool:
        """Whether it stands in another version than it would be stored in now; False for what cannot be read."""
        versions = self._versions.get(prefix_of(key))
        try:
            return versions is not None and storedversions.version_of(stored) != versions.written
        except (APIStatus, ValueError, AttributeError):
            return False

    def _served(self, obj: Object, versions: StoredVersions) -> Object:
        self.has_old |= obj.get("apiVersion") != versions.written
        return storedversions.as_served(obj, versions)

    def _whole(self, obj: Object) -> bytes:
        return self._restore(obj, self._defaults.get((obj["apiVersion"], obj["kind"])))

    def _has_protobuf(self, prefix: str) -> bool:
        known = self._known.get(prefix)
        if known is None:
            place = KeyPrefixes(prefix) if prefix else None
            known = place is not None and place.is_builtin and place.group not in _AS_JSON
            if len(self._known) < _RESOURCES_MAX:
                self._known[prefix] = known
        return known


def _in_our_order(value: bytes) -> bytes:
    """An object that another hand has written. Raises ValueError for what is none, which would stop the feed later."""
    obj = json_codec.load(value)
    api_version, kind, metadata = obj.get("apiVersion", ""), obj.get("kind", ""), obj.get("metadata")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        raise ValueError("its apiVersion or its kind is no text")
    if metadata is not None and not isinstance(metadata, dict):
        raise ValueError("its metadata is no object")
    return json_codec.encode(json_codec.canonical_object(obj))
