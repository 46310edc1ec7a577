"""Schemas of the kinds that prose speaks of, written from the tables of types (apimachinery/typetables)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry, TypeEntry
from quarterdeck.openapi.library.prose import TEXT

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
_PACKAGES: Final = {
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
    "meta": _META,
}
_OWN_FORMS: Final = {
    "meta.Time": f"{_META}.Time",
    "meta.MicroTime": f"{_META}.MicroTime",
    "meta.FieldsV1": f"{_META}.FieldsV1",
    "resource.Quantity": "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "intstr.IntOrString": "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "runtime.RawExtension": "io.k8s.apimachinery.pkg.runtime.RawExtension",
    "apiextensions.JSON": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
}
# The default that OpenAPI tells of a field without a pointer: of a scalar only where it is always written.
_ZERO: Final = {"string": '""', "bool": "false", "int32": "0", "int64": "0", "double": "0"}
_LIBRARY_NAMES: Final = frozenset((*reader.SCALARS.values(), *_OWN_FORMS.values()))
_FIXED: Final = """
package io.k8s.apimachinery.pkg.api.resource
Quantity = string # A fixed-point number with a suffix.

package io.k8s.apimachinery.pkg.util.intstr
IntOrString = string int-or-string # A number, or a text such as 25% or the name of a port.

package io.k8s.apimachinery.pkg.runtime
RawExtension = object # Anything.
"""

_GROUP_VERSIONS: Final = {table: version for version, table in reader.TABLES.items()}


class _Prose(NamedTuple):
    """What is said of a type, and of its fields by their names."""

    text: str
    fields: dict[str, str]


def build_text() -> str:
    """Every kind with its list's items and all that it refers to, in the notation of the library."""
    prose = _read_prose(TEXT)
    kinds = [place for place in prose if "kind" in _entry(place).words]
    return _FIXED + _build(kinds, prose, lambda _place: False)


def build_text_of(table: str, is_known: Callable[[str], bool]) -> str:
    """The same of the kinds of a version that is off where nothing is said, without the types that the library has
    already. Of what v1 has as well the same is said."""
    from quarterdeck.openapi.library.prose import further

    of_v1, own = _read_prose(TEXT), _read_prose(further.TEXT)
    group = table.partition("_")[0]
    prose: dict[tuple[str, str], _Prose] = {**of_v1}
    for name in reader.names(table):
        first, said = (each.get((group, name), _Prose("", {})) for each in (own, of_v1))
        prose[table, name] = _Prose(first.text or said.text, said.fields | first.fields)
    kinds = [(table, name) for name in reader.names(table) if "kind" in _entry((table, name)).words]
    return _build(kinds, prose, lambda place: is_known(f"{_package(place[0])}.{place[1]}"))


def _build(
    kinds: list[tuple[str, str]], prose: dict[tuple[str, str], _Prose], is_known: Callable[[tuple[str, str]], bool]
) -> str:
    parts: list[str] = []
    done: set[tuple[str, str]] = set()
    waiting = kinds[::-1]
    while waiting:
        place = waiting.pop()
        if place in done or place[0] == "meta" or is_known(place):
            continue
        done.add(place)
        entry = _entry(place)
        fields = _fields(entry)
        said = prose.get(place, _Prose("", {}))
        lines = [_line(field, table, said.fields.get(field.name, "")) for table, field in fields]
        parts.append("\n".join([f"package {_package(entry.table)}", _head(entry, said.text), *lines]))
        waiting += [found for table, field in fields if (found := _struct_in(field, table)) is not None]
    return "\n".join(parts) + "\n"


def _read_prose(text_of_all: str) -> dict[tuple[str, str], _Prose]:
    found: dict[tuple[str, str], _Prose] = {}
    said = _Prose("", {})
    for line in filter(None, text_of_all.splitlines()):
        name, _, text = line.strip().partition(" # ")
        if line.startswith("  "):
            said.fields[name] = text
        else:
            said = found[reader.place(name, "")] = _Prose(text, {})
    return found


def _entry(place: tuple[str, str]) -> TypeEntry:
    entry = reader.find(*place)
    assert entry is not None, place
    return entry


def _head(entry: TypeEntry, text: str) -> str:
    words = [entry.name]
    if "kind" in entry.words:
        group, version = _GROUP_VERSIONS[entry.table]
        words.append(f"gvk={group}/{version}")
    if "atomic" in entry.words:
        words.append("@atomic")
    if union := reader.argument(entry.words, "union"):
        words.append(f"@union({'|'.join(union)})")
    return " ".join(words) + (f" # {text}" if text else "")


def _package(table: str) -> str:
    group, _, version = table.partition("_")
    return _PACKAGES.get(table) or f"io.k8s.api.{group}.{version or 'v1'}"


def _fields(entry: TypeEntry) -> list[tuple[str, FieldEntry]]:
    """Each with the table that its type is named in, those of embedded structs too, in Go's order."""
    found: list[tuple[str, FieldEntry]] = []
    for field in entry.fields:
        if field.is_embedded:
            found += _fields(_entry(reader.place(field.type, entry.table)))
        else:
            found.append((entry.table, field))
    return found


def _line(field: FieldEntry, table: str, text: str) -> str:
    bare = field.type.removeprefix("*")
    element, brackets = reader.element(reader.underlying(bare, table))
    item = _name(element, table)
    required = "!" if field.is_required else ""
    words = [f"  {field.name}{required} {brackets[:1]}{item}{brackets[1:]}", *_words(field)]
    if values := _values(reader.element(bare)[0], table):
        words.append(f"@enum({'|'.join(values)})".replace(" ", "_"))
    default = field.default or ("" if brackets else _zero_of(field, item))
    words += [f"={default}"] if default else []
    return " ".join(words) + (f" # {text}" if text else "")


def _words(field: FieldEntry) -> list[str]:
    """What its table says of a field, in the notation of the library."""
    words = [f"@{word}" for word in field.words if word in ("atomic", "set", "granular")]
    if field.list_keys:
        words.append(f"@map({','.join(field.list_keys)})")
    if patch := reader.argument(field.words, "patch"):
        strategy = patch[0].replace("+", ",")
        words.append(f"@patch({'|'.join([strategy, *patch[1:]])})")
    return words


def _zero_of(field: FieldEntry, item: str) -> str:
    if field.type.startswith("*"):
        return ""
    if item in _ZERO:
        return "" if field.omits_empty else _ZERO[item]
    return "" if item in _LIBRARY_NAMES else "{}"


def _name(text: str, table: str) -> str:
    """What the library calls a type."""
    underlying = reader.underlying(text, table)
    inner, brackets = reader.element(underlying)
    if brackets:
        return f"{brackets[:1]}{_name(inner, table)}{brackets[1:]}"
    leaf = reader.leaf(underlying, table)
    if leaf:
        return reader.SCALARS.get(leaf) or _OWN_FORMS[leaf]
    other, name = reader.place(text, table)
    return f"{_package(other)}.{name}"


def _struct_in(field: FieldEntry, table: str) -> tuple[str, str] | None:
    """Where the struct is described that a field, its list or its map holds."""
    text, _ = reader.element(reader.underlying(field.type.removeprefix("*"), table))
    entry = reader.named(text, table)
    return None if entry is None or entry.alias else (entry.table, entry.name)


def _values(text: str, table: str) -> tuple[str, ...]:
    entry = reader.named(text, table)
    return entry.values if entry is not None else ()
