"""Kinds that are kept in another version than they are served in, now or in the time of earlier servers.

kube-apiserver keeps a few in an older version, so that its predecessor can read them, or because that version takes
less room; and what nobody has written since stands in the version that was the right one then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf, protobuf_decode, protobuf_types

Object = dict[str, Any]
Conversion = Callable[[Object], Object]


class StoredVersions(NamedTuple):
    """`served`: the apiVersion of a kind, and `written` the one that it is stored in. `others`: the apiVersions beside
    the served one in which it may be stored, the written one among them; each with what makes a served object of one.
    `to_written` makes a written object of a served one. None where nothing but the apiVersion differs."""

    served: str
    written: str
    others: Mapping[str, Conversion | None]
    to_written: Conversion | None = None

    @property
    def is_written_as_served(self) -> bool:
        return self.written == self.served


StoredKinds = Mapping[str, StoredVersions]  # by the prefix of the keys


def as_written(obj: Object, versions: StoredVersions) -> Object:
    """One in any other version than the served one stays as it is."""
    if obj["apiVersion"] != versions.served:
        return obj
    return versions.to_written(obj) if versions.to_written is not None else {**obj, "apiVersion": versions.written}


def as_served(obj: Object, versions: StoredVersions) -> Object:
    """One in a version that is not known stays as it is."""
    convert = versions.others.get(obj.get("apiVersion", ""), _same)
    return convert(obj) if convert is not None else {**obj, "apiVersion": versions.served}


def encode_protobuf(obj: Object, versions: StoredVersions) -> bytes:
    """Of a kind whose messages are alike in both versions; `obj` is in the served one."""
    kind = obj["kind"]
    message = protobuf.encode_message(obj, versions.served, kind)
    return protobuf.enclosing(versions.written, kind)(message)


def decode_protobuf(data: bytes, versions: StoredVersions) -> Object:
    """An object as it is stored. Raises DecodeError."""
    envelope = protobuf_decode.open_envelope(data, "", "")
    if envelope.api_version not in versions.others:
        return protobuf_decode.decode_raw(envelope)
    message = protobuf_types.stored_message_of(envelope.api_version, envelope.kind, versions.served)
    return protobuf_decode.decode_raw(envelope, message)


def version_of(stored: bytes) -> str:
    """The apiVersion that a stored object has; "" for one that has none. Raises DecodeError and ValueError."""
    if stored.startswith(protobuf.MAGIC):
        return protobuf_decode.open_envelope(stored, "", "").api_version
    api_version: str = json_codec.load(stored).get("apiVersion", "")
    return api_version


def _same(obj: Object) -> Object:
    return obj
