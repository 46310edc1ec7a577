"""The tables of built-in types: what they refer to is there, and what a kube-apiserver tells of its types agrees."""

from __future__ import annotations

import json
import lzma
import re
from typing import Any

import pytest

from quarterdeck.apimachinery.typetables import reader
from support import data

FACTS = data.find("kinds")
NOT_HERE = "the facts of built-in kinds are not here"
ENTRIES = [reader.find(table, name) for table in reader.TABLES.values() for name in reader.names(table)]
# Types of Go that no table describes; named_types finds "byte" in "[]byte".
SCALARS = {*reader.SCALARS, *reader.OWN_FORMS, "byte"}


def named_types(text: str) -> set[str]:
    return set(re.findall(r"[\w.]+", text.replace("map[", " ")))


def test_what_a_type_refers_to_is_described():
    for entry in ENTRIES:
        for text in [entry.alias, *(field.type for field in entry.fields)]:
            for name in named_types(text):
                qualified = name if "." in name or name in SCALARS else f"{entry.table}.{name}"
                assert qualified in SCALARS or reader.find(*qualified.split(".")), (entry.name, name)


def test_no_two_fields_share_a_number_or_a_name():
    for entry in ENTRIES:
        assert len({field.number for field in entry.fields}) == len(entry.fields), entry.name
        assert len({field.name for field in entry.fields}) == len(entry.fields), entry.name


def test_a_table_has_types_in_common_with_another():
    """Types without a table before them are those of its own version."""
    found = reader.find("resource_v1beta2", "ResourceClaim")
    assert found is not None
    assert found.fields == reader.find("resource", "ResourceClaim").fields
    assert {reader.named(field.type, found.table).table for field in found.fields[1:]} == {"resource_v1beta2"}
    # Of one that has some of them, no others, and its own instead of one of the same name.
    assert reader.find("networking_v1beta1", "NetworkPolicy") is None
    assert [field.name for field in reader.find("resource_v1beta1", "Device").fields] == ["name", "basic"]


def test_a_kind_has_a_list_and_another_type_has_none():
    assert [field.type for field in reader.find("core", "PodList").fields] == ["meta.ListMeta", "[]Pod"]
    assert reader.find("core", "NothingList") is None
    assert reader.find("core", "Nothing") is None


def facts(name: str) -> Any:
    if FACTS is None:
        pytest.skip(NOT_HERE)
    with lzma.open(FACTS / f"{name}.json.xz", "rt", encoding="utf-8") as file:
        return json.load(file)


def package(table: str) -> str:
    other = {
        "meta": "k8s.io.apimachinery.pkg.apis.meta.v1",
        "meta_v1beta1": "k8s.io.apimachinery.pkg.apis.meta.v1beta1",
        "apiextensions": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
        "apiregistration": "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1",
        "apidiscovery": "k8s.io.api.apidiscovery.v2",
    }
    group, _, version = table.partition("_")
    return other.get(table, f"k8s.io.api.{group}.{version or 'v1'}")


def test_protobuf_numbers_are_those_of_upstream():
    messages = facts("protobuf-fields")
    for entry in ENTRIES:
        if not entry.alias:
            told = messages[f"{package(entry.table)}.{entry.name}"]
            assert {field.number for field in entry.fields} == {each["n"] for each in told}, entry.name
            names = {each["n"]: each["name"].lower() for each in told}
            for field in entry.fields:
                # The names of protobuf know no `$` and no hyphens.
                if field.name and field.name[0] != "$" and "-" not in field.name:
                    assert names[field.number] == field.name.lower(), entry.name


def schemas() -> dict[str, Any]:
    documents = facts("openapi-v3")["documents"].values()
    return {
        name: schema
        for each in documents
        if isinstance(each, dict)
        for name, schema in each.get("components", {}).get("schemas", {}).items()
    }


def test_every_published_type_is_described_with_its_fields():
    published = schemas()
    compared = 0
    for entry in ENTRIES:
        name = package(entry.table).replace("k8s.io.", "io.k8s.", 1).replace("_", "-")
        schema = published.get(f"{name}.{entry.name}")
        if schema is None or entry.alias or "properties" not in schema:
            continue
        compared += 1
        fields = dict(all_fields(entry))
        told = set(schema["properties"])
        is_whole_object = {"apiVersion", "kind"} <= told and "apiVersion" not in fields
        assert set(fields) == told - ({"apiVersion", "kind"} if is_whole_object else set()), entry.name
        assert [each for each in fields if fields[each].is_required] == schema.get("required", []), entry.name
    assert compared > 500


def all_fields(entry: reader.TypeEntry) -> list[tuple[str, reader.FieldEntry]]:
    """By name, those of embedded structs too."""
    found: list[tuple[str, reader.FieldEntry]] = []
    for field in entry.fields:
        if field.is_embedded:
            found += all_fields(reader.find(*reader.place(field.type, entry.table)))
        else:
            found.append((field.name, field))
    return found
