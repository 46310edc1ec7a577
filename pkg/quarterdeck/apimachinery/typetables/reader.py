"""Reads the tables of built-in types: a table when one of its types is first asked for, a line when its type is."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Final, NamedTuple

TABLES: Final = {
    ("", "v1"): "core",
    ("admissionregistration.k8s.io", "v1"): "admissionregistration",
    ("admissionregistration.k8s.io", "v1alpha1"): "admissionregistration_v1alpha1",
    ("admissionregistration.k8s.io", "v1beta1"): "admissionregistration_v1beta1",
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
    ("certificates.k8s.io", "v1alpha1"): "certificates_v1alpha1",
    ("certificates.k8s.io", "v1beta1"): "certificates_v1beta1",
    ("coordination.k8s.io", "v1"): "coordination",
    ("coordination.k8s.io", "v1alpha2"): "coordination_v1alpha2",
    ("coordination.k8s.io", "v1beta1"): "coordination_v1beta1",
    ("discovery.k8s.io", "v1"): "discovery",
    ("events.k8s.io", "v1"): "events",
    ("flowcontrol.apiserver.k8s.io", "v1"): "flowcontrol",
    ("internal.apiserver.k8s.io", "v1alpha1"): "apiserverinternal_v1alpha1",
    ("meta.k8s.io", "v1"): "meta",
    ("meta.k8s.io", "v1beta1"): "meta_v1beta1",
    ("networking.k8s.io", "v1"): "networking",
    ("networking.k8s.io", "v1beta1"): "networking_v1beta1",
    ("node.k8s.io", "v1"): "node",
    ("policy", "v1"): "policy",
    ("rbac.authorization.k8s.io", "v1"): "rbac",
    ("resource.k8s.io", "v1"): "resource",
    ("resource.k8s.io", "v1alpha3"): "resource_v1alpha3",
    ("resource.k8s.io", "v1beta1"): "resource_v1beta1",
    ("resource.k8s.io", "v1beta2"): "resource_v1beta2",
    ("scheduling.k8s.io", "v1"): "scheduling",
    ("storage.k8s.io", "v1"): "storage",
    ("storage.k8s.io", "v1beta1"): "storage_v1beta1",
    ("storagemigration.k8s.io", "v1beta1"): "storagemigration_v1beta1",
}

# What protobuf and OpenAPI call the scalars of Go.
SCALARS: Final = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "float64": "double",
    "[]byte": "bytes",
    "types.UID": "string",
}
# Structs that JSON writes as something else, and that no table describes therefore.
OWN_FORMS: Final = frozenset((
    "meta.Time",
    "meta.MicroTime",
    "meta.FieldsV1",
    "resource.Quantity",
    "intstr.IntOrString",
    "runtime.RawExtension",
    "apiextensions.JSON",
))  # fmt: skip

# Begins the line of a table that tells which types it has in common with another one.
SAME: Final = "="

_LIST_FIELDS: Final = "metadata meta.ListMeta? 1, items []{} 2!"

_head = re.compile(r"(\w+)([^:=]*)(:|=) ?").match
_map_type = re.compile(r"map\[[\w.]+\](.*)").match
_argument = re.compile(r"(\w+)\((.*)\)\Z").match
_field_text = re.compile(r"(?:~|(\S+) )(\S+?)(\?{0,2}) (\d+)(!?)(.*)\Z").match


class FieldEntry(NamedTuple):
    """A field by its JSON `name`, "" for an embedded struct. `type` is the text of a Go type; see the package."""

    name: str
    type: str
    number: int
    omits_empty: bool
    omits_zero: bool
    is_required: bool
    words: tuple[str, ...]

    @property
    def is_embedded(self) -> bool:
        return not self.name

    @property
    def list_keys(self) -> tuple[str, ...]:
        return argument(self.words, "map")

    @property
    def default(self) -> str:
        """The JSON of a default that the type does not tell; "" without one."""
        return next((word[1:] for word in self.words if word.startswith("=")), "")


class TypeEntry(NamedTuple):
    """A type of a `table`. `alias` is the type that a named one stands for, "" for a struct."""

    table: str
    name: str
    alias: str
    words: tuple[str, ...]
    fields: tuple[FieldEntry, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What a named string may be; empty where anything."""
        return tuple(value.replace("_", " ") for value in argument(self.words, "enum"))


