"""How often a node of a schema may occur, which goes by the types of the nodes above it (upstream: extractMaxElements),
and what is told of rules on nodes that have no type in the language.
"""

import pytest

from quarterdeck.cel.crd_rules import compile_rules

PATH = "spec.validation.openAPIV3Schema"
DEAR = {"rule": "self.matches('a.*b') && self.split(',').all(x, x.matches('a'))"}
TEXT = {"type": "string", "maxLength": 1000, "x-kubernetes-validations": [DEAR]}
PROPERTIES = {"properties": {"a": TEXT}}


def errors_of(part, **root):
    schema = {"type": "object", "properties": {"spec": part}, **root}
    return [error.detail for error in compile_rules(schema, is_root=True, path=PATH).cel_errors]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "object", **PROPERTIES, "additionalProperties": True},
        {"type": "object", **PROPERTIES, "additionalProperties": True, "maxProperties": 100_000},
        {"type": "array", "items": {"type": "string"}, **PROPERTIES},
        {"type": "array", "items": TEXT},
    ],
)
def test_what_stands_in_maps_and_lists_occurs_often(part):
    assert errors_of(part)[0].startswith("estimated rule cost exceeds budget by factor of more than 100x")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "object", **PROPERTIES},
        {"type": "object", **PROPERTIES, "additionalProperties": True, "maxProperties": 5},
        {"type": "array", "items": {"type": "string"}, "maxItems": 2, **PROPERTIES},
        {"type": "integer", "items": TEXT},
        {"x-kubernetes-preserve-unknown-fields": True, "additionalProperties": TEXT},
    ],
)
def test_what_stands_elsewhere_occurs_once(part):
    assert errors_of(part) == []


def test_items_of_what_is_no_list_have_no_type_below_rules():
    part = {"type": "integer", "items": TEXT}
    assert errors_of(part, **{"x-kubernetes-validations": [{"rule": "true"}]}) == [
        "failed to convert to declType for CEL validation rules"
    ]
