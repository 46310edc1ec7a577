"""Schemas of any depth and shape are looked at, and what is no schema is odd."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck._kernels.schemasurvey import Survey

TEXT = {"type": "string"}


@pytest.mark.parametrize("inward", ["properties", "items", "additionalProperties", "not", "oneOf"])
def test_as_deep_as_json_may_be(inward: str) -> None:
    schema: dict[str, Any] = {"default": 1, "x-kubernetes-validations": [{"rule": "true"}]}
    for _ in range(100_000):
        schema = {inward: {"a": schema} if inward == "properties" else [schema] if inward == "oneOf" else schema}
    assert Survey(schema).has_rules


@pytest.mark.parametrize("name", ["properties", "items", "additionalProperties", "not", "allOf", "type"])
@pytest.mark.parametrize("value", [None, 1, "odd", [1], {"a": 1}])
def test_what_is_no_schema_is_odd(name: str, value: object) -> None:
    assert not Survey({"type": "object", "properties": {"a": {"type": "object", name: value}}}).is_ordinary


def test_many_schemas_at_one_place() -> None:
    survey = Survey({"type": "object", "properties": {f"p{number}": {**TEXT, "default": ""} for number in range(5000)}})
    assert survey.is_ordinary
    assert len(survey.defaults) == 5000
