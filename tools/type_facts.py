"""What a kube-apiserver tells of its types: OpenAPI and protobuf, joined field by field. For make_type_tables.py.

A folder of facts holds, as .json or .json.xz:

    protobuf-fields   {message with its package: [{"n": number, "name", "type", "repeated"?}]}; a map's type is
                      `map<string, TYPE>`
    openapi-v3        {"documents": {path: the document that is served there}}
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

Schema = Mapping[str, Any]

# The packages that are not named k8s.io.api.TABLE.v1.
_PACKAGES: Final = {
    "apiextensions": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
    "apiregistration": "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1",
    "meta": "k8s.io.apimachinery.pkg.apis.meta.v1",
    "meta_v1beta1": "k8s.io.apimachinery.pkg.apis.meta.v1beta1",
}
_TABLES: Final = {package: table for table, package in _PACKAGES.items()}
# Packages of types that no table describes.
_OWN_FORMS: Final = {
    "k8s.io.apimachinery.pkg.api.resource": "resource",
    "k8s.io.apimachinery.pkg.runtime": "runtime",
    "k8s.io.apimachinery.pkg.util.intstr": "intstr",
}
_SCALARS: Final = {"bytes": "[]byte", "double": "float64"}

_versioned = re.compile(r"(\w+?)(_v\d\w*)?\Z").match
_api_package = re.compile(r"k8s\.io\.api\.(\w+)\.(v\w+)\Z").match
_map_value = re.compile(r"map<string, \.?(.+)>\Z").match


class FieldFacts(NamedTuple):
    """`type` in the notation of the tables, without a pointer. `schema`: None where OpenAPI does not have the field."""

    number: int
    name: str
    type: str
    is_required: bool
    schema: Schema | None


class TypeFacts(NamedTuple):
    """`embedded`: the fields that are structs whose fields stand in JSON beside the others. `schema`: None for a type
    that OpenAPI does not publish."""

    fields: list[FieldFacts]
    embedded: list[FieldFacts]
    schema: Schema | None

    @property
    def is_kind(self) -> bool:
        """An object of its own, with metadata."""
        schema = self.schema or {}
        return "x-kubernetes-group-version-kind" in schema and "metadata" in schema["properties"]


class Facts:
    def __init__(self, folder: Path) -> None:
        self._messages: dict[str, list[dict[str, Any]]] = _read(folder, "protobuf-fields")
        documents = _read(folder, "openapi-v3")["documents"].values()
        self._schemas: dict[str, Schema] = {}
        for document in documents:
            if isinstance(document, dict):
                self._schemas |= document.get("components", {}).get("schemas", {})

    def names(self, table: str) -> list[str]:
        """The messages of a table's package."""
        prefix = package_of(table) + "."
        found = (name.removeprefix(prefix) for name in self._messages if name.startswith(prefix))
        return sorted(name for name in found if "." not in name)

    def find(self, table: str, name: str) -> TypeFacts | None:
        full = f"{package_of(table)}.{name}"
        message = self._messages.get(full)
        if message is None:
            return None
        schema = self._schemas.get(full.replace("k8s.io.", "io.k8s.", 1).replace("_", "-"))
        if schema is None or "properties" not in schema:
            return TypeFacts([_field(each, table, None, frozenset()) for each in message], [], None)
        return self._join(message, table, schema)

    def _join(self, message: list[dict[str, Any]], table: str, schema: Schema) -> TypeFacts:
        by_name = {_plain(name): name for name in schema["properties"]}
        required = frozenset(schema.get("required", ()))
        fields, embedded = [], []
        for each in message:
            name = by_name.get(_plain(each["name"]))
            if name is not None:
                fields.append(_field({**each, "name": name}, table, schema["properties"][name], required))
            elif self._find_type(each["type"], table) is not None:
                embedded.append(_field(each, table, None, required))
            else:
                fields.append(_field(each, table, None, required))
        return TypeFacts(fields, embedded, schema)

    def _find_type(self, text: str, table: str) -> TypeFacts | None:
        qualified = table_type(text, table)
        other, dot, name = qualified.rpartition(".")
        return self.find(other if dot else table, name)


def _read(folder: Path, name: str) -> Any:
    plain = folder / f"{name}.json"
    if plain.exists():
        return json.loads(plain.read_bytes())
    with lzma.open(f"{plain}.xz") as file:
        return json.load(file)


def _field(told: Mapping[str, Any], table: str, schema: Schema | None, required: frozenset[str]) -> FieldFacts:
    text = table_type(told["type"], table)
    return FieldFacts(
        told["n"], told["name"], "[]" * bool(told.get("repeated")) + text, told["name"] in required, schema
    )


def _plain(name: str) -> str:
    """A name as protobuf could have it: without `$` and hyphens."""
    return re.sub(r"\W", "", name).lower()


def package_of(table: str) -> str:
    if table in _PACKAGES:
        return _PACKAGES[table]
    found = _versioned(table)
    assert found is not None, table
    return f"k8s.io.api.{found[1]}.{(found[2] or '_v1')[1:]}"


def table_type(text: str, table: str) -> str:
    """A type of protobuf as a table would name it."""
    in_map = _map_value(text)
    if in_map is not None:
        return f"map[string]{table_type(in_map[1], table)}"
    package, dot, name = text.removeprefix(".").rpartition(".")
    if not dot:
        return _SCALARS.get(name, name)
    if package in _OWN_FORMS:
        return f"{_OWN_FORMS[package]}.{name}"
    other = _TABLES.get(package) or _table_of_group(package)
    return name if other == table else f"{other}.{name}"


def _table_of_group(package: str) -> str:
    found = _api_package(package)
    assert found is not None, package
    return found[1] if found[2] == "v1" else f"{found[1]}_{found[2]}"
