"""What writes do to managedFields beyond what the recordings show."""

import copy
import re

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import last_applied, manager, noop, types, updater

V1, V2 = "example.dev/v1", "example.dev/v2"
STRING = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "color": STRING,
                "size": {"type": "integer"},
                "map": {"type": "object", "additionalProperties": STRING},
                "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": STRING},
                "when": {"type": "string", "format": "date-time"},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {"type": "object", "properties": {"phase": STRING}},
    },
}
SCHEMAS = {V1: types.from_open_api(SCHEMA), V2: types.from_open_api(SCHEMA)}


def rename(obj, version):
    return {**obj, "apiVersion": version}


def build(schemas=SCHEMAS, convert=rename, **more):
    resets = {"": {V1: {"f:status": {}}}, "status": {V1: {"f:spec": {}, "f:metadata": {}}}}
    return manager.FieldManager(schemas.get, convert, kind="Widget", reset_fields=resets, **more)


def widget(spec=None, version=V1, **metadata):
    obj = {"apiVersion": version, "kind": "Widget", "metadata": {"name": "a", **metadata}}
    return obj if spec is None else {**obj, "spec": spec}


def at(second):
    return f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"


def update(fields, live, spec, *, name="u", version=V1, second=0, **more):
    new = copy.deepcopy(live) if live is not None else widget(version=version)
    new["spec"] = copy.deepcopy(spec)
    new["apiVersion"] = version
    fields.update(live, new, manager=name, api_version=version, now=at(second), **more)
    new["metadata"].setdefault("uid", "u")
    return new


def apply(fields, live, spec, *, name="m", version=V1, second=0, force=False, **metadata):
    obj = widget(copy.deepcopy(spec), version, **metadata)
    new = fields.apply(live, obj, manager=name, force=force, api_version=version, now=at(second))
    new["metadata"].setdefault("uid", "u")
    return new


def entries(obj):
    return {
        (entry["manager"], entry["operation"], entry["apiVersion"]): entry["fieldsV1"]
        for entry in obj["metadata"].get("managedFields", [])
    }


def test_entries_have_the_canonical_form():
    fields = build()
    new = widget({"size": 1, "color": "red", "map": {"b": "", "a": ""}}, labels={"l": "1"}, finalizers=["f"])
    fields.update(None, new, manager="u", api_version=V1, now=at(0), subresource="")
    (entry,) = new["metadata"]["managedFields"]
    assert list(entry) == ["apiVersion", "fieldsType", "fieldsV1", "manager", "operation", "time"]
    assert str(entry["fieldsV1"]) == str(
        {
            "f:metadata": {
                "f:finalizers": {".": {}, 'v:"f"': {}},
                "f:labels": {".": {}, "f:l": {}},
            },
            "f:spec": {".": {}, "f:color": {}, "f:map": {".": {}, "f:a": {}, "f:b": {}}, "f:size": {}},
        }
    )


def test_entries_are_sorted_by_operation_time_and_name():
    fields = build()
    live = update(fields, None, {"color": "red"}, name="z", second=5)
    live = update(fields, live, {"color": "red", "size": 1}, name="b", second=3)
    live = update(fields, live, {"color": "red", "size": 1, "when": "x"}, name="a", second=3)
    live = apply(fields, live, {"map": {"k": "v"}}, name="m", second=9)
    order = [entry["manager"] for entry in live["metadata"]["managedFields"]]
    assert order == ["m", "a", "b", "z"]


@pytest.mark.parametrize("last", [{"color": "blue"}, {"size": 2}])
def test_no_time_is_sorted_as_the_first_second_of_1970(last):
    """Whether the kernel sorts (all entries are in one version) or not."""
    fields = build()
    version = V2 if "size" in last else V1
    live = update(fields, None, {"color": "red", "map": {}})
    kept = {"apiVersion": version, "fieldsType": "FieldsV1", "operation": "Update"}
    sets = [{"f:spec": {"f:map": {f"f:{name}": {}}}} for name in "abc"]
    live["spec"]["map"] = {"a": "", "b": "", "c": ""}
    live["metadata"]["managedFields"] = [
        {**kept, "manager": "c", "fieldsV1": sets[0], "time": "1970-01-01T00:00:00Z"},
        {**kept, "manager": "a", "fieldsV1": sets[1], "time": "1969-12-31T23:59:59Z"},
        {**kept, "manager": "b", "fieldsV1": sets[2]},
    ]
    live = update(fields, live, {**live["spec"], **last}, name="u")
    assert [entry["manager"] for entry in live["metadata"]["managedFields"]] == ["a", "b", "c", "u"]


