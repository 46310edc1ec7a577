"""The order of members in the text of a built-in object: that of Go's types, maps sorted."""

from quarterdeck.apimachinery.patch import quote, texts

ENTRY = {"apiVersion": "v1", "fieldsV1": {"f:b": {}, "f:a": {}}, "manager": "m", "operation": "Update"}
METADATA = {"resourceVersion": "5", "name": "a", "labels": {"b": "", "a": ""}, "managedFields": [ENTRY], "uid": "u"}
DOCUMENT = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": METADATA, "data": {"k": "v"}}
SHOWN_ENTRY = '{"manager":"m","operation":"Update","apiVersion":"v1","fieldsV1":{"f:a":{},"f:b":{}}}'
SHOWN_METADATA = (
    f'{{"name":"a","uid":"u","resourceVersion":"5","labels":{{"a":"","b":""}},"managedFields":[{SHOWN_ENTRY}]}}'
)


def test_members_are_in_gos_order():
    shown = quote.write(DOCUMENT, "v1", "ConfigMap")
    assert f'"metadata":{SHOWN_METADATA}' in shown


def test_what_a_patch_does_not_look_into_stays_in_that_order():
    shown = texts.merged(quote.write(DOCUMENT, "v1", "ConfigMap"), b'{"data":{"b":"\\u00e9","a":[ 1e3 ]}}')
    assert shown == (
        '{"apiVersion":"v1","data":{"a":[1e3],"b":"\\u00e9","k":"v"},"kind":"ConfigMap",'
        f'"metadata":{SHOWN_METADATA}}}'
    )


def test_schemas_are_written_wherever_they_stand():
    inner = {"type": "string", "description": "d"}
    schema = {
        "properties": {"b": inner, "a": {"items": inner, "type": "array"}},
        "additionalProperties": inner,
        "type": "object",
        "default": {"z": 1, "y": 2},
    }
    shown = quote.write({"openAPIV3Schema": schema}, "apiextensions.k8s.io/v1", "CustomResourceValidation")
    written = '{"description":"d","type":"string"}'
    assert shown == (
        '{"openAPIV3Schema":{"type":"object","default":{"y":2,"z":1},"properties":{'
        f'"a":{{"type":"array","items":{written}}},"b":{written}}},"additionalProperties":{written}}}}}'
    )


def test_what_is_no_object_and_what_has_no_types_is_shown_as_it_is():
    assert quote.write([1], "v1", "ConfigMap") == "[1]"
    assert quote.write({"b": 1, "a": 2}, "example.com/v1", "Widget") == '{"a":2,"b":1}'
