"""What is read of a stored definition without decoding the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.apiextensions.complete import complete
from quarterdeck.apiextensions.schemas import StoredSchemas, load_without_schemas, look_into

RULES = [{"rule": "true"}]


def build_definition() -> dict[str, Any]:
    def version(name: str, **members: Any) -> dict[str, Any]:
        schema = {"openAPIV3Schema": {"type": "object", "properties": {"schema": {"type": "string", **members}}}}
        return {"name": name, "served": True, "schema": schema, "storage": name == "v1"}

    versions = [version("v1"), version("v2", default="x"), version("v3", **{"x-kubernetes-validations": RULES})]
    versions.append({"name": "v4", "served": False})
    return {"metadata": {"name": "a", "annotations": {"b": '"spec":{"versions"'}}, "spec": {"versions": versions}}


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["as written here", "with blanks"])
def test_schemas_of_versions(separators: tuple[str, str]) -> None:
    definition = build_definition()
    schemas = StoredSchemas(json.dumps(definition, separators=separators).encode())
    assert list(schemas.texts()) == ["v1", "v2", "v3", "v4"]
    for version in definition["spec"]["versions"][:3]:
        assert schemas.find(version["name"]) == schemas.read(version["name"]) == version["schema"]["openAPIV3Schema"]
    assert schemas.find("v4") is None and schemas.read("v4") == {}
    assert [look_into(text) for text in schemas.texts().values()] == [
        (False, False),
        (False, True),
        (True, False),
        (False, False),
    ]


def test_where_unknown_fields_are_preserved_a_schema_need_not_be_structural() -> None:
    structural, untyped = {"type": "object"}, {"properties": {"a": {"type": "string"}}}
    unreadable = {"type": "object", "properties": {"a": {"$ref": "#/b"}}}
    versions = [
        {"name": f"v{number}", "schema": {"openAPIV3Schema": schema}}
        for number, schema in enumerate((structural, untyped, unreadable))
    ]
    spec = {"versions": [*versions, {"name": "v3"}]}
    data = json.dumps({"metadata": {}, "spec": spec}, separators=(",", ":")).encode()
    schemas = StoredSchemas(data, preserves=True)
    assert [schemas.find_structural(f"v{number}") for number in range(4)] == [structural, None, None, None]
    assert schemas.find("v1") == untyped
    assert StoredSchemas(data).find_structural("v1") == untyped  # such a definition was checked when it was written


def test_a_definition_without_its_schemas() -> None:
    definition = build_definition()
    text = json.dumps(definition, separators=(",", ":")).encode()
    for version in definition["spec"]["versions"][:3]:
        version["schema"] = None
    assert load_without_schemas(text) == complete(definition)
    with_blanks = json.dumps(build_definition()).encode()
    assert load_without_schemas(with_blanks) == complete(build_definition())


def test_a_name_that_looks_like_a_default_is_none() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"default": {"type": "string"}}}}
    assert look_into(json.dumps({"name": "v1", "schema": schema}, separators=(",", ":")).encode()) == (False, False)