@pytest.mark.parametrize("live_version", [V1, V2])
def test_an_apply_merges_no_updaters(live_version):
    """A write of the scale may leave more than ten of them."""
    fields = build()
    live = update(fields, None, {"color": "red", "map": {}})
    names = [f"u{number:02}" for number in range(12)]
    live["spec"]["map"] = dict.fromkeys(names, "v")
    live["metadata"]["managedFields"] = [
        {
            "apiVersion": live_version,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:map": {f"f:{name}": {}}}},
            "manager": name,
            "operation": "Update",
            "time": at(0),
        }
        for name in names
    ]
    live = apply(fields, live, {"size": 1})
    assert [entry["manager"] for entry in live["metadata"]["managedFields"]] == ["m", *names]
    live = update(fields, live, {**live["spec"], "size": 2}, name="more", second=1)
    assert "ancient-changes" in {key[0] for key in entries(live)}


def test_the_oldest_of_more_than_ten_updaters_are_merged():
    fields = build()
    live = update(fields, None, {"map": {}}, name="creator", second=0)
    for number in range(12):
        spec = copy.deepcopy(live["spec"])
        spec["map"][f"k{number}"] = "v"
        live = update(fields, live, spec, name=f"u{number:02}", second=number + 1)
    names = [key[0] for key in entries(live)]
    assert sorted(names) == ["ancient-changes", *(f"u{number:02}" for number in range(3, 12))]
    merged = entries(live)["ancient-changes", "Update", V1]
    assert list(merged["f:spec"]["f:map"]) == [".", "f:k0", "f:k1", "f:k2"]
    times = {entry["manager"]: entry["time"] for entry in live["metadata"]["managedFields"]}
    assert times["ancient-changes"] == at(3)


def test_the_merged_ones_are_forgotten_where_they_are_not_the_oldest():
    fields = build()
    live = update(fields, None, {"map": {}}, name="a", second=0)
    for name in "bcdefghijkl":
        spec = copy.deepcopy(live["spec"])
        spec["map"][name] = "v"
        live = update(fields, live, spec, name=name, second=0)
    assert sorted(key[0] for key in entries(live)) == ["ancient-changes", *"defghijkl"]
    spec = copy.deepcopy(live["spec"])
    spec["map"]["more"] = "v"
    live = update(fields, live, spec, name="a", second=0)
    assert sorted(key[0] for key in entries(live)) == ["a", *"defghijkl"]


def test_an_update_that_changes_nothing_is_a_no_op():
    fields = build()
    live = update(fields, None, {"color": "red"}, second=0)
    again = update(fields, live, {"color": "red"}, second=7)
    assert noop.is_no_op(live, again)
    assert again["metadata"]["managedFields"] == live["metadata"]["managedFields"]


def test_a_later_time_alone_is_a_no_op():
    fields = build()
    live = apply(fields, None, {"color": "red"}, second=0)
    later = copy.deepcopy(live)
    later["metadata"]["managedFields"][0]["time"] = at(9)
    assert noop.is_no_op(live, later)
    later["spec"]["color"] = "blue"
    assert not noop.is_no_op(live, later)


