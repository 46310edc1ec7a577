"""Object metadata: decoding with Go's words, validation with Kubernetes'."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck._kernels import plainmeta
from quarterdeck.apimachinery import names
from quarterdeck.schema import metadecode, objectmeta
from quarterdeck.schema.engine import Engine


def messages(errors: list[Any]) -> list[str]:
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("value", "owner", "message"),
    [
        ({"name": 5}, "", "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string"),
        (
            {"name": 5},
            "ConfigMap",
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
        ),
        ([], "", "json: cannot unmarshal array into Go value of type v1.ObjectMeta"),
        (
            [],
            "ConfigMap",
            "json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
        ),
        ({"uid": 5}, "", "json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID"),
        (
            {"generation": 1.5},
            "",
            "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
        ),
        (
            {"labels": {"k": 5}},
            "",
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        ),
        (
            {"ownerReferences": [{"controller": "x"}]},
            "",
            "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
        ),
        (
            {"creationTimestamp": "2000-01-01"},
            "",
            'parsing time "2000-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
        ),
        ({"deletionTimestamp": "2000-13-01T00:00:00Z"}, "", 'parsing time "2000-13-01T00:00:00Z": month out of range'),
        ({"deletionTimestamp": "2001-02-29T00:00:00Z"}, "", 'parsing time "2001-02-29T00:00:00Z": day out of range'),
    ],
)
def test_wrong_types_are_refused_with_the_words_of_go(value: Any, owner: str, message: str) -> None:
    with pytest.raises(metadecode.DecodeError) as caught:
        metadecode.decode_object_meta(value, owner)
    assert str(caught.value) == message


def test_the_first_wrong_type_is_named_but_a_bad_time_goes_first() -> None:
    with pytest.raises(metadecode.DecodeError, match="annotations"):
        metadecode.decode_object_meta({"name": 5, "annotations": 5})
    with pytest.raises(metadecode.DecodeError, match="parsing time"):
        metadecode.decode_object_meta({"annotations": 5, "creationTimestamp": "soon"})


def test_decoding_keeps_what_is_known_and_not_empty() -> None:
    decoded, unknown = metadecode.decode_object_meta(
        {
            "name": "a",
            "namespace": "",
            "labels": {},
            "annotations": {"k": None},
            "generation": 1.0,
            "deletionGracePeriodSeconds": 0,
            "creationTimestamp": "2020-01-01T01:00:00.5+01:00",
            "finalizers": [],
            "ownerReferences": [{"name": "o", "extra": 1, "controller": False}],
            "managedFields": [{"time": None, "fieldsV1": {"f:a": {}}}],
            "bogus": 1,
        }
    )
    assert decoded == {
        "name": "a",
        "annotations": {"k": ""},
        "generation": 1,
        "deletionGracePeriodSeconds": 0,
        "creationTimestamp": "2020-01-01T00:00:00Z",
        "ownerReferences": [{"apiVersion": "", "kind": "", "name": "o", "uid": "", "controller": False}],
        "managedFields": [{"fieldsV1": {"f:a": {}}}],
    }
    assert unknown == ["metadata.bogus", "metadata.ownerReferences[0].extra"]


def test_the_zero_time_of_a_custom_resource_is_none() -> None:
    sent = {"creationTimestamp": "0001-01-01T01:00:00+01:00", "managedFields": [{"time": "0001-01-01T00:00:00Z"}]}
    assert metadecode.decode_object_meta(sent)[0] == {"managedFields": [{}]}


def test_the_first_hundred_unknown_fields_of_a_custom_resource_are_told() -> None:
    many = {f"z{number:03}": 1 for number in range(98)}
    sent = {**many, "ownerReferences": [{"a": 1, "b": 1, "c": 1}]}
    _, unknown = metadecode.decode_object_meta(sent)
    assert unknown[:4] == [*(f"metadata.ownerReferences[0].{name}" for name in "abc"), "metadata.z000"]
    assert (len(unknown), unknown[-1]) == (100, "metadata.z096")
    assert len(metadecode.decode_object_meta(sent, "ConfigMap")[1]) == 101


def test_plain_metadata_is_left_as_it_is() -> None:
    engine = Engine({"type": "object"})
    meta = {"name": "a", "labels": {"a": "b"}, "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 3}
    meta["deletionGracePeriodSeconds"] = 0
    obj = {"metadata": meta}
    assert engine.prune_and_default(obj, report_unknown=True) == []
    assert obj["metadata"] is meta


@pytest.mark.parametrize(
    "meta",
    [
        {"name": ""},
        {"labels": {}},
        {"labels": {"a": 1}},
        {"generation": 0},
        {"creationTimestamp": "2020-01-31T00:00:00.5Z"},
        {"creationTimestamp": "2020-01-01T00:00:00+00:00"},
        {"finalizers": [None]},
        {"ownerReferences": [{"name": "a"}]},
        {"managedFields": [{"unknown": 1}]},
        {"bogus": 1},
        None,
        [],
    ],
)
def test_metadata_that_is_not_plain_is_decoded(meta: Any) -> None:
    assert not plainmeta.is_plain_object_meta(meta)


def test_names_and_generated_names() -> None:
    assert messages(objectmeta.validate_object_meta({}, False)) == [
        "metadata.name: Required value: name or generateName is required"
    ]
    assert objectmeta.validate_object_meta({"name": "a", "generateName": "a-"}, False) == []
    (error,) = objectmeta.validate_object_meta({"name": "x" * 254}, False)
    assert error.detail == "must be no more than 253 characters"
    assert names.path_segment_name("..") == ["may not be '..'"]
    assert names.path_segment_name("a/b%") == ["may not contain '/'", "may not contain '%'"]


def test_namespaces() -> None:
    assert messages(objectmeta.validate_object_meta({"name": "a"}, True)) == ["metadata.namespace: Required value"]
    (error,) = objectmeta.validate_object_meta({"name": "a", "namespace": "b"}, False)
    assert str(error) == "metadata.namespace: Forbidden: not allowed on this type"


def test_annotations_have_a_total_size() -> None:
    fits = {"name": "a", "annotations": {"a": "x" * (256 * 1024 - 1)}}
    assert objectmeta.validate_object_meta(fits, False) == []
    fits["annotations"]["b"] = ""  # type: ignore[index]
    assert messages(objectmeta.validate_object_meta(fits, False)) == [
        "metadata.annotations: Too long: may not be more than 262144 bytes"
    ]
    upper = {"name": "a", "annotations": {"UPPER.example.com/Key": "v"}}
    assert objectmeta.validate_object_meta(upper, False) == []


def test_two_controllers_and_banned_owners() -> None:
    owner = {"apiVersion": "v1", "kind": "Event", "name": "e", "uid": "u", "controller": True}
    errors = messages(objectmeta.validate_owner_references([owner, {**owner, "kind": "Pod"}], "o"))
    shown = '{"apiVersion":"v1","kind":"Event","name":"e","uid":"u","controller":true}'
    assert errors[0] == f"o: Invalid value: {shown}: /v1, Kind=Event is disallowed from being an owner"
    assert errors[1].endswith('Found "true" in references for Event/e and Pod/e')


def test_conflicting_finalizers() -> None:
    (error,) = objectmeta.validate_finalizers(["orphan", "foregroundDeletion"], "f")
    assert str(error) == (
        'f: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set'
    )


def test_what_may_not_change() -> None:
    old = {
        "name": "a",
        "uid": "u",
        "resourceVersion": "1",
        "generation": 2,
        "deletionTimestamp": "2020-01-01T00:00:00Z",
    }
    new = {**old, "uid": "v", "generation": 1, "finalizers": ["a/b"], "resourceVersion": ""}
    assert messages(objectmeta.validate_object_meta_update(new, old)) == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"a/b"}',
        'metadata.resourceVersion: Invalid value: "": must be specified for an update',
        "metadata.generation: Invalid value: 1: must not be decremented",
        'metadata.uid: Invalid value: "v": field is immutable',
    ]


def test_embedded_resources() -> None:
    props = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    engine = Engine(
        {"type": "object", "properties": {"e": props, "m": {"type": "object", "additionalProperties": props}}}
    )
    obj: dict[str, Any] = {"e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "N", "x": 1}}, "m": {"k": {}}}
    assert engine.prune_and_default(obj, report_unknown=True) == ["e.metadata.x"]
    assert messages(engine.validate(obj)) == ["m[k].apiVersion: Required value", "m[k].kind: Required value"]
    with pytest.raises(metadecode.DecodeError, match=r"^e.kind: Invalid value: 1: must be a string$"):
        engine.prune_and_default({"e": {"kind": 1}}, report_unknown=True)
    stored = {"e": {"kind": 1, "apiVersion": "v1", "metadata": {"name": 5, "labels": {"a": "b"}}}}
    assert engine.default(stored)
    assert stored == {"e": {"apiVersion": "v1", "metadata": {"labels": {"a": "b"}}}}
