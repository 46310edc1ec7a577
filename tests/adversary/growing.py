"""Requests that grow by a number: each takes one thing that a request's size drives.

`body(n)` is n times some bytes, and the answer's status is the same for every n that is not small. All are dry runs or
reads, as whoever measures them sends each to a server of which only the loop is left.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from support import definitions

GROUP = "growing.example.com"
API = f"{GROUP}/v1"
THINGS = f"/apis/{API}/namespaces/default/things"
CORE = "/api/v1/namespaces/default"
DRY = "dryRun=All"
LIVE = "live-object"

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

Make = Callable[[int], Any]


@dataclass(frozen=True)
class Growing:
    """`body` gives bytes, or what is sent as JSON; `live`: what is created before, whose name is LIVE in it, in the
    body and in the path; `query` is appended to the path; `size`: the smaller of the two that are compared. Both are on
    the same side of a bound above which work goes to a thread or an answer in pieces: that costs once."""

    name: str
    method: str
    path: str
    body: Make | None = None
    media_type: str = JSON
    query: Make | None = None
    headers: Callable[[int], dict[str, str]] | None = None
    live: Make | None = None
    size: int = 1000
    status: int = 201
    accept: str = JSON
    ratio_max: float = 2.3

    def address(self, count: int) -> str:
        if self.query is None:
            return self.path
        return f"{self.path}{'&' if '?' in self.path else '?'}{self.query(count)}"

    @property
    def collection(self) -> str:
        return self.path.partition(f"/{LIVE}")[0]


# ---- what they are sent to --------------------------------------------------------------------------------------

_TEXT = {"type": "string"}
_ITEM = {"type": "object", "required": ["k"], "properties": {"k": _TEXT, "v": {"type": "integer"}}}


def _ruled(schema: dict[str, Any], *rules: str) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}


_NUMBERS = {"type": "array", "maxItems": 100_000, "items": {"type": "integer"}}
_LONG = {"type": "string", "maxLength": 500_000}
_SPEC = {
    "type": "object",
    "properties": {
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "texts": {"type": "array", "items": _TEXT},
        "words": {"type": "object", "additionalProperties": _TEXT},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": _TEXT},
        "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": _ITEM},
        "defaulted": {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "b": _TEXT}},
        },
        "junctors": {
            "type": "array",
            "items": {
                "type": "integer",
                "allOf": [{"minimum": 0}, {"maximum": 10**9}],
                "anyOf": [{"minimum": 5}, {"maximum": 10**8}],
                "not": {"enum": [77]},
            },
        },
        "enum": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "pattern": {"type": "string", "pattern": "^(a|b)*c?$"},
        "dates": {"type": "array", "items": {"type": "string", "format": "date-time"}},
        "all": _ruled(_NUMBERS, "self.all(x, x >= 0)"),
        "sum": _ruled(_NUMBERS, "self.sum() > 0 && self.isSorted()"),
        "filter": _ruled(_NUMBERS, "self.filter(x, x > 0).map(x, x + 1).size() > 0"),
        "index": _ruled(_NUMBERS, "self.indexOf(7) < 0"),
        "old": _ruled({**_NUMBERS, "items": _NUMBERS["items"]}, "self == oldSelf"),
        "contains": _ruled(_LONG, "!self.contains('needle')"),
        "matches": _ruled(_LONG, "self.matches('^(a|b)+$')"),
        "split": _ruled(_LONG, "self.split('b').size() > 0"),
        "replace": _ruled(_LONG, "self.replace('b', 'cc').size() > 0"),
        "lower": _ruled(_LONG, "self.lowerAscii().size() > 0"),
    },
}


def definition() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": _SPEC}}
    columns = [{"name": "Keys", "type": "string", "jsonPath": ".spec.map[*].k"}]
    return definitions.of_things(GROUP, definitions.version(schema, additionalPrinterColumns=columns))


def thing(name: str, spec: Any, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": "Thing", "metadata": {"name": name, **metadata}, "spec": spec}


def core(kind: str, name: str, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **members}


def pod(name: str, count: int) -> dict[str, Any]:
    env = [{"name": f"E{n}", "value": "v"} for n in range(count)]
    return core("Pod", name, spec={"containers": [{"name": "c", "image": "i", "env": env}]})


def table() -> list[Growing]:
    families = (_texts, _yaml_texts, _specs, _metadata, _patches, _applied, _definitions, _core, _queries, _reads)
    return list(itertools.chain.from_iterable(family() for family in families))


# ---- the families -----------------------------------------------------------------------------------------------


def _post(name: str, body: Make, **more: Any) -> Growing:
    return Growing(name, "POST", f"{THINGS}?{DRY}", body, **more)


def _of_text(text: str, *, metadata: str = "") -> bytes:
    head = f'{{"apiVersion":"{API}","kind":"Thing","metadata":{{"name":"a"{metadata}}}'
    return f'{head},"spec":{{{text}}}}}'.encode()


def _texts() -> Iterator[Growing]:
    texts: dict[str, Callable[[int], str]] = {
        "members": lambda n: '"any":{' + ",".join(f'"k{i}":{i}' for i in range(n)) + "}",
        "items": lambda n: '"any":{"a":[' + ",".join(["[1]"] * n) + "]}",
        "text": lambda n: f'"any":{{"a":"{"x" * n * 100}"}}',
        "escapes": lambda n: '"any":{"a":"' + "\\u0001" * n * 10 + '"}',
        "a fraction": lambda n: f'"any":{{"a":[0.{"9" * n * 10}]}}',
        "white space": lambda n: " " * n * 100 + '"any":{}',
        "depth": lambda n: '"any":' + '{"a":' * n + "{}" + "}" * n,
    }
    for name, text in texts.items():
        size = 16_000 if name == "escapes" else 4000
        yield _post(f"json/{name}", lambda n, text=text: _of_text(text(n)), size=size)
    refused: dict[str, Callable[[int], str]] = {
        "duplicates": lambda n: ",".join(f'"k{i}":1,"k{i}":1' for i in range(n)),
        "one key often": lambda n: ",".join(['"any":{}'] * n),
        "unknown": lambda n: ",".join(f'"k{i}":1' for i in range(n)),
        "deep duplicates": lambda n: '"any":' + '{"b":1,"b":1,"a":' * n + "{}" + "}" * n,
        "unknown in items": lambda n: '"map":[' + ",".join(f'{{"k":"{i}","x":1}}' for i in range(n)) + "]",
    }
    for name, text in refused.items():
        path = f"{THINGS}?{DRY}&fieldValidation=Strict"
        yield Growing(f"strict/{name}", "POST", path, lambda n, text=text: _of_text(text(n)), status=400)
        yield _post(f"warned/{name}", lambda n, text=text: _of_text(text(n)))


def _yaml_texts() -> Iterator[Growing]:
    head = f"apiVersion: {API}\nkind: Thing\nmetadata: {{name: a}}\nspec:\n  any:\n"
    texts: dict[str, Callable[[int], str]] = {
        "members": lambda n: "".join(f"    k{i}: v\n" for i in range(n)),
        "items": lambda n: "    a:\n" + "    - x\n" * n,
        "flow": lambda n: f"    a: [{','.join(['{b: c}'] * n)}]\n",
        "anchors": lambda n: "".join(f"    k{i}: &a{i} v\n    l{i}: *a{i}\n" for i in range(n)),
        "merges": lambda n: "    b: &b {x: y}\n" + "".join(f"    k{i}: {{<<: *b}}\n" for i in range(n)),
        "folded": lambda n: "    a: >\n" + "      some text\n" * n,
        "quoted": lambda n: '    a: "' + "x\\n" * n * 10 + '"\n',
        "comments": lambda n: "    a: b\n" + "    # nothing\n" * n,
        "depth": lambda n: "    a: " + "[" * n + "]" * n + "\n",
        "numbers": lambda n: "    a: [" + ",".join(["0x1f"] * n) + "]\n",
        "duplicates": lambda n: "".join(f"    k{i}: v\n    k{i}: v\n" for i in range(n)),
    }
    for name, text in texts.items():
        status = 400 if name == "duplicates" else 201
        path = f"{THINGS}?{DRY}&fieldValidation=Strict"
        body = lambda n, text=text: (head + text(n)).encode()  # noqa: E731 - as the others
        # libyaml looks at all open brackets at each token; the product of both is bounded.
        ratio_max = 4.1 if name == "depth" else 2.3
        size = 4000 if name == "quoted" else 1000
        yield Growing(f"yaml/{name}", "POST", path, body, YAML, status=status, ratio_max=ratio_max, size=size)


def _specs() -> Iterator[Growing]:
    valid: dict[str, Make] = {
        "texts": lambda n: {"texts": ["x"] * n},
        "words": lambda n: {"words": {f"k{i}": "v" for i in range(n)}},
        "set": lambda n: {"set": [str(i) for i in range(n)]},
        "map": lambda n: {"map": [{"k": str(i), "v": i} for i in range(n)]},
        "defaulted": lambda n: {"defaulted": [{}] * n},
        "junctors": lambda n: {"junctors": list(range(100, 100 + n))},
        "pattern": lambda n: {"pattern": "ab" * n * 10},
        "dates": lambda n: {"dates": ["2026-01-01T00:00:00Z"] * n},
        **{f"rules/{name}": lambda n, name=name: {name: list(range(100, n + 100))} for name in _RULED_LISTS},
        **{f"rules/{name}": lambda n, name=name: {name: "ab" * n * 20} for name in _RULED_TEXTS},
    }
    for name, spec in valid.items():
        # Long evaluations are begun anew beside the loop: that costs once, so both sizes have to be long ones, or none.
        is_of_list = name.removeprefix("rules/") in _RULED_LISTS
        is_short = not name.startswith(("rules/", "pattern", "dates"))
        size = 1000 if is_short else 16_000 if is_of_list else 4000
        yield _post(f"schema/{name}", lambda n, spec=spec: thing("a", spec(n)), size=size)
    wrong: dict[str, Make] = {
        "types": lambda n: {"texts": [1] * n},
        "items of a set": lambda n: {"set": ["a"] * n},
        "items of a map": lambda n: {"map": [{"k": "a"}] * n},
        "items without keys": lambda n: {"map": [{}] * n},
        "values": lambda n: {"words": {f"k{i}": 1 for i in range(n)}},
        "members of an enum": lambda n: {"enum": ["c"] * n},
        "junctors": lambda n: {"junctors": [77] * n},
        "a pattern": lambda n: {"pattern": "ab" * n * 10 + "d"},
        "dates": lambda n: {"dates": ["x"] * n},
    }
    for name, spec in wrong.items():
        size = 4000 if name == "a pattern" else 1000
        yield _post(f"schema/wrong {name}", lambda n, spec=spec: thing("a", spec(n)), status=422, size=size)
    changed = lambda n: thing(LIVE, {"map": [{"k": str(i), "v": i + 1} for i in range(n)]})  # noqa: E731
    live = lambda n: thing(LIVE, {"map": [{"k": str(i), "v": i} for i in range(n)]})  # noqa: E731
    yield Growing("update/map", "PUT", f"{THINGS}/{LIVE}?{DRY}", changed, live=live, status=200)
    turned = lambda n: thing(LIVE, {"map": [{"k": str(i), "v": i} for i in reversed(range(n))]})  # noqa: E731
    yield Growing("update/order", "PUT", f"{THINGS}/{LIVE}?{DRY}", turned, live=live, status=200)
    same = lambda n: thing(LIVE, {"old": list(range(n))})  # noqa: E731
    yield Growing("update/old self", "PUT", f"{THINGS}/{LIVE}?{DRY}", same, live=same, status=200)


_RULED_LISTS = ("all", "sum", "filter", "index")
_RULED_TEXTS = ("contains", "matches", "split", "replace", "lower")


def _owner(number: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "name": f"p{number}", "uid": f"u{number}"}


def _entry(number: int, fields: dict[str, Any]) -> dict[str, Any]:
    given = {"operation": "Update", "apiVersion": API, "fieldsType": "FieldsV1", "time": "2026-01-01T00:00:00Z"}
    return {"manager": f"m{number}", "fieldsV1": fields, **given}


def _metadata() -> Iterator[Growing]:
    valid: dict[str, Make] = {
        "labels": lambda n: {"labels": {f"k{i}": "v" for i in range(n)}},
        "annotations": lambda n: {"annotations": {f"k{i}": "v" for i in range(n)}},
        "finalizers": lambda n: {"finalizers": [f"example.com/f{i}" for i in range(n)]},
        "owners": lambda n: {"ownerReferences": [_owner(i) for i in range(n)]},
        "managed fields": lambda n: {"managedFields": [_entry(1, {f"f:k{i}": {} for i in range(n)})]},
        "managers": lambda n: {"managedFields": [_entry(i, {"f:spec": {"f:any": {}}}) for i in range(n)]},
    }
    for name, metadata in valid.items():
        yield _post(f"metadata/{name}", lambda n, metadata=metadata: thing("a", {}, **metadata(n)))
    wrong: dict[str, Make] = {
        "labels": lambda n: {"labels": {f"?{i}": "?" for i in range(n)}},
        "finalizers": lambda n: {"finalizers": ["?"] * n},
        "owners": lambda n: {"ownerReferences": [{**_owner(i), "uid": ""} for i in range(n)]},
        "controllers": lambda n: {"ownerReferences": [{**_owner(i), "controller": True} for i in range(n)]},
    }
    for name, metadata in wrong.items():
        size = 200 if name == "controllers" else 1000
        body = lambda n, metadata=metadata: thing("a", {}, **metadata(n))  # noqa: E731
        yield _post(f"metadata/wrong {name}", body, status=422, size=size)


def _patches() -> Iterator[Growing]:
    live = lambda n: thing(LIVE, {"any": {"x": ["1"] * n, "y": {f"k{i}": "v" for i in range(n)}}})  # noqa: E731
    address = f"{THINGS}/{LIVE}?{DRY}"

    def patch(name: str, body: Make, media_type: str, **more: Any) -> Growing:
        given = {"live": live, "status": 200, **more}
        return Growing(f"patch/{name}", "PATCH", address, body, media_type, **given)

    def operations(*made: Callable[[int, int], dict[str, Any]]) -> Make:
        return lambda n: [make(i, n) for i in range(n) for make in made]

    at = "/spec/any"
    replace = operations(lambda i, n: {"op": "replace", "path": f"{at}/x/{i}", "value": "2"})
    yield patch("JSON, replace", replace, JSON_PATCH)
    add = operations(lambda i, n: {"op": "add", "path": f"{at}/y/n{i}", "value": "2"})
    yield patch("JSON, add", add, JSON_PATCH)
    append = operations(lambda i, n: {"op": "add", "path": f"{at}/x/-", "value": "2"})
    yield patch("JSON, append", append, JSON_PATCH)
    yield patch("JSON, test", operations(lambda i, n: {"op": "test", "path": f"{at}/y/k{i}", "value": "v"}), JSON_PATCH)
    yield patch("JSON, remove", operations(lambda i, n: {"op": "remove", "path": f"{at}/y/k{i}"}), JSON_PATCH)
    moved = operations(lambda i, n: {"op": "move", "from": f"{at}/y/k{i}", "path": f"{at}/y/n{i}"})
    yield patch("JSON, move", moved, JSON_PATCH)
    copied = operations(lambda i, n: {"op": "copy", "from": f"{at}/y/k{i}", "path": f"{at}/y/n{i}"})
    yield patch("JSON, copy", copied, JSON_PATCH)
    longer = lambda n: [{"op": "add", "path": f"{at}/{'k' * n * 10}", "value": 1}]  # noqa: E731
    yield patch("JSON, a long path", longer, JSON_PATCH, size=4000)
    wide = lambda n: {"spec": {"any": {"y": {f"k{i}": "w" for i in range(n)}}}}  # noqa: E731
    yield patch("merge, members", wide, MERGE_PATCH, size=4000)
    nulls = lambda n: {"spec": {"any": {"y": {f"k{i}": None for i in range(n)}}}}  # noqa: E731
    yield patch("merge, nulls", nulls, MERGE_PATCH, size=4000)
    yield from _strategic_patches()


def _strategic_patches() -> Iterator[Growing]:
    def patch(name: str, make: Make) -> Growing:
        body = lambda n: {"spec": {"containers": [{"name": "c", **make(n)}]}}  # noqa: E731
        live = lambda n: pod(LIVE, n)  # noqa: E731
        address = f"{CORE}/pods/{LIVE}?{DRY}"
        # Variables of a pod cannot be changed: the patch is applied, then refused.
        return Growing(f"patch/strategic, {name}", "PATCH", address, body, STRATEGIC_PATCH, live=live, status=422)

    yield patch("additions", lambda n: {"env": [{"name": f"N{i}", "value": "v"} for i in range(n)]})
    yield patch("changes", lambda n: {"env": [{"name": f"E{i}", "value": "w"} for i in range(n)]})
    yield patch("deletions", lambda n: {"env": [{"name": f"E{i}", "$patch": "delete"} for i in range(n)]})
    order = lambda n: [{"name": f"E{i}"} for i in reversed(range(n))]  # noqa: E731
    yield patch("order", lambda n: {"$setElementOrder/env": order(n), "env": []})


def _applied() -> Iterator[Growing]:
    specs: dict[str, Make] = {
        "map": lambda n: {"map": [{"k": str(i), "v": 2} for i in range(n)]},
        "set": lambda n: {"set": [str(i) for i in range(n)]},
        "words": lambda n: {"words": {f"k{i}": "w" for i in range(n)}},
        "any": lambda n: {"any": {f"k{i}": [i] for i in range(n)}},
    }
    for name, spec in specs.items():
        body = lambda n, spec=spec: thing("new", spec(n))  # noqa: E731
        path = f"{THINGS}/new?{DRY}&fieldManager=a"
        yield Growing(f"apply/new {name}", "PATCH", path, body, APPLY)
        body = lambda n, spec=spec: thing(LIVE, spec(n))  # noqa: E731
        live = lambda n, spec=spec: thing(LIVE, _other(spec(n)))  # noqa: E731
        path = f"{THINGS}/{LIVE}?{DRY}&fieldManager=a&force=true"
        size = {"set": 16_000, "map": 4000}.get(name, 1000)
        yield Growing(f"apply/{name} of another", "PATCH", path, body, APPLY, live=live, status=200, size=size)
    yield Growing(
        "apply/conflicts",
        "PATCH",
        f"{THINGS}/{LIVE}?{DRY}&fieldManager=a",
        lambda n: thing(LIVE, specs["words"](n)),
        APPLY,
        live=lambda n: thing(LIVE, {"words": {f"k{i}": "v" for i in range(n)}}),
        status=409,
    )


def _other(spec: dict[str, Any]) -> dict[str, Any]:
    """The same fields with other values."""
    return json.loads(json.dumps(spec).replace('"w"', '"v"').replace('"v": 2', '"v": 1'))  # type: ignore[no-any-return]


def _definitions() -> Iterator[Growing]:
    def nested(depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = _TEXT
        for _ in range(depth):
            schema = {"type": "object", "properties": {"a": schema}}
        return schema

    def properties(make: Callable[[int], Any]) -> Make:
        return lambda n: {"type": "object", "properties": {f"p{i}": make(i) for i in range(n)}}

    schemas: dict[str, tuple[Make, int]] = {
        "properties": (properties(lambda i: _TEXT), 500),
        "defaults": (properties(lambda i: {**_TEXT, "default": "d"}), 500),
        "patterns": (properties(lambda i: {**_TEXT, "pattern": f"^a{i}$"}), 200),
        "rules": (properties(lambda i: _ruled(_TEXT, f"self != 'a{i}'")), 50),
        "one long rule": (lambda n: _ruled({"type": "object"}, " && ".join(["1 == 1"] * n)), 200),
        "an enum": (lambda n: {"type": "object", "properties": {"e": {**_TEXT, "enum": [*map(str, range(n))]}}}, 500),
        "junctors": (lambda n: {"type": "object", "allOf": [{"anyOf": [{"minProperties": 1}]}] * n}, 200),
        "depth": (nested, 100),
        "required": (lambda n: {"type": "object", "required": [f"r{i}" for i in range(n)]}, 500),
        "a long default": (
            lambda n: {"type": "object", "properties": {"d": {**_NUMBERS, "default": list(range(n))}}},
            500,
        ),
        "a long description": (lambda n: {"type": "object", "description": "d" * n * 100}, 500),
    }  # fmt: skip
    path = f"{definitions.PATH}?{DRY}"
    for name, (schema, size) in schemas.items():
        body = lambda n, schema=schema: definitions.of_things("new.example.com", definitions.version(schema(n)))  # noqa: E731
        yield Growing(f"definition/{name}", "POST", path, body, size=size)
    versions = lambda n: definitions.of_things(  # noqa: E731
        "new.example.com", *(definitions.version(name=f"v{i}", is_storage=i == 1) for i in range(1, n + 1))
    )
    yield Growing("definition/versions", "POST", path, versions, size=100)
    column = {"type": "string", "jsonPath": ".spec.a"}
    columns = lambda n: definitions.of_things(  # noqa: E731
        "new.example.com",
        definitions.version(additionalPrinterColumns=[{"name": f"c{i}", **column} for i in range(n)]),
    )
    yield Growing("definition/columns", "POST", path, columns, size=200)


def _core() -> Iterator[Growing]:
    def post(name: str, resource: str, body: Make, **more: Any) -> Growing:
        return Growing(f"core/{name}", "POST", f"{CORE}/{resource}?{DRY}", body, **more)

    maps = lambda n: core("ConfigMap", "a", data={f"k{i}": "v" for i in range(n)})  # noqa: E731
    yield post("keys of a configmap", "configmaps", maps)
    yield post("variables", "pods", lambda n: pod("a", n))
    containers = lambda n: core("Pod", "a", spec={"containers": [{"name": f"c{i}", "image": "i"} for i in range(n)]})  # noqa: E731
    yield post("containers", "pods", containers, size=200)
    same = lambda n: core("Pod", "a", spec={"containers": [{"name": "c", "image": "i"}] * n})  # noqa: E731
    yield post("containers of one name", "pods", same, size=200, status=422)
    volumes = lambda n: core(  # noqa: E731
        "Pod",
        "a",
        spec={
            "volumes": [{"name": f"v{i}", "emptyDir": {}} for i in range(n)],
            "containers": [
                {
                    "name": "c",
                    "image": "i",
                    "volumeMounts": [{"name": f"v{i}", "mountPath": f"/m{i}"} for i in range(n)],
                }
            ],
        },
    )
    yield post("volumes and mounts", "pods", volumes, size=200)
    tolerations = lambda n: core(  # noqa: E731
        "Pod",
        "a",
        spec={
            "containers": [{"name": "c", "image": "i"}],
            "tolerations": [{"key": f"k{i}", "operator": "Exists"} for i in range(n)],
        },
    )
    yield post("tolerations", "pods", tolerations, size=200)
    ports = lambda n: core("Service", "a", spec={"ports": [{"name": f"p{i}", "port": 1 + i} for i in range(n)]})  # noqa: E731
    yield post("ports of a service", "services", ports, size=200)
    addresses = lambda n: core(  # noqa: E731
        "Service",
        "a",
        spec={"ports": [{"port": 1}], "externalIPs": [f"10.1.{i // 250}.{i % 250}" for i in range(n)]},
    )
    yield post("addresses of a service", "services", addresses, size=200)
    groups = lambda n: {  # noqa: E731
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": "u",
            "groups": [f"g{i}" for i in range(n)],
            "resourceAttributes": {"verb": "get", "resource": "pods"},
        },
    }
    yield Growing("core/groups of a review", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", groups)
    yield post("protobuf", "configmaps", lambda n: _protobuf(maps(n)), media_type=PROTOBUF, size=16_000)
    yield post("protobuf of a pod", "pods", lambda n: _protobuf(pod("a", n)), media_type=PROTOBUF, size=8000)


def _protobuf(obj: dict[str, Any]) -> bytes:
    from quarterdeck.apimachinery.codec import protobuf

    data = protobuf.encode(obj)
    assert data is not None
    return data


def _queries() -> Iterator[Growing]:
    queries: dict[str, tuple[Callable[[int], str], int, int]] = {
        "labels": (lambda n: "labelSelector=" + ",".join(f"k{i}!=v" for i in range(n)), 400, 200),
        "values": (lambda n: "labelSelector=k+in+(" + ",".join(f"v{i}" for i in range(n)) + ")", 400, 200),
        "too many labels": (lambda n: "labelSelector=" + ",".join(f"k{i}!=v" for i in range(n)), 2000, 400),
        "spaces": (lambda n: "labelSelector=" + "+" * n * 10, 1000, 200),
        "names": (lambda n: "fieldSelector=" + ",".join(f"metadata.name!=n{i}" for i in range(n)), 400, 200),
        "a long name": (lambda n: "fieldSelector=metadata.name%3D" + "n" * n * 10, 1000, 200),
        "escapes": (lambda n: "fieldSelector=metadata.name%3D" + "%5C%5C" * n, 1000, 200),
        "parameters": (lambda n: "&".join(f"p{i}=v" for i in range(n)), 1000, 200),
        "a long token": (lambda n: "continue=" + "A" * n * 10, 1000, 400),
        "a long revision": (lambda n: "resourceVersion=" + "9" * (20 + n * 10), 1000, 400),
    }
    for name, (query, size, status) in queries.items():
        yield Growing(f"query/{name}", "GET", THINGS, query=query, size=size, status=status)
    accepts = lambda n: {"accept": ",".join(f"a/b{i}" for i in range(n)) + ",application/json"}  # noqa: E731
    yield Growing("head/accept", "GET", THINGS, headers=accepts, status=406)
    yield Growing("head/encodings", "GET", THINGS, headers=lambda n: {"accept-encoding": "x," * n}, status=200)


def _reads() -> Iterator[Growing]:
    live = lambda n: thing(LIVE, {"map": [{"k": str(i), "v": i} for i in range(n)]})  # noqa: E731
    for name, accept in {"a table": TABLE, "YAML": YAML, "metadata": f"{JSON};as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}.items():  # fmt: skip # noqa: E501
        yield Growing(f"read/{name}", "GET", f"{THINGS}/{LIVE}", live=live, accept=accept, status=200)
    yield Growing("read/pretty", "GET", f"{THINGS}/{LIVE}?pretty=true", live=live, status=200)
    live = lambda n: pod(LIVE, n)  # noqa: E731
    yield Growing("read/protobuf", "GET", f"{CORE}/pods/{LIVE}", live=live, accept=PROTOBUF, status=200)