@pytest.mark.parametrize("label", ["v:NaN", 'k:{"a":-Infinity}', "i:1_0", "i: 1", f"i:{2**63}"])
def test_a_label_that_python_alone_can_read_is_not_understood(label):
    live = update(build(), None, {"color": "red"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = [
        {"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {label: {}}}
    ]
    build().update(live, new, manager="u2", api_version=V1, now=at(1))
    assert entries(new) == entries(live)


@pytest.mark.parametrize(
    "sent",
    [
        [{"manager": "x", "operation": "Take", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {}}],
        [{"manager": "x", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {}}],
        [{"fieldsV1": {}}],
        [{"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsV1": {}}],
        [{"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV2", "fieldsV1": {}}],
        [{"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"a": {}}}],
        [{"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"f:a": 1}}],
        [{"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"k:{": {}}}],
        [],
    ],
)
def test_what_a_client_sends_and_nobody_understands_leaves_the_live_entries(sent):
    fields = build()
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = sent
    fields.update(live, new, manager="u2", api_version=V1, now=at(1))
    assert entries(new) == entries(live)


def test_a_client_may_write_entries_and_their_sets_are_put_in_order():
    fields = build()
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    sent = {"f:spec": {"f:size": {}, "f:color": {".": {}}, "x:unknown": {}, 'k:{"b":1, "a":2}': {}}, ".": {}}
    new["metadata"]["managedFields"] = [
        {"manager": "x", "operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": sent}
    ]
    fields.update(live, new, manager="u2", api_version=V1, now=at(1))
    expected = {"f:spec": {"f:color": {}, "f:size": {}, 'k:{"a":2,"b":1}': {}}}
    assert str(entries(new)["x", "Update", V1]) == str(expected)


def test_an_update_takes_entries_themselves_from_those_who_own_them_and_an_apply_does_not():
    fields = build()
    live = update(fields, None, {"color": "red"})
    entry = live["metadata"]["managedFields"][0]
    owned = {"f:metadata": {"f:managedFields": {}}}
    both = {"f:metadata": {"f:managedFields": {}, "f:name": {}}}
    live["metadata"]["managedFields"] = [
        {**entry, "manager": name, "fieldsV1": sets} for name, sets in (("a", owned), ("b", both))
    ]
    applied = apply(fields, live, {"size": 1})
    assert [entries(applied)[name, "Update", V1] for name in "ab"] == [owned, both]
    updated = update(fields, live, {"color": "red", "size": 1})
    assert entries(updated) == {
        ("b", "Update", V1): {"f:metadata": {"f:name": {}}},
        ("u", "Update", V1): {"f:spec": {"f:size": {}}},
    }
    sent = copy.deepcopy(live)
    sent["metadata"]["managedFields"].pop()
    sent["metadata"]["managedFields"][0]["fieldsV1"] = both
    fields.update(live, sent, manager="u", api_version=V1, now=at(1))
    assert entries(sent) == {("a", "Update", V1): {"f:metadata": {"f:name": {}}}}


def own_metadata(name, *owned):
    sets = {"f:metadata": {f"f:{field}": {} for field in owned}}
    return {"manager": name, "operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": sets}


def test_who_owns_what_the_server_sets_loses_it_when_it_changes():
    fields = build()
    new = widget({"color": "red"}, managedFields=[own_metadata("x", "name", "uid")])
    fields.update(None, new, manager="u", api_version=V1, now=at(0))
    assert entries(new)["x", "Update", V1] == {"f:metadata": {"f:uid": {}}}
    sent = widget({"color": "red"}, managedFields=[own_metadata("x", "name", "uid"), own_metadata("u", "name")])
    live = {**new, "metadata": {**new["metadata"], "uid": "u"}}
    fields.update(live, sent, manager="u", api_version=V1, now=at(1))
    assert entries(sent) == {("x", "Update", V1): {"f:metadata": {"f:name": {}}}}


@pytest.mark.parametrize("is_builtin", [False, True])
def test_an_empty_list_resets_built_in_types_only(is_builtin):
    fields = build(is_builtin=is_builtin)
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = []
    fields.update(live, new, manager="u2", api_version=V1, now=at(1))
    assert bool(entries(new)) is not is_builtin


@pytest.mark.parametrize("is_builtin", [True, False])
def test_a_zero_time_stays_with_built_in_types_only(is_builtin):
    fields = build(is_builtin=is_builtin)
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    owner = {"operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}}}}
    new["metadata"]["managedFields"] = [{**owner, "manager": "x", "time": "0001-01-01T00:00:00Z"}]
    fields.update(live, new, manager="u2", api_version=V1, now=at(1))
    stored = {**owner, "manager": "x", "time": None} if is_builtin else {**owner, "manager": "x"}
    assert new["metadata"]["managedFields"] == [stored]
    later = update(fields, new, {"color": "blue"}, name="u3", second=2)
    assert stored in later["metadata"]["managedFields"]


def test_a_subresource_cannot_write_entries():
    fields = build()
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = [{}]
    new["status"] = {"phase": "Up"}
    fields.update(live, new, manager="u", subresource="status", api_version=V1, now=at(1))
    owned = {entry.get("subresource", ""): entry["fieldsV1"] for entry in new["metadata"]["managedFields"]}
    assert owned == {"": {"f:spec": {".": {}, "f:color": {}}}, "status": {"f:status": {".": {}, "f:phase": {}}}}


def test_an_object_that_does_not_fit_its_type_is_not_tracked():
    fields = build()
    live = update(fields, None, {"color": "red"})
    assert entries(update(fields, live, {"when": ["a list"]})) == {}
    assert entries(update(fields, None, {"undeclared": 1})) == {}


def test_owning_parts_of_what_became_atomic_is_owning_it_whole():
    granular = copy.deepcopy(SCHEMA)
    del granular["properties"]["spec"]["properties"]["whole"]["x-kubernetes-map-type"]
    schemas = {V1: types.from_open_api(granular)}
    live = apply(build(schemas), None, {"whole": {"a": "1"}})
    assert entries(live)["m", "Apply", V1] == {"f:spec": {"f:whole": {"f:a": {}}}}
    live = update(build(), live, {**live["spec"], "color": "red"})
    assert entries(live)["m", "Apply", V1] == {"f:spec": {"f:whole": {}}}


def test_managers_of_other_versions_see_the_change_in_theirs():
    fields = build()
    live = update(fields, None, {"color": "red", "size": 1}, version=V2, name="two")
    live = update(fields, rename(live, V1), {"color": "blue", "size": 1}, name="one", second=1)
    assert entries(live) == {
        ("two", "Update", V2): {"f:spec": {".": {}, "f:size": {}}},
        ("one", "Update", V1): {"f:spec": {"f:color": {}}},
    }


def test_a_version_that_is_gone_ends_tracking_of_custom_resources_but_not_of_built_in_types():
    live = update(build(), None, {"color": "red"}, version=V2, name="two")
    live = update(build(), rename(live, V1), {"color": "red", "size": 1}, name="one", second=1)
    left = {V1: SCHEMAS[V1]}
    gone = update(build(left), live, {"color": "blue", "size": 1}, name="one", second=2)
    assert entries(gone) == {}
    kept = update(build(left, is_builtin=True), live, {"color": "blue", "size": 1}, name="one", second=2)
    assert entries(kept) == {("one", "Update", V1): {"f:spec": {"f:color": {}, "f:size": {}}}}
    with pytest.raises(errors.Unreasoned, match=r"request to convert CR to an invalid group/version: example\.dev/v2"):
        apply(build(left), live, {"color": "blue"})


def test_an_owner_in_a_version_that_is_none_ends_tracking_of_built_in_types_too():
    fields = build(is_builtin=True)
    live = update(fields, None, {"color": "red"})
    new = copy.deepcopy(live)
    owner = {"operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}}}}
    new["metadata"]["managedFields"] = [{**owner, "manager": "x", "apiVersion": "a/b/c"}]
    fields.update(live, new, manager="u2", api_version=V1, now=at(1))
    assert entries(new) == {}


def test_a_conversion_that_fails_ends_tracking_and_fails_an_apply():
    def refuse(_obj, _version):
        raise updater.ConversionError("conversion webhook failed")

    live = update(build(), None, {"color": "red"}, version=V2, name="two")
    live = rename(live, V1)
    assert entries(update(build(convert=refuse), live, {"color": "blue"}, name="one")) == {}
    with pytest.raises(errors.Unreasoned, match="conversion webhook failed"):
        apply(build(convert=refuse), live, {"size": 1})


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        (V1, "failed add back owned items: failed to convert pruned object at version example.dev/v1: no size"),
        (V2, "failed add back dangling items: failed to convert pruned object to last applied version: no size"),
    ],
)
def test_a_conversion_that_needs_what_is_taken_out_fails_an_apply(refused, text):
    def convert(obj, version):
        if version == refused and "size" not in obj.get("spec", {}):
            raise updater.ConversionError("no size")
        return rename(obj, version)

    live = apply(build(), None, {"color": "red", "size": 1}, version=V2)
    with pytest.raises(errors.Unreasoned) as error:
        apply(build(convert=convert), rename(live, V1), {"color": "red"})
    assert error.value.message == "failed to prune fields: " + text


@pytest.mark.parametrize("is_builtin", [False, True])
def test_an_owner_in_a_version_that_is_none_fails_an_apply(is_builtin):
    fields = build(is_builtin=is_builtin)
    live = update(fields, None, {"color": "red"})
    live["metadata"]["managedFields"][0]["apiVersion"] = "a/b/c"
    with pytest.raises(errors.Unreasoned, match=r"\Aunexpected GroupVersion string: a/b/c\Z"):
        apply(fields, live, {"size": 1})


def test_an_applier_that_moves_to_another_version_gives_up_what_it_had():
    fields = build()
    live = apply(fields, None, {"color": "red", "size": 1}, version=V2)
    live = apply(fields, rename(live, V1), {"color": "red"}, second=1)
    assert live["spec"] == {"color": "red"}
    assert entries(live) == {("m", "Apply", V1): {"f:spec": {"f:color": {}}}}


def test_an_applier_whose_version_is_gone_keeps_its_time_where_it_changes_nothing():
    live = apply(build(is_builtin=True), None, {"color": "red"}, version=V2)
    fields = build({V1: SCHEMAS[V1]}, is_builtin=True)
    again = apply(fields, rename(live, V1), {"color": "red"}, second=1)
    (entry,) = again["metadata"]["managedFields"]
    assert (entry["apiVersion"], entry.get("time")) == (V1, at(0))


def test_kubectl_takes_over_what_its_annotation_says_it_applied():
    fields = build()
    annotation = (
        '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"color":"red","size":1}}\n'
    )
    live = widget({"color": "red", "size": 2}, annotations={last_applied.ANNOTATION: annotation})
    fields.update(None, live, manager="kubectl-client-side-apply", api_version=V1, now=at(0))
    live["metadata"]["uid"] = "u"
    taken = apply(fields, live, {"color": "blue"}, name="kubectl", second=1)
    assert taken["spec"] == {"color": "blue", "size": 2}
    # What had changed since is not its own, and a manager of another name gets no such leave.
    with pytest.raises(errors.ApplyConflict) as conflict:
        apply(fields, live, {"color": "blue", "size": 3}, name="kubectl")
    assert [cause["field"] for cause in conflict.value.details["causes"]] == [".spec.size"]
    with pytest.raises(errors.ApplyConflict):
        apply(fields, live, {"color": "blue"}, name="argocd")
    shown = taken["metadata"]["annotations"][last_applied.ANNOTATION]
    assert shown == '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"color":"blue"}}\n'


@pytest.mark.parametrize(
    "annotation",
    [
        "",
        "no json",
        "[]",
        '{"apiVersion":"example.dev/v2","kind":"Widget","spec":{"color":"red"}}',
        '{"apiVersion":"example.dev/v1","kind":"Gadget","spec":{"color":"red"}}',
        '{"apiVersion":"example.dev/v1","spec":{"color":"red"}}',
    ],
)
def test_an_annotation_that_says_nothing_allows_nothing(annotation):
    fields = build()
    live = widget({"color": "red"}, annotations={last_applied.ANNOTATION: annotation})
    fields.update(None, live, manager="kubectl-client-side-apply", api_version=V1, now=at(0))
    with pytest.raises(errors.ApplyConflict):
        apply(fields, live, {"color": "blue"}, name="kubectl")


@pytest.mark.parametrize(
    ("annotations", "shown"),
    [
        ({"b": None, "c": "d"}, ',"metadata":{"annotations":{"b":"","c":"d"},"name":"a"}'),
        ({}, ',"metadata":{"annotations":{},"name":"a"}'),
        (None, ',"metadata":{"name":"a"}'),
    ],
)
def test_kubectls_annotation_shows_null_annotations_as_empty_texts(annotations, shown):
    fields = build()
    live = widget({}, annotations={last_applied.ANNOTATION: "x"})
    fields.update(None, live, manager="u", api_version=V1, now=at(0))
    taken = apply(fields, live, {}, name="kubectl", annotations=annotations)["metadata"]["annotations"]
    assert taken.pop(last_applied.ANNOTATION) == f'{{"apiVersion":"{V1}","kind":"Widget"{shown},"spec":{{}}}}\n'
    assert taken == {name: text or "" for name, text in (annotations or {}).items()}


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"x": 1}, ".spec.x: field not declared in schema"),
        ({"color": 5}, ".spec.color: expected string, got &value.valueUnstructured{Value:5}"),
        ({"color": {"b": [None, "x"], "a": True}}, ".spec.color: expected string, got &value.valueUnstructured{Value:"
         'map[string]interface {}{"a":true, "b":[]interface {}{interface {}(nil), "x"}}}'),
        ({"size": "big"}, ".spec.size: expected numeric (int or float), got string"),
        ({"map": "x"}, ".spec.map: expected map, got &{x}"),
        ({"map": [1, {"a": None}]}, ".spec.map: expected map, got &{[1 map[a:<nil>]]}"),
        ({"when": [1]}, ".spec.when: expected any scalar, got &{[1]}"),
        ({"color": 5, "size": True}, "errors:\n  .spec.color: expected string, got &value.valueUnstructured{Value:5}\n"
         "  .spec.size: expected numeric (int or float), got bool"),
        ({"size": "big", "any": {"list": [], "map": {}, "none": None}},
         ".spec.size: expected numeric (int or float), got string"),
    ],
)  # fmt: skip
def test_a_body_that_does_not_fit_is_named_by_path_and_reason(spec, text):
    with pytest.raises(errors.Unreasoned) as error:
        apply(build(), None, spec, namespace="ns")
    prefix = "failed to create typed patch object (ns/a; example.dev/v1, Kind=Widget): "
    assert error.value.message == prefix + text
    assert "reason" not in error.value.to_status()


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({}, ".metadata.managedFields: expected list, got &{map[]}"),
        ("x", ".metadata.managedFields: expected list, got &{x}"),
        ([{}, 5], ".metadata.managedFields[1]: expected map, got &{5}"),
        (
            [5, {"foo": 1}],
            "errors:\n  .metadata.managedFields[0]: expected map, got &{5}\n  .metadata.managedFields[1].foo: ",
        ),
    ],
)
def test_managed_fields_of_a_body_that_are_no_entries_do_not_fit(sent, text):
    with pytest.raises(errors.Unreasoned) as refused:
        apply(build(), None, None, managedFields=sent)
    assert refused.value.message.startswith(f"failed to create typed patch object (/a; {V1}, Kind=Widget): {text}")
    apply(build(), None, None, managedFields=None)


@pytest.mark.parametrize("name", ["manager", "operation", "apiVersion", "fieldsType", "subresource"])
def test_an_entry_that_cannot_be_read_is_of_the_wrong_type(name):
    with pytest.raises(errors.Unreasoned) as refused:
        apply(build(), None, None, managedFields=[{name: 5}])
    text = f".metadata.managedFields[0].{name}: expected string, got &value.valueUnstructured{{Value:5}}"
    assert refused.value.message.endswith(text)
    with pytest.raises(errors.BadRequest):
        apply(build(), None, {"color": "red"}, managedFields=[{name: None}])


@pytest.mark.parametrize("owned", ["x", 5, [1], {"garbage": 1}])
def test_what_a_new_object_says_of_its_owners_need_not_fit(owned):
    entry = {"manager": "m", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": owned}
    new = widget({"color": "red"}, managedFields=[entry])
    build().update(None, new, manager="u", api_version=V1, now=at(0))
    assert entries(new) == {("u", "Update", V1): {"f:spec": {".": {}, "f:color": {}}}}


def test_conflicts_name_each_manager_and_field():
    fields = build()
    live = apply(fields, None, {"color": "red", "map": {"a": "1", "b": "2"}}, name="one")
    live = update(fields, live, {**live["spec"], "size": 1}, name="two", second=1)
    with pytest.raises(errors.ApplyConflict) as conflict:
        apply(fields, live, {"color": "blue", "size": 2, "map": {"a": "x", "b": "2"}}, name="three")
    assert conflict.value.message == (
        'Apply failed with 3 conflicts: conflicts with "one":\n- .spec.color\n- .spec.map.a\n'
        'conflicts with "two" using example.dev/v1:\n- .spec.size'
    )


NUMBERED = {
    "type": "object",
    "properties": {
        "counted": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["key"],
            "items": {"type": "object", "properties": {"key": {"type": "number"}, "size": {"type": "integer"}}},
        },
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}},
    },
}


def build_numbered():
    schema = {"type": "object", "properties": {"spec": NUMBERED}}
    return build({V1: types.from_open_api(schema)})


def test_a_definition_that_preserves_unknown_fields_has_them_owned_each():
    fields = build({V1: types.from_open_api(SCHEMA, preserves=True)})
    live = apply(fields, None, {"size": 1, "new": {"a": 1, "b": [1]}})
    owned = {"f:spec": {"f:size": {}, "f:new": {".": {}, "f:a": {}, "f:b": {}}}}
    assert entries(live)["m", "Apply", V1] == owned
    with pytest.raises(errors.ApplyConflict) as conflict:
        apply(fields, live, {"new": {"a": 2, "b": [1]}}, name="other")
    assert conflict.value.message.endswith(": .spec.new.a")


@pytest.mark.parametrize(("key", "shown"), [(80, "80"), (1000000, "1e+06"), (1e20, "1e+20"), (1e-7, "1e-07")])
def test_a_path_that_was_stored_has_floats_for_numbers(key, shown):
    fields = build_numbered()
    live = apply(fields, None, {"counted": [{"key": key, "size": 1}]}, name="one")
    with pytest.raises(errors.ApplyConflict) as conflict:
        apply(fields, live, {"counted": [{"key": key, "size": 2}]}, name="two")
    assert conflict.value.message.endswith(f".spec.counted[key={shown}].size")


@pytest.mark.parametrize(("key", "shown"), [(1000000, "1000000"), (1e6, "1e+06"), (1e20, "1e+20"), (True, "true")])
def test_a_path_of_a_body_has_its_numbers_as_they_were_sent(key, shown):
    for spec, text in [
        ({"set": [key, key]}, f".spec.set: duplicate entries for key [={shown}]"),
        ({"counted": [{"key": key}] * 2}, f".spec.counted: duplicate entries for key [key={shown}]"),
        ({"counted": [{"key": key, "size": "a"}]}, f".spec.counted[key={shown}].size: expected numeric"),
    ]:
        with pytest.raises(errors.Unreasoned, match=re.escape(text)):
            apply(build_numbered(), None, spec)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ([], "[]"),
        ([1, ["a", None], {}], '[1,["a",null],]'),
        ({}, ""),
        ({"a": None}, "a=null"),
        ({"a": {"b": [True, 1.5]}}, "a=b=[true,1.5]"),
    ],
)
def test_a_key_that_is_a_list_or_a_map_is_shown_by_what_it_holds(key, shown):
    with pytest.raises(errors.Unreasoned, match=re.escape(f".spec.counted[key={shown}].key: expected numeric")):
        apply(build_numbered(), None, {"counted": [{"key": key}]})


