"""The built-in types' protobuf messages, made from the tables of types (apimachinery/typetables) when first met."""

from __future__ import annotations

import re
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


class DecodeError(ValueError):
    """`kind` and `version`: what the envelope says, once that much was read."""

    def __init__(self, message: str, kind: str = "", version: str = "") -> None:
        super().__init__(message)
        self.message, self.kind, self.version = message, kind, version


class UnknownKind(DecodeError):
    """There is no table for the type: it cannot be read or written as protobuf here."""


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


# What a field of a scalar type, or of one with a JSON form of its own, is called here, by its Go type.
_SCALARS: Final = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "float64": "double",
    "[]byte": "bytes",
    "types.UID": "string",
    "meta.Time": "Time",
    "meta.MicroTime": "MicroTime",
    "meta.FieldsV1": "FieldsV1",
    "resource.Quantity": "Quantity",
    "intstr.IntOrString": "IntOrString",
    "runtime.RawExtension": "RawExtension",
    "apiextensions.JSON": "JSON",
    # The element of a map can be no list: a message with the list in it.
    "[]string": "Strings",
}

_map_type = re.compile(r"map\[[\w.]+\](.*)").match

_made: Final[dict[tuple[str, str], Message]] = {}


def is_known(group: str, version: str, kind: str) -> bool:
    """Whether there is a table for the type."""
    try:
        message_of(meta.join_api_version(group, version), kind)
    except UnknownKind:
        return False
    return True


def message_of(api_version: str, kind: str) -> Message:
    table = "meta" if kind in _META_KINDS else reader.TABLES.get(meta.split_api_version(api_version))
    entry = reader.find(table, kind) if table else None
    if entry is None and table in ("core", "meta_v1beta1"):
        entry = reader.find("meta", kind)  # plain discovery says v1, and v1beta1 shares nearly all with v1
    if entry is None or entry.alias:
        raise UnknownKind(f"no protobuf form of {kind} in {api_version} is known")
    return _message(entry.table, kind)


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
    in_map = _map_type(_underlying(text, table))
    in_list = text.startswith("[]") and text != "[]byte"
    return Field(
        entry.number,
        entry.name or "~",
        _type(in_map[1] if in_map else text[2:] if in_list else text, table),
        is_list=in_list,
        is_map=in_map is not None,
        is_pointer=entry.type.startswith("*"),
        is_inline=entry.is_embedded,
    )


def _type(text: str, table: str) -> str | Message:
    underlying = _underlying(text, table)
    own_form = _SCALARS.get(underlying) or _SCALARS.get(f"{table}.{underlying}")
    return own_form if own_form is not None else _message(*reader.place(text, table))


def _underlying(text: str, table: str) -> str:
    """What a named type that is no struct stands for; another type as it is."""
    entry = reader.find(*reader.place(text, table)) if _is_name(text) else None
    return entry.alias or text if entry is not None else text


def _is_name(text: str) -> bool:
    return text not in _SCALARS and not text.startswith(("[]", "map["))
