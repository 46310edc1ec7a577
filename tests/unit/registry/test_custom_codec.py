"""What a custom resource's codec says of stored bytes."""

import asyncio
import json

import pytest

from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.customresource.codec import CustomResourceCodec
from quarterdeck.registry.customresource.conversion import ConversionError, NoneConverter
from quarterdeck.schema.engine import Engine

WITH_DEFAULT = {"type": "object", "properties": {"spec": {"type": "object", "default": {}}}}


def build(version):
    engines = {"g.dev/v1": Engine({"type": "object"}), "g.dev/v2": Engine(WITH_DEFAULT)}
    kind, converter = GroupVersionKind("g.dev", version, "Thing"), NoneConverter(list(engines))
    return CustomResourceCodec(kind, "g.dev/v2", engines, converter)


def test_an_object_of_another_version_is_not_current_and_may_lack_defaults():
    stored = b'{"apiVersion":"g.dev/v1","kind":"Thing","metadata":{"name":"a"}}'
    codec = build("v2")
    assert not codec.is_current(stored)
    read = codec.decode(stored)
    codec.normalize(read, report_unknown=False)
    assert "spec" in read


def test_an_object_of_a_version_that_the_definition_lost_cannot_be_read():
    stored = b'{"apiVersion":"g.dev/v0","kind":"Thing","metadata":{"name":"a"}}'
    with pytest.raises(ConversionError, match="from an invalid group/version: g"):
        build("v2").decode(stored)


def test_normalizing_a_current_object_changes_nothing():
    stored = b'{"apiVersion":"g.dev/v2","kind":"Thing","metadata":{"name":"a"},"more":1}'
    codec = build("v2")
    assert codec.is_current(stored)
    read = codec.decode(stored)
    spec = read["spec"]
    codec.normalize(read, report_unknown=False)
    assert read == {"apiVersion": "g.dev/v2", "kind": "Thing", "metadata": {"name": "a"}, "spec": {}}
    assert read["spec"] is spec