def test_an_apply_changes_neither_the_live_object_nor_the_body():
    fields = build()
    live = apply(fields, None, {"color": "red", "map": {"a": "1"}})
    body = widget({"map": {"b": "2"}})
    before = copy.deepcopy([live, body])
    fields.apply(live, body, manager="m", force=True, api_version=V1, now=at(1))
    assert [live, body] == before


@pytest.mark.parametrize(
    "entry",
    [
        "text",
        {"manager": 5, "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {}},
        {"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": 5}},
        {"manager": "x", "operation": "Apply", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"k:{": {}}},
    ],
)
def test_stored_entries_that_nobody_understands_are_forgotten_by_updates_and_refused_by_applies(entry):
    fields = build()
    live = widget({"color": "red"}, uid="u", managedFields=[entry])
    new = copy.deepcopy(live)
    new["spec"]["color"] = "blue"
    fields.update(live, new, manager="u", api_version=V1, now=at(0))
    assert "managedFields" not in new["metadata"]
    with pytest.raises(errors.Unreasoned, match="failed to decode managed fields"):
        apply(fields, live, {"color": "blue"})


def test_a_write_of_the_object_takes_its_status_from_those_who_own_it_in_another_version():
    resets = {"": {}, "status": {}}
    for version in SCHEMAS:
        resets[""][version], resets["status"][version] = {"f:status": {}}, {"f:spec": {}, "f:metadata": {}}
    fields = manager.FieldManager(SCHEMAS.get, rename, kind="Widget", reset_fields=resets)
    live = widget({"color": "red"})
    fields.update(None, live, manager="u", api_version=V1, now=at(0))
    live["metadata"]["uid"] = "u"
    for second, (name, version) in enumerate([("s1", V1), ("s2", V2)], 1):
        config = {"apiVersion": version, "kind": "Widget", "metadata": {"name": "a"}, "status": {"phase": "x"}}
        live = fields.apply(
            {**live, "apiVersion": version},
            config,
            manager=name,
            force=True,
            subresource="status",
            api_version=version,
            now=at(second),
        )
    assert {name for name, operation, _ in entries(live) if operation == "Apply"} == {"s1", "s2"}
    new = {**copy.deepcopy(live), "apiVersion": V1}
    del new["status"]
    fields.update({**live, "apiVersion": V1}, new, manager="u", api_version=V1, now=at(9))
    assert {name for name, operation, _ in entries(new) if operation == "Apply"} == {"s1"}


