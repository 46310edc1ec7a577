"""Objects of built-in kinds as Go writes them: fields in the order of their struct, maps by key."""

import json

from quarterdeck.apiextensions import types
from quarterdeck.schema import gotypes
from quarterdeck.schema.goorder import order_members

CONTAINER = {"env": [{"value": "1", "name": "A"}], "ports": [], "image": "i", "name": "c"}
POD = {
    "status": {},
    "spec": {"nodeSelector": {"b": "", "a": ""}, "containers": [CONTAINER], "volumes": []},
    "metadata": {"uid": "u", "name": "p", "labels": {"b": "", "a": ""}},
    "other": {"b": 1, "a": 2},
    "apiVersion": "v1",
    "kind": "Pod",
}


def test_fields_have_the_order_of_their_struct_and_maps_that_of_their_keys():
    ordered = order_members(POD, gotypes.object_of("v1", "Pod"))
    assert json.dumps(ordered, separators=(",", ":")) == (
        '{"metadata":{"name":"p","uid":"u","labels":{"a":"","b":""}},'
        '"spec":{"volumes":[],"containers":[{"name":"c","image":"i","ports":[],"env":[{"name":"A","value":"1"}]}],'
        '"nodeSelector":{"a":"","b":""}},"status":{},"other":{"b":1,"a":2},"apiVersion":"v1","kind":"Pod"}'
    )


def test_what_does_not_fit_stays():
    assert order_members({"spec": 5, "metadata": None}, gotypes.object_of("v1", "Pod")) == {"metadata": None, "spec": 5}


def test_schemas_are_written_wherever_they_stand():
    inner = {"type": "string", "description": "d"}
    schema = {
        "properties": {"b": inner, "a": {"items": inner, "type": "array"}},
        "additionalProperties": inner,
        "type": "object",
        "default": {"z": 1, "y": 2},
    }
    written = '{"description":"d","type":"string"}'
    assert json.dumps(order_members(schema, types.JSON_SCHEMA_PROPS), separators=(",", ":")) == (
        '{"type":"object","default":{"y":2,"z":1},"properties":{'
        f'"a":{{"type":"array","items":{written}}},"b":{written}}},"additionalProperties":{written}}}'
    )


def test_parameters_for_drivers_stay_as_they_were_sent():
    parameters = {"x": 1, "kind": "C", "in": {"b": 1, "a": 2}}
    members = {"spec": {"config": [{"opaque": {"parameters": parameters, "driver": "d"}}]}}
    ordered = order_members(members, gotypes.object_of("resource.k8s.io/v1", "DeviceClass"))
    assert json.dumps(ordered["spec"]["config"][0]["opaque"]) == json.dumps({"driver": "d", "parameters": parameters})
