"""The built-in types' protobuf messages, made from the tables of types (apimachinery/typetables) when first met."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry

MAGIC: Final = b"k8s\x00"

# These belong to every group: a Status says v1, DeleteOptions say the version of the object that is deleted.
_META_KINDS: Final = frozenset(
    ("Status", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "WatchEvent")
)


# Versions whose bodies are taken beside those of a table, with the same members.
_ALIKE: Final = {("policy/v1beta1", "Eviction"): "policy/v1"}
# Kinds that may be stored in versions in which nothing is served, with members of their own: in which table they stand.
_STORED: Final = {
    ("apps/v1beta1", "Deployment"): "apps_v1beta1",
    ("discovery.k8s.io/v1beta1", "EndpointSlice"): "discovery_v1beta1",
    ("events.k8s.io/v1beta1", "Event"): "events",
    ("extensions/v1beta1", "DaemonSet"): "apps_v1beta1",
    ("extensions/v1beta1", "Deployment"): "apps_v1beta1",
    ("extensions/v1beta1", "Ingress"): "networking_v1beta1",
    ("networking.k8s.io/v1beta1", "Ingress"): "networking_v1beta1",
    ("resource.k8s.io/v1beta1", "ResourceClaim"): "resource_v1beta1",
    ("resource.k8s.io/v1beta1", "ResourceClaimTemplate"): "resource_v1beta1",
    ("resource.k8s.io/v1beta1", "ResourceSlice"): "resource_v1beta1",
}


class DecodeError(ValueError):
    """`kind` and `version`: what the envelope says, once that much was read."""

    def __init__(self, message: str, kind: str = "", version: str = "") -> None:
        super().__init__(message)
        self.message, self.kind, self.version = message, kind, version


class UnknownKind(DecodeError):
    """There is no table for the type: it cannot be read or written as protobuf here."""

    def __init__(self, api_version: str, kind: str) -> None:
        super().__init__(f"no protobuf form of {kind} in {api_version} is known")
        self.api_version = api_version


@dataclass(frozen=True, slots=True)
class Field:
    """`type` is a scalar's name or a Message; `is_map` and `is_list` say what it is repeated as."""

    number: int
    name: str
    type: str | Message
    is_list: bool
    is_map: bool
    is_pointer: bool
    is_inline: bool


@dataclass(slots=True)
class Message:
    name: str
    by_number: dict[int, Field] = dataclass_field(default_factory=dict)
    by_name: dict[str, Field] = dataclass_field(default_factory=dict)


# The element of a map can be no list: a message with the list in it.
_STRINGS: Final = "Strings"

# While one is made it is among those that are made, for those that it refers to: it is not whole before its maker has
# let go of `making`, which one of both threads that decode has at a time.
making: Final = threading.RLock()
_made: Final[dict[tuple[str, str], Message]] = {}
_whole: Final[dict[tuple[str, str], Message]] = {}


def is_known(group: str, version: str, kind: str) -> bool:
    """Whether there is a table for the type."""
    try:
        message_of(meta.join_api_version(group, version), kind)
    except UnknownKind:
        return False
    return True


def message_of(api_version: str, kind: str) -> Message:
    api_version = _ALIKE.get((api_version, kind), api_version)
    table = "meta" if kind in _META_KINDS else reader.TABLES.get(meta.split_api_version(api_version))
    entry = reader.find(table, kind) if table else None
    if entry is None and table in ("core", "meta_v1beta1"):
        entry = reader.find("meta", kind)  # plain discovery says v1, and v1beta1 shares nearly all with v1
    if entry is None or entry.alias:
        raise UnknownKind(api_version, kind)
    return _whole_message(entry.table, kind)


def stored_message_of(api_version: str, kind: str, served: str) -> Message:
    """Of a kind that is stored in a version in which it may not be served: like that of the `served` one where no table
    says otherwise. Raises UnknownKind."""
    if (table := _STORED.get((api_version, kind))) is not None:
        return _whole_message(table, kind)
    return message_of(api_version if is_known(*meta.split_api_version(api_version), kind) else served, kind)


def _whole_message(table: str, kind: str) -> Message:
    found = _whole.get((table, kind))
    if found is None:
        with making:
            found = _message(table, kind)
        _whole[table, kind] = found
    return found


def _message(table: str, name: str) -> Message:
    """With all messages that it refers to, of which one may be itself."""
    found = _made.get((table, name))
    if found is None:
        entry = reader.find(table, name)
        assert entry is not None, (table, name)
        found = _made[table, name] = Message(name)
        for each in entry.fields:
            field = _field(each, table)
            found.by_number[field.number] = field
            found.by_name[field.name] = field
    return found


def _field(entry: FieldEntry, table: str) -> Field:
    text = entry.type.removeprefix("*")
    underlying = reader.underlying(text, table)
    inner, brackets = reader.element(underlying)
    if brackets == "[]" and underlying != text:
        inner, brackets = text, ""  # a named list is a message of its own, a named map is not
    return Field(
        entry.number,
        entry.name or "~",
        _type(inner, table),
        is_list=brackets == "[]",
        is_map=brackets == "{}",
        is_pointer=entry.type.startswith("*"),
        is_inline=entry.is_embedded,
    )


def _type(text: str, table: str) -> str | Message:
    """A scalar's name in protobuf, the last word of a type with a JSON form of its own, or a Message."""
    underlying = reader.underlying(text, table)
    if underlying == "[]string":
        return _STRINGS
    leaf = reader.leaf(underlying, table)
    if leaf:
        return reader.SCALARS.get(leaf) or leaf.rpartition(".")[2]
    return _message(*reader.place(text, table))