def test_the_first_apply_of_what_cannot_be_converted_fails_before_it_conflicts():
    fields = build(refuses_changes=True)
    with pytest.raises(errors.Unreasoned) as refusal:
        apply(fields, widget({"size": 1}, uid="u"), {"size": 2})
    assert refusal.value.message == (
        "failed to create manager for existing fields: failed to convert live object (/; example.dev/v1, Kind=Widget) "
        "to proper version: request to convert CR to an invalid group/version: example.dev/v1"
    )


def test_an_object_that_does_not_fit_is_told_otherwise_where_nobody_tracks_it_yet():
    fields, reason = build(), ".spec.size: expected numeric (int or float), got string"
    untracked = widget({"size": "big"}, uid="u")
    tracked = update(fields, None, {"color": "red"})
    tracked["spec"] = {"size": "big"}
    for live, told in (
        (untracked, "failed to create manager for existing fields: failed to convert new object ({}) to smd typed"),
        (tracked, "failed to create typed live object ({})"),
    ):
        with pytest.raises(errors.Unreasoned) as refusal:
            apply(fields, live, {"size": 2})
        assert refusal.value.message == f"{told.format('/a; example.dev/v1, Kind=Widget')}: {reason}"


def test_an_untracked_object_that_does_not_fit_is_told_before_entries_in_what_is_applied():
    fields, told = build(), "metadata.managedFields must be nil"
    untracked = widget({"size": "big"}, uid="u")
    with pytest.raises(errors.Unreasoned, match="failed to create manager for existing fields"):
        apply(fields, untracked, {"size": 2}, managedFields=[{"manager": "m"}])
    tracked = update(fields, None, {"color": "red"})
    tracked["spec"] = {"size": "big"}
    for live in (tracked, None, widget({"size": 1}, uid="u")):
        with pytest.raises(errors.BadRequest, match=told):
            apply(fields, live, {"size": 2}, managedFields=[{"manager": "m"}])


