"""The large requests of bench/macro/stalls.py: writes of nearly 3 MiB, large definitions, full lists.

Each kind is a round of steps, sent over and over on a connection of its own (stallsender.py). Their bodies are made
before anything is measured, so that the client takes little of a processor while the server works.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import yaml
from stallsender import JSON, REVISION, Step

from support.bombs import GROUP, definition

DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ANYS: Final = f"/apis/{GROUP}/v1/namespaces/default/anys"
TYPEDS: Final = f"/apis/{GROUP}/v1/namespaces/default/typeds"
LISTED: Final = f"/apis/{GROUP}/v1/namespaces/default/listeds"
MAPS: Final = "/api/v1/namespaces/default/configmaps"
YAML: Final = "application/yaml"
JSON_PATCH: Final = "application/json-patch+json"
MERGE: Final = "application/merge-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
_OBJECT_BYTES: Final = 2_900_000
_MAP_BYTES: Final = 1_000_000
_TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
_METADATA: Final = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

Object = dict[str, Any]


# ---- writes ---------------------------------------------------------------------------------------------------------


def _item(number: int) -> Object:
    """What objects hold many of: 150 bytes, of several types; somewhat more of JSON."""
    return {
        "name": f"item-{number}",
        "image": f"registry.example.com/some/where/image-{number}:v1.{number}",
        "ports": [number % 60000, 443],
        "labels": {"app": f"a{number % 100}", "tier": "back"},
        "isOn": number % 2 == 0,
    }


_ITEM_SCHEMA: Final = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9-]+$"},
        "image": {"type": "string", "maxLength": 200},
        "ports": {"type": "array", "items": {"type": "integer"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "isOn": {"type": "boolean"},
    },
}


def _items(size: int) -> list[Object]:
    return [_item(number) for number in range(size * 4 // 5 // 150)]


def _custom(kind: str, name: str, spec: object) -> Object:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _yaml(obj: Object) -> bytes:
    text = yaml.dump(obj, Dumper=yaml.CSafeDumper, width=1000).encode()
    return text.replace(REVISION, b'"%b"' % REVISION)


def _write(name: str, collection: str, obj: Object, changed: Object, *, as_yaml: bool) -> Iterator[Step]:
    """An object that is created, updated, read, applied in whole and deleted."""
    path = f"{collection}/{obj['metadata']['name']}"
    update = {**changed, "metadata": {**changed["metadata"], "resourceVersion": REVISION.decode()}}
    encode = _yaml if as_yaml else _json
    sent = YAML if as_yaml else JSON
    told = f"{name} {'YAML' if as_yaml else 'JSON'}"
    yield Step(f"POST {told}", "POST", collection, encode(obj), sent)
    yield Step(f"PUT {told}", "PUT", path, encode(update), sent)
    yield Step(f"GET {told}", "GET", path)
    yield Step(f"PATCH {told}, apply", "PATCH", f"{path}?fieldManager=a&force=true", encode(obj), APPLY)
    if not as_yaml:
        whole = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind", "metadata")}
        yield Step(f"PATCH {told}, merge", "PATCH", path, _json({**whole, "metadata": {"labels": {"a": "c"}}}), MERGE)
        yield Step(f"PATCH {told}, small", "PATCH", path, b'{"metadata":{"labels":{"a":"d"}}}', MERGE)
        member = next(iter(whole))
        patch = [{"op": "replace", "path": f"/{member}", "value": whole[member]}]
        yield Step(f"PATCH {told}, JSON patch", "PATCH", path, _json(patch), JSON_PATCH)
    if not as_yaml and collection == MAPS:
        yield Step(f"PATCH {told}, strategic", "PATCH", path, _json(whole), STRATEGIC)
    yield Step(f"DELETE {told}", "DELETE", path)


def custom_writes(*, as_yaml: bool = False) -> list[Step]:
    """Of many members, with a schema that knows them and with one that does not, and of one long text."""
    name = "of-yaml" if as_yaml else "of-json"
    items = _items(_OBJECT_BYTES)
    text = "some words of a long text " * (_OBJECT_BYTES // 26)
    steps: list[Step] = []
    for kind, collection, spec in (
        ("Any", ANYS, {"items": items}),
        ("Typed", TYPEDS, {"items": items}),
        ("Any", ANYS, {"text": text}),
    ):
        obj = _custom(kind, name, spec)
        changed = _custom(kind, name, {member: value[:-1] for member, value in spec.items()})
        steps += _write(f"{kind}, {next(iter(spec))}", collection, obj, changed, as_yaml=as_yaml)
    return steps


def map_writes() -> list[Step]:
    """ConfigMaps of nearly 1 MiB: with many small members and with one long one."""
    members = {f"member-{number}": f"value of {number}" for number in range(_MAP_BYTES // 35)}
    steps: list[Step] = []
    for as_yaml in (False, True):
        for name, content in (("members", members), ("text", {"text": "a line " * (_MAP_BYTES // 8)})):
            obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": content}
            changed = {**obj, "data": {**content, "more": "1"}}
            steps += _write(f"configmap of {name}", MAPS, obj, changed, as_yaml=as_yaml)
    return steps


# ---- definitions ----------------------------------------------------------------------------------------------------


def _definition(plural: str, kind: str, schema: Object, columns: list[Object] | None = None) -> Object:
    made: Object = definition(plural, kind, schema)
    if columns:
        made["spec"]["versions"][0]["additionalPrinterColumns"] = columns
    return made


def needed_definitions() -> list[Object]:
    """Those of the objects that are written and listed."""
    spec = {"type": "object", "properties": {"items": {"type": "array", "items": _ITEM_SCHEMA}}}
    kept = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    size = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    return [
        _definition("anys", "Any", {"type": "object", "properties": {"spec": kept}}),
        _definition("typeds", "Typed", {"type": "object", "properties": {"spec": spec}}),
        _definition("listeds", "Listed", {"type": "object", "properties": {"spec": kept}}, size),
    ]


def _deep_schema(depth: int, label: str) -> Object:
    """A schema of 7 ** depth leaves, with rules at each object."""
    if depth == 0:
        return {"type": "string", "maxLength": 63, "description": f"What {label} is to be, in a sentence or two."}
    properties = {f"field{number}": _deep_schema(depth - 1, f"{label}.{number}") for number in range(7)}
    rules: list[Object] = (
        []
        if depth > 1
        else [
            {"rule": "!has(self.field0) || self.field0 != 'no'", "message": "not this one"},
            {"rule": "!has(self.field1) || !has(self.field2) || self.field1.size() <= self.field2.size()"},
        ]
    )
    found: Object = {"type": "object", "properties": properties, "description": f"The parts of {label}."}
    return {**found, "x-kubernetes-validations": rules} if rules else found


def definitions() -> list[Step]:
    """A definition of some 400 KB is created, changed and deleted; its objects and documents are asked for."""
    schema = {"type": "object", "properties": {"spec": _deep_schema(4, "it")}}
    first = _definition("larges", "Large", schema)
    schema = {"type": "object", "properties": {"spec": _deep_schema(4, "this"), "status": {"type": "object"}}}
    bodies = [json.dumps(each).encode() for each in (first, _definition("larges", "Large", schema))]
    path = f"{DEFINITIONS}/larges.{GROUP}"
    changed = json.dumps({"spec": _definition("larges", "Large", schema)["spec"]}).encode()
    collection = f"/apis/{GROUP}/v1/namespaces/default/larges"
    obj = json.dumps({"apiVersion": f"{GROUP}/v1", "kind": "Large", "metadata": {"name": "one"}, "spec": {}}).encode()
    swagger = {"Accept": "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}
    return [
        Step("POST definition", "POST", DEFINITIONS, bodies[0]),
        Step("GET definition", "GET", path),
        Step("POST its object", "POST", collection, obj, waits=True),
        Step("GET /openapi/v3 of it", "GET", f"/openapi/v3/apis/{GROUP}/v1"),
        Step("GET /openapi/v2", "GET", "/openapi/v2", headers=swagger),
        Step("PATCH definition", "PATCH", path, changed, MERGE),
        Step("GET its objects", "GET", collection, fits=(200, 404)),
        Step("PATCH definition, apply", "PATCH", f"{path}?fieldManager=a&force=true", bodies[0], APPLY),
        Step("GET definitions, table", "GET", DEFINITIONS, headers={"Accept": _TABLE}),
        Step("DELETE definition", "DELETE", path),
        Step("GET definition until it is gone", "GET", path, fits=(404,), waits=True),
    ]


# ---- lists ----------------------------------------------------------------------------------------------------------


def fill(port: int, count: int) -> None:
    """The objects that are listed, of 1.5 KB each."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for number in range(count):
        obj = _custom("Listed", f"listed-{number}", {"size": number, "items": [_item(at) for at in range(8)]})
        obj["metadata"]["labels"] = {"odd": str(number % 2)}
        connection.request("POST", LISTED, json.dumps(obj), {"Content-Type": JSON})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 201:
            raise RuntimeError(f"a create was answered {answer.status}")
    connection.close()


def lists() -> list[Step]:
    """Each after a change of one of the objects, so that nothing is answered from what was put together before."""
    forms: dict[str, Callable[[], dict[str, str]]] = {
        "JSON": dict,
        "JSON, gzip": lambda: {"Accept-Encoding": "gzip"},
        "table": lambda: {"Accept": _TABLE},
        "metadata, protobuf": lambda: {"Accept": f"application/vnd.kubernetes.protobuf;{_METADATA}"},
        "metadata, JSON": lambda: {"Accept": f"application/json;{_METADATA}"},
        "YAML": lambda: {"Accept": YAML},
    }
    steps = []
    for number, (name, headers) in enumerate(forms.items()):
        patch = json.dumps({"metadata": {"annotations": {"turn": name}}}).encode()
        steps.append(Step("PATCH listed", "PATCH", f"{LISTED}/listed-{number}", patch, MERGE))
        steps.append(Step(f"LIST {name}", "GET", LISTED, headers=headers()))
        if name in ("JSON", "table"):
            steps.append(Step(f"LIST {name}, selector", "GET", f"{LISTED}?labelSelector=odd%3D1", headers=headers()))
    return steps
