"""What a patch gave, read as a built-in kind: an object without a version is read into a type that knows nothing."""

import pytest

from quarterdeck.apis.resource import APIResource
from quarterdeck.endpoints import patched_bodies
from quarterdeck.registry.builtin.reviews import Definition, build_scope
from quarterdeck.schema import gotypes

RESOURCE = APIResource("", "v1", "configmaps", "configmap", "ConfigMap", "ConfigMapList", namespaced=True, verbs=())
SCOPE = build_scope(Definition(RESOURCE, gotypes.struct_of("v1", "ConfigMap")))


def patched(**members):
    return {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": 5}, **members}


@pytest.mark.parametrize("members", [{}, {"apiVersion": None}, {"apiVersion": ""}])
def test_all_members_of_an_object_without_a_version_are_unknown(members):
    obj, findings = patched_bodies.normalize_patched(patched(**members), SCOPE, reports=True)
    assert findings == ['unknown field "data"', 'unknown field "metadata"']
    assert (obj["apiVersion"], obj["kind"], obj["metadata"]) == ("v1", "ConfigMap", {})
    assert "data" not in obj
    assert patched_bodies.normalize_patched(patched(**members), SCOPE, reports=False)[1] == []


def test_an_object_with_a_version_is_read():
    with pytest.raises(patched_bodies.UndecodablePatch, match=r"Go struct field ConfigMap\.data of type string"):
        patched_bodies.normalize_patched(patched(apiVersion="v1"), SCOPE, reports=True)


def test_unknown_fields_are_quoted_as_those_of_other_bodies():
    obj = patched(apiVersion="v1", data={})
    obj.update({'a"b': 1, "\u200b": 2})
    obj["metadata"]["z\n"] = 3
    findings = patched_bodies.normalize_patched(obj, SCOPE, reports=True)[1]
    assert findings == [r'unknown field "a\"b"', r'unknown field "metadata.z\n"', r'unknown field "\u200b"']
