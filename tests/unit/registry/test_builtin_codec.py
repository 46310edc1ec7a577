"""Bodies of built-in kinds become objects of one form."""

from __future__ import annotations

import re
from typing import Any

import pytest

from quarterdeck.apiextensions.types import CUSTOM_RESOURCE_DEFINITION
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.registry.builtin import reviews
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import STRUCTS_NESTED_MAX

CODEC = BuiltinCodec("apiextensions.k8s.io/v1", "CustomResourceDefinition", lambda: CUSTOM_RESOURCE_DEFINITION, None)


def build_definition(depth: int, innermost: dict[str, Any]) -> dict[str, Any]:
    schema = innermost
    for _ in range(depth):
        schema = {"type": "object", "properties": {"inner": schema}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    return {"metadata": {"name": "x"}, "spec": {"versions": [version]}}


def test_an_unknown_field_is_found_however_deep_it_lies() -> None:
    definition = build_definition(STRUCTS_NESTED_MAX - 10, {"type": "string", "surprise": 1})
    (path,) = CODEC.normalize(definition, report_unknown=True)
    assert path.startswith("spec.versions[0].schema.openAPIV3Schema.properties.inner.properties.inner.")
    assert path.endswith(".surprise")


@pytest.mark.parametrize("items", ["x", 1, [], True])
def test_items_that_are_no_schema_are_known_until_they_are_stored(items: Any) -> None:
    """Rules see that they were sent."""
    codec = BuiltinCodec(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        lambda: CUSTOM_RESOURCE_DEFINITION,
        None,
        keeps_empty_lists=True,
    )
    definition = build_definition(1, {"type": "object", "items": items})
    codec.normalize(definition, report_unknown=False)
    (version,) = definition["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"]["properties"]["inner"]["items"] in (None, [])
    (version,) = codec.decode(codec.encode(definition))["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"]["properties"]["inner"] == {"type": "object"}


def test_a_schema_that_is_too_deep_is_refused() -> None:
    with pytest.raises(BadRequest, match="exceeded max depth"):
        CODEC.normalize(build_definition(STRUCTS_NESTED_MAX, {}), report_unknown=True)


def test_members_stand_in_the_order_of_their_type() -> None:
    definition = build_definition(0, {"type": "string", "maxLength": 3, "description": "d", "format": ""})
    assert CODEC.normalize(definition, report_unknown=True) == []
    (version,) = definition["spec"]["versions"]
    assert list(version["schema"]["openAPIV3Schema"].items()) == [
        ("description", "d"),
        ("type", "string"),
        ("maxLength", 3),
    ]


@pytest.mark.parametrize(("sent", "is_left"), [([], True), (None, False), ([{}], True)])
def test_an_empty_list_of_managed_fields_is_left_for_the_field_manager(sent: Any, is_left: bool) -> None:
    definition = build_definition(0, {"type": "string"})
    definition["metadata"]["managedFields"] = sent
    CODEC.normalize(definition, report_unknown=True)
    assert definition["metadata"].get("managedFields", None) == (sent if is_left else None)


def test_what_admission_made_has_no_empty_list_of_managed_fields() -> None:
    definition = build_definition(0, {"type": "string"})
    definition["metadata"]["managedFields"] = []
    assert "managedFields" not in CODEC.default(definition)["metadata"]


STATEFUL_SETS = BuiltinCodec("apps/v1", "StatefulSet", lambda: gotypes.struct_of("apps/v1", "StatefulSet"), None)


@pytest.mark.parametrize(
    ("codec", "nest", "place"),
    [
        (
            STATEFUL_SETS,
            lambda kind: {"spec": {"volumeClaimTemplates": [kind]}},
            "PersistentVolumeClaim.spec.volumeClaimTemplates",
        ),
        (reviews.eviction_scope("v1").codec, lambda kind: {"deleteOptions": kind}, "DeleteOptions.deleteOptions"),
    ],
)  # fmt: skip
def test_what_is_nested_whole_may_say_what_it_is(codec: BuiltinCodec, nest: Any, place: str) -> None:
    named = {"metadata": {}, **nest({"kind": "X", "apiVersion": "v1"})}
    assert codec.normalize(named, report_unknown=True) == []
    wanted = f"cannot unmarshal number into Go struct field {place}.TypeMeta.kind of type string"
    with pytest.raises(BadRequest, match=re.escape(wanted)):
        codec.normalize({"metadata": {}, **nest({"kind": 1})}, report_unknown=False)
