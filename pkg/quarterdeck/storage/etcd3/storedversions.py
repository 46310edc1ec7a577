"""Kinds that kube-apiserver keeps in another version than it serves: so that its predecessor can read them, or because
that version takes less room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from quarterdeck.apimachinery.codec import protobuf, protobuf_decode

Object = dict[str, Any]


class StoredVersion(NamedTuple):
    """`served` and `stored`: apiVersions. `to_stored` and `to_served` make an object of one of an object of the other;
    None where nothing but the apiVersion differs. `is_written`: False where the served one is stored, and the other is
    only read, since servers of long ago stored it."""

    served: str
    stored: str
    to_stored: Callable[[Object], Object] | None = None
    to_served: Callable[[Object], Object] | None = None
    is_written: bool = True


StoredVersions = Mapping[str, StoredVersion]  # by the prefix of the keys


def as_stored(obj: Object, version: StoredVersion) -> Object:
    """One in any other version than the served one stays as it is."""
    if obj["apiVersion"] != version.served:
        return obj
    return version.to_stored(obj) if version.to_stored is not None else {**obj, "apiVersion": version.stored}


def as_served(obj: Object, version: StoredVersion) -> Object:
    """One in any other version than the stored one stays as it is: earlier releases stored the served one."""
    if obj.get("apiVersion") != version.stored:
        return obj
    return version.to_served(obj) if version.to_served is not None else {**obj, "apiVersion": version.served}


def encode_protobuf(obj: Object, version: StoredVersion) -> bytes:
    """Of a kind whose messages are alike in both versions; `obj` is in the served one."""
    kind = obj["kind"]
    message = protobuf.encode_message(obj, version.served, kind)
    return protobuf.enclosing(version.stored, kind)(message)


def decode_protobuf(data: bytes, version: StoredVersion) -> Object:
    """Raises DecodeError."""
    envelope = protobuf_decode.open_envelope(data, "", "")
    if envelope.api_version != version.stored:
        return protobuf_decode.decode_raw(envelope)
    obj = protobuf_decode.decode_raw(envelope._replace(api_version=version.served))
    return obj if version.to_served is None else version.to_served(obj)