def test_an_object_that_is_owned_whole_has_no_owners():
    whole = types.from_open_api({**SCHEMA, "x-kubernetes-map-type": "atomic"})
    fields = build({V1: whole})
    created = update(fields, None, {"color": "red"})
    assert entries(created) == {}
    assert entries(update(fields, created, {"color": "blue"})) == {}
    applied = apply(fields, None, {"color": "red"})
    assert entries(applied) == {}
    assert "creationTimestamp" not in apply(fields, {**applied, "status": {}}, {"size": 1})["metadata"]


def test_an_applier_cannot_leave_out_anything_of_an_object_that_came_to_be_owned_whole():
    whole = types.from_open_api({**SCHEMA, "x-kubernetes-map-type": "atomic"})
    for spec in ({"size": 1}, {"color": "red", "size": 1}):
        applied = apply(build(), None, {"color": "red"})
        with pytest.raises(errors.Unreasoned) as error:
            apply(build({V1: whole}), applied, spec)
        assert error.value.message == (
            "failed to prune fields: failed add back owned items: failed to convert pruned object at version "
            "example.dev/v1: failed to convert value to unstructured for type <nil>"
        )


def test_what_is_wrong_is_told_in_the_order_of_the_items():
    items = {"type": "object", "properties": {"id": STRING, "size": {"type": "integer"}}}
    listed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], "items": items}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"list": listed}}}}
    bad = {"id": "a", "size": "big", "x": 1}
    with pytest.raises(errors.Unreasoned) as error:
        apply(build({V1: types.from_open_api(schema)}), None, {"list": [bad, bad, {"size": 1}]})
    assert error.value.message.splitlines()[1:] == [
        '  .spec.list[id="a"].size: expected numeric (int or float), got string',
        '  .spec.list[id="a"].x: field not declared in schema',
        '  .spec.list: duplicate entries for key [id="a"]',
        '  .spec.list[id="a"].size: expected numeric (int or float), got string',
        '  .spec.list[id="a"].x: field not declared in schema',
        '  .spec.list: element 2: associative list with keys has an element that omits all key fields ["id"] '
        "(and doesn't have default values for any key fields)",
    ]


@pytest.mark.parametrize(
    ("is_builtin", "owned", "text"),
    [
        (False, {"f:apiVersion": {}}, '/, Kind=Widget is unstructured and is not suitable for converting to "'
         'example.dev/v1"'),
        (True, {"f:apiVersion": {}}, "Object 'apiVersion' is missing in 'unstructured object has no version'"),
        (True, {"f:apiVersion": {}, "f:kind": {}}, "Object 'Kind' is missing in 'unstructured object has no kind'"),
    ],
)  # fmt: skip
def test_an_applier_that_is_said_to_own_the_version_cannot_apply(is_builtin, owned, text):
    fields = build(is_builtin=is_builtin)
    applied = apply(fields, None, {"color": "red"})
    applied["metadata"]["managedFields"][0]["fieldsV1"] = owned
    with pytest.raises(errors.Unreasoned) as error:
        apply(fields, applied, {"color": "blue"})
    told = "failed to prune fields: failed add back owned items: failed to convert pruned object at version "
    assert error.value.message == f"{told}example.dev/v1: {text}"
