"""The order of members in a quoted document: sorted where the patch went, Go's elsewhere."""

from quarterdeck.apimachinery.patch import quote

ENTRY = {"apiVersion": "v1", "fieldsV1": {"f:b": {}, "f:a": {}}, "manager": "m", "operation": "Update"}
METADATA = {"resourceVersion": "5", "name": "a", "labels": {"b": "", "a": ""}, "managedFields": [ENTRY], "uid": "u"}
DOCUMENT = {"kind": "Widget", "apiVersion": "v1", "metadata": METADATA, "data": {"k": "v"}}
SHOWN_ENTRY = '{"manager":"m","operation":"Update","apiVersion":"v1","fieldsV1":{"f:a":{},"f:b":{}}}'


def test_what_a_patch_does_not_touch_is_in_gos_order():
    assert quote.quote(DOCUMENT, quote.touched_by_merge({"kind": "Widget"}), "v1", "ConfigMap") == (
        '{"apiVersion":"v1","data":{"k":"v"},"kind":"Widget","metadata":{"name":"a","uid":"u","resourceVersion":"5",'
        f'"labels":{{"a":"","b":""}},"managedFields":[{SHOWN_ENTRY}]}}}}'
    )


def test_what_it_touches_is_sorted():
    shown = (
        '{"apiVersion":"v1","data":{"k":"v"},"kind":"Widget","metadata":{"labels":{"a":"","b":""},'
        f'"managedFields":[{SHOWN_ENTRY}],"name":"a","resourceVersion":"5","uid":"u"}}}}'
    )
    for touched in (
        quote.touched_by_merge({"metadata": {"name": "a"}}),
        quote.touched_by_operations([{"op": "add", "path": "/metadata/name"}, None, {"path": 5}]),
    ):
        assert quote.quote(DOCUMENT, touched, "v1", "ConfigMap") == shown
    inside = quote.touched_by_operations([{"path": "/metadata/managedFields/0/manager"}])
    assert '"managedFields":[{"apiVersion"' in quote.quote(DOCUMENT, inside, "v1", "ConfigMap")


def test_what_is_no_object_and_what_has_no_types_is_shown_as_it_is():
    assert quote.quote([1], {}, "v1", "ConfigMap") == "[1]"
    assert quote.quote({"b": 1, "a": 2}, {}, "example.com/v1", "Widget") == '{"a":2,"b":1}'
