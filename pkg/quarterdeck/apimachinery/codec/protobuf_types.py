"""The built-in types' protobuf messages, read from protobuf_tables when a type of their group is first met."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Final

from quarterdeck.apimachinery import meta

MAGIC: Final = b"k8s\x00"

_TABLES: Final = {
    ("", "v1"): "core",
    ("admissionregistration.k8s.io", "v1"): "admissionregistration",
    ("apidiscovery.k8s.io", "v2"): "apidiscovery",
    ("apiextensions.k8s.io", "v1"): "apiextensions",
    ("apiregistration.k8s.io", "v1"): "apiregistration",
    ("apps", "v1"): "apps",
    ("authentication.k8s.io", "v1"): "authentication",
    ("authorization.k8s.io", "v1"): "authorization",
    ("autoscaling", "v1"): "autoscaling",
    ("autoscaling", "v2"): "autoscaling_v2",
    ("batch", "v1"): "batch",
    ("certificates.k8s.io", "v1"): "certificates",
    ("coordination.k8s.io", "v1"): "coordination",
    ("discovery.k8s.io", "v1"): "discovery",
    ("events.k8s.io", "v1"): "events",
    ("flowcontrol.apiserver.k8s.io", "v1"): "flowcontrol",
    ("meta.k8s.io", "v1"): "meta",
    ("meta.k8s.io", "v1beta1"): "meta_v1beta1",
    ("networking.k8s.io", "v1"): "networking",
    ("node.k8s.io", "v1"): "node",
    ("policy", "v1"): "policy",
    ("rbac.authorization.k8s.io", "v1"): "rbac",
    ("resource.k8s.io", "v1"): "resource",
    ("scheduling.k8s.io", "v1"): "scheduling",
    ("storage.k8s.io", "v1"): "storage",
}
# These belong to every group: a Status says v1, DeleteOptions say the version of the object that is deleted.
_META_KINDS: Final = frozenset(
    ("Status", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "WatchEvent")
)


# The tables whose types refer to the core group's.
_REFERS_TO_CORE: Final = frozenset(
    ("apps", "autoscaling_v2", "batch", "discovery", "events", "networking", "node", "resource", "storage")
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


_PLAIN_SCALARS: Final = ("string", "bool", "int32", "int64", "double", "bytes")
_OWN_FORMS: Final = ("Time", "MicroTime", "Quantity", "IntOrString", "RawExtension", "FieldsV1", "JSON", "Strings")
_SCALARS: Final = frozenset((*_PLAIN_SCALARS, *_OWN_FORMS))
_type_text = re.compile(r"(\[\]|\*|map\[)?(\w+)\]?\Z").match

_loaded: Final[dict[str, dict[str, Message]]] = {}


def is_known(group: str, version: str, kind: str) -> bool:
    """Whether there is a table for the type."""
    try:
        message_of(meta.join_api_version(group, version), kind)
    except UnknownKind:
        return False
    return True


def message_of(api_version: str, kind: str) -> Message:
    if kind in _META_KINDS:
        return _load("meta")[kind]
    table = _TABLES.get(meta.split_api_version(api_version))
    found = _load(table).get(kind) if table else None
    if found is None:
        raise UnknownKind(f"no protobuf form of {kind} in {api_version} is known")
    return found


def _load(table: str) -> dict[str, Message]:
    """The messages of a table. Its types come before those of the core group, and these before meta's."""
    if table in _loaded:
        return _loaded[table]
    text: str = importlib.import_module(f"quarterdeck.apimachinery.codec.protobuf_tables.{table}").TABLE
    lines = re.sub(r"\n +", " ", text).strip().splitlines()
    parsed = [line.partition(":") for line in lines]
    own = {name: Message(name) for name, _, _ in parsed}
    messages = own
    if table != "meta":
        messages = _load("meta") | (_load("core") if table in _REFERS_TO_CORE else {}) | own
    for name, _, fields in parsed:
        for field_text in filter(None, fields.split(",")):
            made = _parse_field(field_text, messages)
            own[name].by_number[made.number] = made
            own[name].by_name[made.name] = made
    _loaded[table] = messages
    return messages


def _parse_field(text: str, messages: dict[str, Message]) -> Field:
    number, name, type_text = text.split()
    match = _type_text(type_text)
    assert match is not None, text
    modifier, type_name = match[1], match[2]
    type_: str | Message = type_name if type_name in _SCALARS else messages[type_name]
    return Field(int(number), name, type_, modifier == "[]", modifier == "map[", modifier == "*", is_inline=name == "~")