def argument(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    """What stands in the brackets of a word; empty where the word is not there."""
    for each in words:
        found = _argument(each)
        if found is not None and found[1] == word:
            return tuple(found[2].split("|"))
    return ()


def place(text: str, table: str) -> tuple[str, str]:
    """(table, name) of a type that a table names."""
    other, dot, name = text.partition(".")
    return (other, name) if dot else (table, text)


def leaf(text: str, table: str) -> str:
    """The key in SCALARS or OWN_FORMS of a type that no table describes; "" for another one."""
    for name in (text, f"{table}.{text}"):
        if name in SCALARS or name in OWN_FORMS:
            return name
    return ""


def named(text: str, table: str) -> TypeEntry | None:
    """The described type that a field of `table` names; None for a scalar, a list or a map."""
    if leaf(text, table) or text.startswith(("[]", "map[")):
        return None
    return find(*place(text, table))


def underlying(text: str, table: str) -> str:
    """What a named type that is no struct stands for; another type as it is."""
    entry = named(text, table)
    return text if entry is None else entry.alias or text


def element(text: str) -> tuple[str, str]:
    """The type of what a list or a map holds, with `[]` or `{}`; another type with "". []byte is a scalar."""
    if text.startswith("[]") and text != "[]byte":
        return text[2:], "[]"
    in_map = _map_type(text)
    return (in_map[1], "{}") if in_map is not None else (text, "")


@cache
def find(table: str, name: str) -> TypeEntry | None:
    """A type of a table, the list of a kind included; None for one that it does not have."""
    lines = _lines(table)
    line = lines.get(name)
    if line is None:
        kind = name.removesuffix("List")
        if kind == name or kind not in lines:
            return None
        line = f"{name} kind: {_LIST_FIELDS.format(kind)}"
    return parse_type(table, name, line)


def parse_type(table: str, name: str, line: str) -> TypeEntry:
    head = _head(line)
    assert head is not None, line
    rest = line[head.end() :]
    if head[3] == "=":
        alias, *words = rest.split()
        return TypeEntry(table, name, alias, tuple(words), ())
    fields = tuple(_parse_field(text) for text in rest.split(", ") if text)
    return TypeEntry(table, name, "", tuple(head[2].split()), fields)


def names(table: str) -> list[str]:
    """The types of a table, in its order; lists that are as usual are not among them."""
    return list(_lines(table))


def text_of(table: str) -> str:
    text: str = importlib.import_module(f"quarterdeck.apimachinery.typetables.groups.{table}").TABLE
    return text


@cache
def _lines(table: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in join_lines(text_of(table)).splitlines():
        if line.startswith(SAME):
            found |= _same_lines(line)
        else:
            found[re.split(r"\W", line, maxsplit=1)[0]] = line
    return found


def _same_lines(line: str) -> dict[str, str]:
    """The types of another table that a table has as well."""
    other, _, words = line.removeprefix(SAME).partition(":")
    lines = _lines(other)
    return {name: lines[name] for name in words.split()} if words else lines


def join_lines(text: str) -> str:
    """A table, or a part of it, with a line for each type."""
    return re.sub(r"\n +", " ", re.sub(r"\|\n +", "|", text)).strip()


def _parse_field(text: str) -> FieldEntry:
    found = _field_text(text)
    assert found is not None, text
    name, type_text, marks, number, required, words = found.groups()
    return FieldEntry(
        name or "", type_text, int(number), bool(marks), marks == "??", bool(required), tuple(words.split())
    )
