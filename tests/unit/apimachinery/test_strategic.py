"""Strategic merge patches of built-in types."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.patch import mergekeys, strategic
from quarterdeck.apimachinery.typetables import reader
from support import recorded

DEPLOYMENT = ("apps", "v1", "Deployment")
POD = ("", "v1", "Pod")
SERVICE = ("", "v1", "Service")


def patched(document, patch, gvk=POD):
    return strategic.apply(json.loads(json.dumps(document)), json.loads(json.dumps(patch)), gvk)


def test_recorded_patches_of_containers_are_answered_alike():
    name = "patch/strategic-deployment-containers.json"
    obj = None
    for step, answer in recorded.golden_steps(name):
        if obj is None:
            obj = answer["body"]
        elif step["headers"]["Content-Type"].startswith("application/strategic") and answer["code"] == 200:
            obj = patched(obj, step["body"], DEPLOYMENT)
            spec, expected = obj["spec"]["template"]["spec"], answer["body"]["spec"]["template"]["spec"]
            assert [c["name"] for c in spec["containers"]] == [c["name"] for c in expected["containers"]]
            for got, want in zip(spec["containers"], expected["containers"], strict=True):
                assert got.items() <= want.items()
            assert obj["spec"].get("strategy") == answer["body"]["spec"].get("strategy")
            assert [set(v) for v in spec.get("volumes", [])] == [set(v) for v in expected.get("volumes", [])]


@pytest.mark.parametrize(
    "document, patch, expected",
    [
        ({"a": 1, "b": 2}, {"a": None, "c": 3}, {"b": 2, "c": 3}),
        (
            {"metadata": {"labels": {"a": "1"}}},
            {"metadata": {"labels": {"b": "2"}}},
            {"metadata": {"labels": {"a": "1", "b": "2"}}},
        ),
        (
            {"metadata": {"labels": {"a": "1"}}},
            {"metadata": {"labels": {"$patch": "replace", "b": "2"}}},
            {"metadata": {"labels": {"b": "2"}}},
        ),
        (
            {"metadata": {"labels": {"a": "1"}}},
            {"metadata": {"labels": {"$patch": "delete"}}},
            {"metadata": {"labels": {}}},
        ),
        (
            {"spec": {"tolerations": [{"key": "a"}]}},
            {"spec": {"tolerations": [{"key": "b"}]}},
            {"spec": {"tolerations": [{"key": "b"}]}},
        ),
        (
            {"metadata": {"finalizers": ["a", "b"]}},
            {"metadata": {"finalizers": ["b", "c"]}},
            {"metadata": {"finalizers": ["a", "b", "c"]}},
        ),
        (
            {"metadata": {"finalizers": ["a", "b"]}},
            {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a", "x"]}},
            {"metadata": {"finalizers": ["b"]}},
        ),
        (
            {},
            {"metadata": {"annotations": {"$patch": "replace", "a": "b"}, "labels": {"x": None, "y": "1"}}},
            {"metadata": {"labels": {"y": "1"}}},
        ),
        (
            {"metadata": {}},
            {"metadata": {"annotations": {"$retainKeys": ["a"], "a": "b"}}},
            {"metadata": {"annotations": {"$retainKeys": ["a"], "a": "b"}}},
        ),
        (
            {"metadata": {"labels": {"a": "1"}}},
            {"data": {"$patch": "replace", "q": "1"}},
            {"metadata": {"labels": {"a": "1"}}},
        ),
        (
            {"spec": {"containers": []}},
            {"spec": {"containers": [{"name": "a", "env": [{"name": "x", "$patch": "delete"}]}]}},
            {"spec": {"containers": [{"name": "a", "env": [{"name": "x", "$patch": "delete"}]}]}},
        ),
        (
            {"spec": {"containers": [{"name": "a"}]}},
            {"spec": {"containers": [{"$patch": "replace"}, {"name": "b"}]}},
            {"spec": {"containers": [{"name": "b"}]}},
        ),
        (
            {"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}},
            {"spec": {"volumes": [{"name": "v", "emptyDir": None, "secret": {}}]}},
            {"spec": {"volumes": [{"name": "v", "secret": {}}]}},
        ),
        (
            {"spec": {"containers": [{"name": n} for n in "abcd"]}},
            {"spec": {"$setElementOrder/containers": [{"name": "d"}, {"name": "b"}]}},
            {"spec": {"containers": [{"name": n} for n in "acdb"]}},
        ),
    ],
)
def test_a_patch_is_merged_by_the_strategies_of_its_fields(document, patch, expected):
    assert patched(document, patch) == expected


def test_service_ports_are_merged_by_port():
    document = {"spec": {"ports": [{"port": 80, "name": "a"}, {"port": 81}]}}
    assert patched(document, {"spec": {"ports": [{"port": 80, "name": "b"}]}}, SERVICE) == {
        "spec": {"ports": [{"port": 80, "name": "b"}, {"port": 81}]}
    }


def test_ephemeral_containers_have_the_merge_keys_of_containers():
    document = {"spec": {"ephemeralContainers": [{"name": "a", "env": [{"name": "x", "value": "1"}]}]}}
    patch = {"spec": {"ephemeralContainers": [{"name": "a", "env": [{"name": "y", "value": "2"}]}]}}
    env = patched(document, patch)["spec"]["ephemeralContainers"][0]["env"]
    assert {item["name"] for item in env} == {"x", "y"}


def test_webhooks_are_merged_by_name_though_their_type_has_no_table():
    gvk = ("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration")
    document = {"webhooks": [{"name": "a", "timeoutSeconds": 1}, {"name": "b"}], "metadata": {"finalizers": ["x"]}}
    got = patched(document, {"webhooks": [{"name": "a", "x": 2}], "metadata": {"finalizers": ["y"]}}, gvk)
    assert got["webhooks"] == [{"name": "a", "timeoutSeconds": 1, "x": 2}, {"name": "b"}]
    assert sorted(got["metadata"]["finalizers"]) == ["x", "y"]


@pytest.mark.parametrize(
    "patch, error, message",
    [
        (
            {"spec": {"containers": [{"image": "x"}]}},
            errors.Unreasoned,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            {"spec": {"containers": [{"$patch": "delete"}]}},
            errors.Unreasoned,
            "map: map[$patch:delete] does not contain declared merge key: name",
        ),
        (
            {"spec": {"containers": [{"name": "a", "$patch": "bogus"}]}},
            errors.Unreasoned,
            "unknown patch type: bogus in map: map[$patch:bogus name:a]",
        ),
        ({"spec": {"$patch": "bogus"}}, errors.Unreasoned, "unknown patch type: bogus in map: map[$patch:bogus]"),
        (
            {"spec": {"$patch": 1.5}},
            errors.Unreasoned,
            "unknown patch type: %!s(float64=1.5) in map: map[$patch:1.5]",
        ),
        (
            {"spec": {"$patch": {"b": [1, "x", None], "a": True}}},
            errors.Unreasoned,
            "unknown patch type: map[a:%!s(bool=true) b:[%!s(int64=1) x %!s(<nil>)]] in map: "
            "map[$patch:map[a:true b:[1 x <nil>]]]",
        ),
        (
            {"spec": {"$setElementOrder/containers": None}},
            errors.Unreasoned,
            "expected a []interface {}, but received a %!s(<nil>)",
        ),
        (
            {"spec": {"tolerations": [{}], "$deleteFromPrimitiveList/tolerations": [{}]}},
            errors.Unreasoned,
            "cannot merge lists without merge key for struct",
        ),
        (
            {"spec": {"containers": [{"$patch": "merge", "name": "a"}]}},
            errors.Unreasoned,
            "merging lists cannot yet be specified in the patch",
        ),
        ({"spec": {"$retainKeys": "x"}}, errors.BadRequest, "invalid patch format of retainKeys"),
        ({"$setElementOrder": ["a"]}, errors.BadRequest, "invalid patch format of setElementOrder list"),
        ({"$setElementOrder": "x"}, errors.Unreasoned, "expected a []interface {}, but received a string"),
        ({"spec": {"$setElementOrder/containers": ["c"]}}, errors.Unreasoned, "value for key 0 is not a map"),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "b"}, 1]}},
            errors.Unreasoned,
            "value for key 1 is not a map",
        ),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "a"}, 1]}},
            errors.Unreasoned,
            "expected a map[string]interface {}, but received a int64",
        ),
        (
            {"spec": {"$setElementOrder/hostNetwork": []}},
            errors.Unreasoned,
            "expected slice or array type, but got: struct",
        ),
        (
            {"spec": {"$setElementOrder/nodeSelector": []}},
            errors.Unreasoned,
            "expected slice or array type, but got: struct",
        ),
        ({"spec": {"$setElementOrderfoo/x": []}}, errors.BadRequest, "invalid patch format of setElementOrder list"),
        ({"$deleteFromPrimitiveList": ["a"]}, errors.BadRequest, "invalid patch format of primitive list"),
        (
            {"spec": {"$setElementOrder/nope": ["a"]}},
            errors.Unreasoned,
            'unable to find api field in struct PodSpec for the json field "nope"',
        ),
        (
            {"spec": {"$retainKeys": ["x"], "y": 1}},
            errors.BadRequest,
            "invalid patch format of retainKeys",
        ),
        (
            {"spec": {"$setElementOrder/containers": "x"}},
            errors.Unreasoned,
            "expected a []interface {}, but received a string",
        ),
        (
            {"spec": {"containers": [{}], "$setElementOrder/containers": ["x"]}},
            errors.Unreasoned,
            "expected a map[string]interface {}, but received a string",
        ),
        (
            {"spec": {"containers": [["x"]]}},
            errors.Unreasoned,
            "list element types are not identical: [[map[name:a]] [[x]]]",
        ),
        (
            {"spec": {"volumes": [["x"]], "$setElementOrder/volumes": []}},
            errors.GenericServerResponse,
            "the server rejected our request due to an error in our request",
        ),
        (
            {"spec": {"volumes": [], "$setElementOrder/volumes": [{"name": "a"}]}},
            errors.Unreasoned,
            "no elements in any of the given slices",
        ),
        (
            {"spec": {"$setElementOrder/containers": [{}]}},
            errors.Unreasoned,
            "map: map[] does not contain declared merge key: name",
        ),
        (
            {
                "spec": {
                    "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
                    "containers": [{"name": "a"}, {"name": "b"}],
                }
            },
            errors.Unreasoned,
            "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n"
            "[map[name:b] map[name:a]]\n",
        ),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(patch, error, message):
    with pytest.raises(error) as caught:
        patched({"spec": {"containers": [{"name": "a"}]}}, patch)
    assert caught.value.message == message


@pytest.mark.parametrize("change", [{"spec": {"a": 1}}, {"spec": {"$patch": "replace"}}, {"list": [1]}])
def test_what_holds_any_json_has_no_fields(change):
    gvk, document = ("apps", "v1", "ControllerRevision"), {"data": {"spec": {}, "list": [], "kind": "X"}}
    with pytest.raises(errors.Unreasoned) as caught:
        strategic.apply(document, {"data": change}, gvk)
    (name,) = change
    assert caught.value.message == f'unable to find api field in struct RawExtension for the json field "{name}"'
    assert strategic.apply(document, {"data": {"kind": "Y", "new": {"x": 1}}}, gvk)["data"]["new"] == {"x": 1}


def test_a_field_that_only_the_patch_has_is_not_merged():
    containers = [{"name": "c", "odd": {"x": 1}}, {"name": "c", "odd": {"y": 1}}]
    with pytest.raises(errors.Unreasoned) as caught:
        patched({"spec": {"containers": []}}, {"spec": {"containers": containers}})
    assert caught.value.message == 'unable to find api field in struct Container for the json field "odd"'
    assert patched({"spec": {"containers": []}}, {"spec": {"containers": containers[:1]}})


@pytest.mark.parametrize(
    "live, changes, order, expected",
    [
        ("cs", "-c d", "d", "sd"),
        ("ast", "-a d", "d", "std"),
        ("asbt", "-a d", "db", "stdb"),
        ("abs", "-a -b d e", "de", "sde"),
        ("abs", "-a d e", "de", "bsde"),
        ("as", "d", "d", "das"),
        ("as", "-a", "d", "s"),
    ],
)
def test_what_is_added_where_something_is_deleted_counts_as_the_last_of_the_server(live, changes, order, expected):
    items = [{"name": c[1:], "$patch": "delete"} if c[0] == "-" else {"name": c} for c in changes.split()]
    patch = {"spec": {"$setElementOrder/containers": [{"name": n} for n in order], "containers": items}}
    found = patched({"spec": {"containers": [{"name": n} for n in live]}}, patch)["spec"]["containers"]
    assert "".join(item["name"] for item in found) == expected


@pytest.mark.parametrize(
    "live, changes, expected",
    [
        ("12", "1 2 3", "312"),
        ("12", "3 2 1", "123"),
        ("12", "3 4", "1243"),
        ("125", "4 2 3", "31254"),
        ("125", "-2 9 8", "1589"),
        ("", "4 2 3", "324"),
    ],
)
def test_what_is_added_goes_before_what_stands_there_where_no_order_is_asked_for(live, changes, expected):
    items = [{"name": c[1:], "$patch": "delete"} if c[0] == "-" else {"name": c} for c in changes.split()]
    patch = {"spec": {"$setElementOrder/containers": [], "containers": items}}
    document = {"spec": {"containers": [{"name": n} for n in live]} if live else {}}
    found = patched(document, patch)["spec"]["containers"]
    assert "".join(item["name"] for item in found) == expected


def test_members_of_maps_have_no_order():
    with pytest.raises(errors.Unreasoned) as caught:
        patched({"metadata": {"labels": {"a": "b"}}}, {"metadata": {"labels": {"$setElementOrder/x": []}}})
    assert caught.value.message == "merging an object in json but data type is not struct, instead is: map"
    with pytest.raises(errors.Unreasoned) as caught:
        patched({"metadata": {}}, {"metadata": {"$setElementOrder/labels": []}})
    assert caught.value.message == "expected slice or array type, but got: struct"


@pytest.mark.parametrize("table", sorted(reader.TABLES.values()))
def test_every_field_of_every_type_is_known(table):
    for name in reader.names(table):
        entry = reader.find(table, name)
        for field in () if entry is None else entry.fields:
            if field.name:
                found, strategy = mergekeys.lookup(mergekeys.PatchType(name, entry), field.name)
                assert found.is_list or not strategy.merges


def test_what_a_pointer_leads_to_may_have_an_order():
    assert patched({"spec": {}}, {"spec": {"$setElementOrder/terminationGracePeriodSeconds": []}}) == {"spec": {}}


def test_an_item_that_replaces_the_list_has_no_place_in_the_order():
    patch = {
        "spec": {
            "$setElementOrder/containers": [{"name": "b"}],
            "containers": [{"$patch": "replace"}, {"name": "b", "image": "x"}],
        }
    }
    assert patched({"spec": {"containers": [{"name": "a"}]}}, patch)["spec"]["containers"] == [
        {"name": "b", "image": "x"}
    ]


def test_bodies_that_are_no_objects_are_refused():
    with pytest.raises(errors.BadRequest, match="unexpected end of JSON input"):
        strategic.decode(b"{")
    with pytest.raises(errors.BadRequest, match="cannot unmarshal array"):
        strategic.decode(b"[]")
    assert strategic.decode(b"null") == ({}, [])
    assert strategic.decode(b'{"a":1,"a":2}') == ({"a": 2}, ['duplicate field "a"'])


def test_deep_common_structure_is_refused():
    deep: object = 1
    for _ in range(500):
        deep = {"a": deep}
    with pytest.raises(errors.BadRequest, match="exceeded max depth"):
        patched({"x": deep}, {"x": deep}, ("g", "v", "Unknown"))


def test_many_items_are_deleted_in_one_pass() -> None:
    """20,000 out of 40,000; one look at all items for each would be 800 million comparisons."""
    items = [{"name": f"e{number}", "value": "x"} for number in range(40_000)]
    patch = [{"$patch": "delete", "name": f"e{number * 2}"} for number in range(20_000)]
    document = {"spec": {"containers": [{"name": "c", "env": items}]}}
    merged = patched(document, {"spec": {"containers": [{"name": "c", "env": patch}]}})
    found = merged["spec"]["containers"][0]["env"]
    assert [item["name"] for item in found] == [f"e{number * 2 + 1}" for number in range(20_000)]


def test_what_is_left_of_a_patch_lacks_the_nulls_that_found_nothing():
    patch = {"b": {"x": None, "a": [1, {"y": None}]}, "l": [{"$patch": "delete"}], "n": None}
    assert strategic.apply({}, patch, POD) == {"b": {"a": [1, {}]}, "l": []}
    assert patch == {"b": {"a": [1, {}]}, "l": [{"$patch": "delete"}], "n": None}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([], "map: map[verbs:[get]] does not contain declared merge key: "),
        ([None], "expected a map[string]interface {}, but received a %!s(<nil>)"),
        (["x"], "expected a map[string]interface {}, but received a string"),
    ],
)
def test_a_list_of_maps_that_is_not_merged_has_no_order(order, expected):
    """What the patch asks for is looked at before what is there."""
    document = {"rules": [{"verbs": ["get"]}]}
    patch = {"rules": [], "$setElementOrder/rules": order}
    with pytest.raises(errors.Unreasoned) as caught:
        strategic.apply(document, patch, ("rbac.authorization.k8s.io", "v1", "Role"))
    assert caught.value.message == expected