def test_what_an_apply_made_keeps_its_nulls_for_validation():
    string, defaulted = {"type": "string"}, {"type": "string", "default": "D"}
    spec = {
        "type": "object",
        "properties": {
            "a": string,
            "b": defaulted,
            "c": {"type": "string", "nullable": True},
            "d": {"x-kubernetes-preserve-unknown-fields": True},
            "e": {"type": "object", "additionalProperties": string},
            "f": defaulted,
            "g": {"enum": [None, "x"], "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    engine = Engine({"type": "object", "properties": {"spec": spec}})
    obj = {
        "apiVersion": "g.dev/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "generateName": None, "creationTimestamp": "x", "labels": {"l": "1"}},
        "spec": {"a": None, "b": None, "c": None, "d": None, "e": {"k": None}, "g": None},
    }
    assert engine.default_applied(obj) == (True, True)
    assert obj["spec"] == {"a": None, "b": "D", "c": None, "d": None, "e": {"k": None}, "f": "D", "g": None}
    assert obj["metadata"] == {"name": "a", "labels": {"l": "1"}}
    assert [problem.path for problem in engine.validate(obj)] == ["spec.a", "spec.e.k", "spec.g"]


def test_what_an_apply_set_in_an_object_of_no_known_fields_is_validated():
    engine = Engine({"type": "object", "properties": {"a": {"type": "object", "required": ["x"], "maxProperties": 1}}})
    obj = {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": {"name": "a"}, "a": {"x": {"y": None}}}
    assert engine.default_applied(obj) == (True, False)
    assert obj["a"] == {"x": {"y": None}}
    assert not engine.validate(obj)
    obj["a"] = {"x": 1, "y": 2}
    assert engine.default_applied(obj) == (True, False)
    assert [problem.path for problem in engine.validate(obj)] == ["a"]


def test_metadata_within_that_decoding_leaves_as_it_is_is_no_change():
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    engine = Engine({"type": "object", "properties": {"e": embedded}})
    owner = {"apiVersion": "", "kind": "", "name": "", "uid": "u"}
    resource = {"apiVersion": "v1", "kind": "X", "metadata": {"ownerReferences": [owner]}}
    obj = {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": {"name": "a"}, "e": resource}
    assert not engine.default(obj)
    resource["metadata"]["labels"] = {}
    assert engine.default(obj)
    assert obj["e"]["metadata"] == {"ownerReferences": [owner]}


@pytest.mark.parametrize("is_declared", [True, False])
def test_null_as_metadata_within_what_an_apply_made_is_refused_where_its_type_is_declared(is_declared: bool):
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    if is_declared:
        embedded["properties"] = {"metadata": {"type": "object"}}
    engine = Engine({"type": "object", "properties": {"e": embedded}})
    metadata = {"name": "a"}
    obj = {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": metadata, "e": {"apiVersion": "v1", "kind": "X"}}
    obj["e"]["metadata"] = None
    assert engine.default_applied(obj) == (True, False)
    assert [problem.path for problem in engine.validate(obj)] == (["e.metadata"] if is_declared else [])
    assert obj["e"]["metadata"] is None
    assert engine.default(obj)
    assert obj["e"].get("metadata") == (None if is_declared else {})
    assert not engine.default(obj)


def test_what_admission_leaves_empty_in_metadata_goes_when_the_object_is_stored():
    """Upstream stores it, so that the next write is no repetition."""
    engine = Engine({"type": "object"})
    metadata = {"name": "a", "labels": {}, "finalizers": [], "managedFields": [], "generateName": "", "unknown": 1}
    obj = {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": metadata}
    engine.settle_admitted(obj)
    assert obj["metadata"] == {"name": "a", "labels": {}, "finalizers": [], "managedFields": []}
    assert engine.drop_unseen(obj)
    assert obj["metadata"] == {"name": "a"}
    assert not engine.drop_unseen(obj)


def test_a_mutation_of_admission_gets_defaults_and_keeps_what_no_schema_has():
    spec = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "D"}}}
    in_lists = {"type": "array", "items": spec}
    engine = Engine({"type": "object", "properties": {"spec": spec, "list": in_lists}})
    value = {"a": None, "z": {"b": None}}
    obj = {
        "apiVersion": "g.dev/v1",
        "kind": "Thing",
        "metadata": {},
        "spec": dict(value),
        "list": [dict(value)],
        "y": 1,
    }
    engine.default_admitted(obj)
    assert obj["spec"] == obj["list"][0] == {**value, "b": "D"}
    assert obj["y"] == 1
    engine.settle_admitted(obj)
    assert obj["y"] == 1
    assert engine.default(obj)
    assert not engine.default(obj)
    assert obj["spec"] == obj["list"][0] == {"b": "D"}  # what checks let pass: a null would have been refused
    assert "y" not in obj


def test_a_definition_that_preserves_unknown_fields_keeps_all_that_it_is_sent():
    properties = {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "string"}}}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    engines = {"g.dev/v1": Engine(schema, preserves=True)}
    codec = CustomResourceCodec(GroupVersionKind("g.dev", "v1", "Thing"), "g.dev/v1", engines, NoneConverter(["v1"]))

    def build_thing(version="v1"):
        spec = {"a": None, "b": {"c": None, "d": [{"e": None}]}, "f": None}
        return {"apiVersion": f"g.dev/{version}", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec, "g": 1}

    sent = build_thing()
    assert codec.normalize(sent, report_unknown=True) == []
    assert sent == build_thing()
    assert codec.normalize_applied(sent) == (False, False)
    stored = json.dumps(sent).encode()
    assert codec.present(stored) is stored
    assert codec.decode(stored) == build_thing()
    foreign = build_thing("v9")
    assert codec.normalize_foreign(foreign, report_unknown=True) == []
    assert foreign == build_thing("v9")
    assert [problem.path for problem in engines["g.dev/v1"].validate(sent)] == ["spec.a", "spec.b.c"]


def test_an_object_whose_version_is_null_cannot_be_read():
    with pytest.raises(BadRequest) as refusal:
        build("v1").normalize_foreign({"apiVersion": None, "kind": "Thing"}, report_unknown=False)
    assert refusal.value.message == (
        'Thing in version "" cannot be handled as a Thing: .apiVersion accessor error: <nil> is of the type <nil>, '
        "expected string"
    )


@pytest.mark.parametrize(
    ("embedded", "text"),
    [
        ({"apiVersion": "v1", "kind": 42}, "spec.kind: Invalid value: 42: must be a string"),
        (
            {"apiVersion": "v1", "kind": "K", "metadata": 5},
            "spec.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta",
        ),
    ],
)
def test_an_embedded_resource_that_another_version_cannot_hold_is_not_converted_to_it(embedded, text):
    strict = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    engines = {
        "g.dev/v1": Engine({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        "g.dev/v2": Engine({"type": "object", "properties": {"spec": strict}}),
    }
    obj = {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": embedded}
    stored = json.dumps(obj).encode()

    def codec(version, stored_as):
        kind = GroupVersionKind("g.dev", version, "Thing")
        return CustomResourceCodec(kind, stored_as, engines, NoneConverter(list(engines)))

    reader, writer = codec("v2", "g.dev/v1"), codec("v1", "g.dev/v2")
    for convert in (
        lambda: reader.decode(stored),
        lambda: reader.present(stored),
        lambda: asyncio.run(reader.present_all([stored])),
        lambda: writer.encode(obj),
    ):
        with pytest.raises(ConversionError) as refusal:
            convert()
        assert refusal.value.message == text
