"""Requests that are made to cost a server more than they cost their sender: a table, made anew at each use.

Each family takes one thing that a request's size drives and pushes it as far as a body, a head or a connection allows.
`Bomb.send` gives the answer's status, 0 where the connection was closed without one, and the beginning of its body.
"""

from __future__ import annotations

import http.client
import itertools
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

GROUP = "bombs.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
TYPED = f"/apis/{GROUP}/v1/namespaces/default/typeds"
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
SERVICES = "/api/v1/namespaces/default/services"

JSON = "application/json"
YAML = "application/yaml"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

_TIMEOUT_S = 120.0
_BODY_KEPT = 4096

# Python's client takes 100 headers; a server tells each warning in one, as many as go into 4096 characters.
http.client._MAXHEADERS = 1000  # type: ignore[attr-defined]


class Answer(NamedTuple):
    status: int
    body: bytes


@dataclass(frozen=True)
class Bomb:
    name: str
    method: str
    path: str
    body: Callable[[], bytes] = bytes
    media_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    raw: Callable[[], bytes] | None = None  # the raw bytes of a request, in place of the members above

    def send(self, port: int) -> Answer:
        if self.raw is not None:
            return _send_raw(port, self.raw())
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
        try:
            body = self.body()
            given = {"Content-Type": self.media_type} if body else {}
            connection.request(self.method, self.path, body or None, {**given, **self.headers})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read()[:_BODY_KEPT])
        except ConnectionError:
            return Answer(0, b"")
        finally:
            connection.close()


def _send_raw(port: int, data: bytes) -> Answer:
    with socket.create_connection(("127.0.0.1", port), timeout=_TIMEOUT_S) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := client.recv(1 << 16):
                answer = (answer + piece)[:_BODY_KEPT]
            return Answer(int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.") else 0, answer)
        except ConnectionError:
            return Answer(0, b"")


# ---- the definitions that they need ---------------------------------------------------------------------------------

_ANY = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_ITEM = {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}
_TYPED_SPEC = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "pattern": "^(a+)+$"},
        "ruled": {
            "type": "string",
            "maxLength": 4_000_000,
            "x-kubernetes-validations": [{"rule": "self.size() < 5000000 && !self.contains('needle')"}],
        },
        "numbers": {
            "type": "array",
            "maxItems": 500_000,
            "items": {"type": "integer"},
            "x-kubernetes-validations": [{"rule": "self.size() < 1000000"}],
        },
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": _ITEM},
        "words": {"type": "object", "additionalProperties": {"type": "string"}},
        "any": _ANY,
    },
}


def definition(plural: str, kind: str, schema: dict[str, object]) -> dict[str, object]:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [version],
        },
    }


def definitions() -> list[dict[str, object]]:
    """Definitions that have to be installed before the bombs are sent."""
    return [
        definition("things", "Thing", _ANY),
        definition("typeds", "Typed", {"type": "object", "properties": {"spec": _TYPED_SPEC}}),
    ]


# ---- the table -------------------------------------------------------------------------------------------------


def table() -> list[Bomb]:
    families = (
        _json_texts,
        _yaml_texts,
        _objects,
        _typed_objects,
        _metadata,
        _json_patches,
        _other_patches,
        _applied,
        _schemas,
        _selectors,
        _heads,
        _connections,
        _services,
    )
    return list(itertools.chain.from_iterable(family() for family in families))


def _thing(members: str, name: str, metadata: str = "") -> bytes:
    comma = "," if metadata else ""
    head = f'{{"apiVersion":"{GROUP}/v1","kind":"Thing","metadata":{{"name":"{name}"{comma}{metadata}}}'
    return f"{head},{members}}}".encode()


def _typed(members: str, name: str) -> bytes:
    head = f'{{"apiVersion":"{GROUP}/v1","kind":"Typed","metadata":{{"name":"{name}"}}'
    return f'{head},"spec":{{{members}}}}}'.encode()


def _json_texts() -> Iterator[Bomb]:
    texts: dict[str, Callable[[], bytes]] = {
        "arrays-9000-deep": lambda: _thing(f'"x":{"[" * 9000}{"]" * 9000}', "deep-arrays"),
        "objects-9000-deep": lambda: _thing('"x":' + '{"a":' * 9000 + "1" + "}" * 9000, "deep-objects"),
        "arrays-100000-deep": lambda: _thing(f'"x":{"[" * 100_000}{"]" * 100_000}', "too-deep"),
        "never-closed": lambda: _thing('"x":' + "[" * 1_500_000, "open"),
        "many-keys": lambda: _thing(",".join(f'"k{n}":{n}' for n in range(150_000)), "keys"),
        "one-key-often": lambda: _thing(",".join('"k":1' for _ in range(300_000)), "again"),
        "many-numbers": lambda: _thing(f'"x":[{",".join("1" for _ in range(1_000_000))}]', "numbers"),
        "many-empty-maps": lambda: _thing(f'"x":[{",".join("{}" for _ in range(600_000))}]', "maps"),
        "a-long-text": lambda: _thing(f'"x":"{"y" * 2_900_000}"', "text"),
        "a-long-text-of-escapes": lambda: _thing(f'"x":"{chr(92)}u0001' * 1 + "\\u0001" * 400_000 + '"', "escapes"),
        "surrogates": lambda: _thing('"x":"' + "\\ud800" * 400_000 + '"', "surrogates"),
        "a-long-integer": lambda: _thing(f'"x":{"9" * 1_000_000}', "integer"),
        "a-long-fraction": lambda: _thing(f'"x":0.{"1" * 1_000_000}', "fraction"),
        "an-exponent": lambda: _thing('"x":1e999999999', "exponent"),
        "white-space": lambda: b" " * 2_900_000 + _thing('"x":1', "space"),
        "wrong-at-its-end": lambda: _thing(f'"x":[{",".join("1" for _ in range(1_000_000))}', "wrong"),
        "not-utf8": lambda: _thing('"x":"', "bytes")[:-1] + b"\xff" * 1_000_000 + b'"}',
        "too-large": lambda: b" " * (3 * 1024 * 1024 + 1),
    }
    for name, body in texts.items():
        yield Bomb(f"json/{name}", "POST", THINGS, body)
        yield Bomb(f"json/{name}/strict", "POST", f"{THINGS}?fieldValidation=Strict&dryRun=All", body)
        yield Bomb(f"json/{name}/configmap", "POST", MAPS, body)


def _yaml_texts() -> Iterator[Bomb]:
    head = f"apiVersion: {GROUP}/v1\nkind: Thing\nmetadata: {{name: yaml}}\n"
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
    )
    texts: dict[str, Callable[[], str]] = {
        "laughs": lambda: laughs,
        "one-alias-often": lambda: f'a: &a "{"x" * 1_000_000}"\nb: [{",".join(["*a"] * 400_000)}]\n',
        "one-map-often": lambda: f"a: &a {{k: v}}\nb: [{','.join(['*a'] * 200_000)}]\n",
        "anchors": lambda: "".join(f"k{n}: &a{n} v\n" for n in range(100_000)),
        "merges": lambda: "a: &a {k: v}\n" + "".join(f"m{n}: {{<<: *a, j: {n}}}\n" for n in range(40_000)),
        "brackets": lambda: "x: " + "[" * 1_000_000,
        "braces": lambda: "x: " + "{" * 1_000_000,
        "items-in-brackets": lambda: "x: " + "[" * 9990 + "y," * 500_000 + "]" * 9990,
        "dashes": lambda: "x:\n" + "- " * 500_000,
        "indents": lambda: "".join(" " * n + "k:\n" for n in range(1500)),
        "question-marks": lambda: "? " * 500_000,
        "quotes": lambda: 'x: "' + "y" * 2_000_000,
        "comments": lambda: "#" * 2_000_000,
        "comment-lines": lambda: "#\n" * 700_000,
        "tags": lambda: "".join(f"k{n}: !!str v\n" for n in range(80_000)),
        "long-tag": lambda: "x: !" + "t" * 1_000_000 + " v",
        "documents": lambda: "---\n" * 300_000,
        "directives": lambda: "%YAML 1.1\n" * 100_000,
        "folded": lambda: "x: >\n" + "  y\n" * 400_000,
        "booleans": lambda: "x: [" + "y," * 300_000 + "n]",
        "integers": lambda: "x: [" + "0x1," * 200_000 + "1]",
        "sexagesimals": lambda: "x: [" + "1:1:1:1," * 100_000 + "1]",
        "times": lambda: "x: [" + "2001-01-01," * 80_000 + "1]",
        "binary": lambda: "x: !!binary " + "QUJD" * 400_000,
        "one-key-often": lambda: "k: v\n" * 200_000,
        "a-root-of-items": lambda: "- x\n" * 300_000,
    }
    for name, body in texts.items():
        yield Bomb(f"yaml/{name}", "POST", THINGS, lambda body=body: (head + body()).encode(), YAML)
        yield Bomb(f"yaml/{name}/alone", "POST", MAPS, lambda body=body: body().encode(), YAML)


def _objects() -> Iterator[Bomb]:
    wide = ",".join(f'"k{n}":{{"a":{n},"b":[1,2,3]}}' for n in range(60_000))
    for method, path in (("POST", THINGS), ("PUT", f"{THINGS}/wide")):
        yield Bomb(f"objects/wide/{method}", method, path, lambda: _thing(f'"spec":{{{wide}}}', "wide"))
    yield Bomb("objects/wide/get-yaml", "GET", f"{THINGS}/wide", headers={"Accept": YAML})
    yield Bomb("objects/wide/get-pretty", "GET", f"{THINGS}/wide?pretty=true")
    table_type = "application/json;as=Table;v=v1;g=meta.k8s.io"
    yield Bomb("objects/wide/table", "GET", THINGS, headers={"Accept": table_type})
    yield Bomb("objects/wide/delete", "DELETE", f"{THINGS}/wide")
    words = ",".join(f'"k{n}":"v"' for n in range(120_000))
    body = f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"words"}},"data":{{{words}}}}}'
    yield Bomb("objects/configmap-keys", "POST", MAPS, body.encode)
    env = ",".join(f'{{"name":"E{n}","value":"v"}}' for n in range(40_000))
    containers = f'[{{"name":"c","image":"i","env":[{env}]}}]'
    pod = f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"env"}},"spec":{{"containers":{containers}}}}}'
    yield Bomb("objects/pod-env", "POST", PODS, pod.encode)
    many = ",".join(f'{{"name":"c{n}","image":"i"}}' for n in range(20_000))
    pods = f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"many"}},"spec":{{"containers":[{many}]}}}}'
    yield Bomb("objects/pod-containers", "POST", PODS, pods.encode)


def _typed_objects() -> Iterator[Bomb]:
    values: dict[str, Callable[[], str]] = {
        "evil-pattern": lambda: f'"text":"{"a" * 1_500_000}b"',
        "ruled-text": lambda: f'"ruled":"{"x" * 2_900_000}"',
        "ruled-list": lambda: f'"numbers":[{",".join("1" for _ in range(400_000))}]',
        "set": lambda: f'"set":[{",".join(f"{n!r}".join([chr(34)] * 2) for n in range(150_000))}]',
        "set-of-one": lambda: f'"set":[{",".join(chr(34) + "a" + chr(34) for _ in range(200_000))}]',
        "map": lambda: f'"map":[{",".join(f"{{{chr(34)}k{chr(34)}:{chr(34)}{n}{chr(34)}}}" for n in range(80_000))}]',
        "map-of-one": lambda: '"map":[' + ",".join(['{"k":"a"}'] * 100_000) + "]",
        "map-without-keys": lambda: '"map":[' + ",".join(["{}"] * 200_000) + "]",
        "wrong-types": lambda: '"numbers":[' + ",".join(['"x"'] * 200_000) + "]",
        "unknown-fields": lambda: ",".join(f'"u{n}":1' for n in range(120_000)),
        "words": lambda: '"words":{' + ",".join(f'"k{n}":"v"' for n in range(120_000)) + "}",
        "wrong-words": lambda: '"words":{' + ",".join(f'"k{n}":1' for n in range(120_000)) + "}",
    }
    for name, text in values.items():
        yield Bomb(f"typed/{name}", "POST", TYPED, lambda text=text, name=name: _typed(text(), name))
        strict = f"{TYPED}?fieldValidation=Strict"
        yield Bomb(
            f"typed/{name}/strict", "POST", strict, lambda text=text, name=name: _typed(text(), f"{name}-strict")
        )


def _metadata() -> Iterator[Bomb]:
    def owner(number: int, more: str = "") -> str:
        return f'{{"apiVersion":"v1","kind":"Pod","name":"p{number}","uid":"u{number}"{more}}}'

    controllers = ",".join(owner(n, ',"controller":true') for n in range(800))
    owners = ",".join(owner(n) for n in range(20_000))
    entry = '{"manager":"m%d","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}'
    managers = ",".join(entry % n for n in range(10_000))
    deep = '{"f:a":' * 3000 + "{}" + "}" * 3000
    deep_entry = entry.replace('{"f:a":{}}', deep) % 1
    metadata = {
        "controllers": f'"ownerReferences":[{controllers}]',
        "owners": f'"ownerReferences":[{owners}]',
        "one-owner-often": f'"ownerReferences":[{",".join([owner(1)] * 20_000)}]',
        "managers": f'"managedFields":[{managers}]',
        "deep-managed-fields": f'"managedFields":[{deep_entry}]',
        "labels": '"labels":{' + ",".join(f'"k{n}":"v"' for n in range(100_000)) + "}",
        "bad-labels": '"labels":{' + ",".join(f'"?{n}":"?"' for n in range(40_000)) + "}",
        "annotations": '"annotations":{' + ",".join(f'"k{n}":"v"' for n in range(100_000)) + "}",
        "finalizers": '"finalizers":[' + ",".join(f'"example.com/f{n}"' for n in range(60_000)) + "]",
        "bad-finalizers": '"finalizers":[' + ",".join('"?"' for _ in range(100_000)) + "]",
        "unknown": ",".join(f'"u{n}":1' for n in range(100_000)),
    }
    for name, text in metadata.items():
        yield Bomb(f"metadata/{name}", "POST", THINGS, lambda text=text, name=name: _thing('"x":1', name, text))
        body = f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m-{name}",{text}}}}}'
        yield Bomb(f"metadata/{name}/configmap", "POST", MAPS, lambda body=body: body.encode())


def _json_patches() -> Iterator[Bomb]:
    yield Bomb(
        "patch/target", "POST", THINGS, lambda: _thing('"x":[' + ",".join(["1"] * 1_000_000) + '],"y":"z"', "list")
    )
    operations: dict[str, Callable[[], object]] = {
        "front-of-a-list": lambda: [{"op": "remove", "path": "/x/0"}, {"op": "add", "path": "/x/0", "value": 1}] * 5000,
        "doubling": lambda: (
            [{"op": "add", "path": "/d", "value": ["0123456789"]}]
            + [{"op": "copy", "from": "/d", "path": f"/d/{n}"} for n in range(40)]
        ),
        "copies": lambda: [{"op": "copy", "from": "/y", "path": f"/c{n}"} for n in range(10_000)],
        "tests": lambda: [{"op": "test", "path": "/x/999999", "value": 1}] * 10_000,
        "too-many": lambda: [{"op": "test", "path": "/y", "value": "z"}] * 10_001,
        "long-paths": lambda: [{"op": "add", "path": "/a" * 100_000, "value": 1}],
        "moves": lambda: [{"op": "move", "from": "/x/0", "path": "/x/999998"}] * 10_000,
    }
    for name, make in operations.items():
        path = f"{THINGS}/list?dryRun=All"
        yield Bomb(f"patch/{name}", "PATCH", path, lambda make=make: json.dumps(make()).encode(), JSON_PATCH)


def _other_patches() -> Iterator[Bomb]:
    env = [{"name": f"E{n}", "value": "v"} for n in range(40_000)]
    target = {
        "metadata": {"name": "target"},
        "spec": {"containers": [{"name": "c", "image": "i", "env": env[:20_000]}]},
    }
    yield Bomb(
        "strategic/target", "POST", PODS, lambda: json.dumps({"apiVersion": "v1", "kind": "Pod", **target}).encode()
    )

    def patch(items: object) -> bytes:
        return json.dumps({"spec": {"containers": [{"name": "c", "env": items}]}}).encode()

    bodies: dict[str, Callable[[], bytes]] = {
        "deletions": lambda: patch([{"$patch": "delete", "name": f"E{n}"} for n in range(20_000)]),
        "additions": lambda: patch([{"name": f"N{n}", "value": "v"} for n in range(40_000)]),
        "order": lambda: json.dumps(
            {
                "spec": {
                    "containers": [{"name": "c", "$setElementOrder/env": [{"name": e["name"]} for e in env], "env": []}]
                }
            }
        ).encode(),
        "retained": lambda: json.dumps(
            {"metadata": {"labels": {"$retainKeys": [f"k{n}" for n in range(100_000)]}}}
        ).encode(),
        "deep": lambda: b'{"a":' * 5000 + b"1" + b"}" * 5000,
    }
    for name, body in bodies.items():
        yield Bomb(f"strategic/{name}", "PATCH", f"{PODS}/target?dryRun=All", body, STRATEGIC_PATCH)
    merges: dict[str, Callable[[], bytes]] = {
        "wide": lambda: json.dumps({f"k{n}": {"a": n} for n in range(100_000)}).encode(),
        "nulls": lambda: json.dumps({f"k{n}": None for n in range(150_000)}).encode(),
        "deep": lambda: b'{"a":' * 9000 + b"1" + b"}" * 9000,
    }
    for name, body in merges.items():
        yield Bomb(f"merge/{name}", "PATCH", f"{THINGS}/list?dryRun=All", body, MERGE_PATCH)


def _applied() -> Iterator[Bomb]:
    def applied(kind: str, name: str, spec: object) -> bytes:
        return json.dumps(
            {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
        ).encode()

    specs: dict[str, Callable[[], object]] = {
        "map": lambda: {"map": [{"k": str(n), "v": n} for n in range(60_000)]},
        "map-of-one": lambda: {"map": [{"k": "a"}] * 60_000},
        "set": lambda: {"set": [str(n) for n in range(100_000)]},
        "words": lambda: {"words": {f"k{n}": "v" for n in range(60_000)}},
        "unknown": lambda: {f"u{n}": 1 for n in range(60_000)},
        "any": lambda: {"any": {f"k{n}": [n] for n in range(60_000)}},
    }
    for name, make in specs.items():
        for manager in ("one", "two"):
            path = f"{TYPED}/applied-{name}?fieldManager={manager}&force=true"
            yield Bomb(
                f"apply/{name}/{manager}",
                "PATCH",
                path,
                lambda make=make, name=name: applied("Typed", f"applied-{name}", make()),
                APPLY,
            )


def _schemas() -> Iterator[Bomb]:
    text: dict[str, object] = {"type": "string"}
    schemas: dict[str, Callable[[], dict[str, object]]] = {
        "properties": lambda: {"type": "object", "properties": {f"p{n}": text for n in range(30_000)}},
        "junctors": lambda: {"type": "object", "allOf": [{"anyOf": [{"minProperties": 1}] * 20}] * 2000},
        "enum": lambda: {"type": "object", "properties": {"e": {**text, "enum": [str(n) for n in range(100_000)]}}},
        "patterns": lambda: {
            "type": "object",
            "properties": {f"p{n}": {**text, "pattern": "(a{0,50}){0,20}" + str(n)} for n in range(300)},
        },
        "one-large-pattern": lambda: {
            "type": "object",
            "properties": {"p": {**text, "pattern": "((a{0,100}){0,100}){0,100}"}},
        },
        "rules": lambda: {
            "type": "object",
            "x-kubernetes-validations": [{"rule": f"self == self && {n} == {n}"} for n in range(1000)],
        },
        "a-long-rule": lambda: {
            "type": "object",
            "x-kubernetes-validations": [{"rule": " && ".join(["true"] * 50_000)}],
        },
        "a-deep-rule": lambda: {"type": "object", "x-kubernetes-validations": [{"rule": "(" * 10_000 + "true"}]},
        "defaults": lambda: {
            "type": "object",
            "properties": {"d": {"type": "array", "items": {"type": "integer"}, "default": list(range(100_000))}},
        },
        "nulls": lambda: {"type": "object", "properties": {f"p{n}": None for n in range(50_000)}},
    }
    for name, make in schemas.items():
        yield Bomb(
            f"schema/{name}",
            "POST",
            f"{DEFINITIONS}?dryRun=All",
            lambda make=make: json.dumps(definition("bombs", "Bomb", make())).encode(),
        )
    deep = '{"type":"object","properties":{"a":' * 3000 + '{"type":"string"}' + "}}" * 3000
    around = json.dumps(definition("bombs", "Bomb", {"@": ""}))
    body = around.replace('{"@": ""}', deep).encode()
    yield Bomb("schema/deep", "POST", f"{DEFINITIONS}?dryRun=All", lambda: body)
    versions = [
        {"name": f"v{n}", "served": True, "storage": n == 1, "schema": {"openAPIV3Schema": {"type": "object"}}}
        for n in range(1, 3000)
    ]
    many = definition("bombs", "Bomb", {})
    many["spec"]["versions"] = versions  # type: ignore[index]
    yield Bomb("schema/versions", "POST", f"{DEFINITIONS}?dryRun=All", lambda: json.dumps(many).encode())
    columns = definition("bombs", "Bomb", {"type": "object"})
    version = columns["spec"]["versions"][0]  # type: ignore[index]
    version["additionalPrinterColumns"] = [
        {"name": f"c{n}", "type": "string", "jsonPath": ".spec" + "[0]" * 50} for n in range(5000)
    ]
    yield Bomb("schema/columns", "POST", f"{DEFINITIONS}?dryRun=All", lambda: json.dumps(columns).encode())


def _selectors() -> Iterator[Bomb]:
    texts = {
        "labels": "labelSelector=" + ",".join(f"k{n}!=v" for n in range(60_000)),
        "values": "labelSelector=k+in+(" + ",".join(f"v{n}" for n in range(80_000)) + ")",
        "one-label": "labelSelector=" + ",".join(["k!=v"] * 100_000),
        "a-long-label": "labelSelector=" + "k" * 900_000,
        "spaces": "labelSelector=" + "+" * 900_000,
        "parentheses": "labelSelector=k+in+" + "(" * 500_000,
        "names": "fieldSelector=" + ",".join(f"metadata.name!=n{n}" for n in range(30_000)),
        "escapes": "fieldSelector=metadata.name%3D" + "%5C%5C" * 100_000,
        "a-long-field": "fieldSelector=" + "f" * 900_000,
        "a-long-token": "continue=" + "A" * 900_000,
        "parameters": "&".join(f"p{n}=v" for n in range(80_000)),
        "one-parameter": "&".join(["limit=1"] * 80_000),
        "a-long-limit": "limit=" + "9" * 500_000,
        "a-long-revision": "resourceVersion=" + "9" * 500_000,
        "percents": "labelSelector=" + "%41" * 300_000,
    }
    for name, query in texts.items():
        yield Bomb(f"query/{name}", "GET", f"{THINGS}?{query}")
        yield Bomb(f"query/{name}/watch", "GET", f"{THINGS}?watch=true&timeoutSeconds=1&{query}")


def _heads() -> Iterator[Bomb]:
    yield Bomb("head/fields", "GET", THINGS, headers={f"X-F{n}": "v" for n in range(90)})
    yield Bomb("head/accept", "GET", THINGS, headers={"Accept": ",".join(f"a/b{n};q=0.{n}" for n in range(50_000))})
    yield Bomb("head/encodings", "GET", THINGS, headers={"Accept-Encoding": ",".join(["x;q=0.1"] * 80_000)})
    yield Bomb("head/token", "GET", THINGS, headers={"Authorization": "Bearer " + "." * 900_000})
    yield Bomb("head/agent", "GET", THINGS, headers={"User-Agent": "a" * 900_000})
    yield Bomb(
        "head/groups", "GET", THINGS, headers={"Impersonate-User": "u", "Impersonate-Group": ",".join(["g"] * 50_000)}
    )
    yield Bomb("head/segments", "GET", "/" + "a/" * 300_000)
    yield Bomb("head/dots", "GET", "/api/v1/namespaces/" + "../" * 200_000)
    yield Bomb("head/name", "GET", f"{THINGS}/{'n' * 900_000}")


def _connections() -> Iterator[Bomb]:
    host = b"Host: localhost\r\n"
    get = b"GET /livez HTTP/1.1\r\n" + host + b"\r\n"
    raws: dict[str, Callable[[], bytes]] = {
        "pipeline": lambda: get * 5000,
        "endless-head": lambda: b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 170_000,
        "one-long-field": lambda: b"GET / HTTP/1.1\r\nX: " + b"y" * 1_500_000,
        "1000-fields": lambda: b"GET /livez HTTP/1.1\r\n" + host + b"X: y\r\n" * 1001 + b"\r\n",
        "length-and-chunks": lambda: (
            b"POST /livez HTTP/1.1\r\n"
            + host
            + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + get
        ),
        "two-lengths": lambda: (
            b"POST /livez HTTP/1.1\r\n" + host + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd" + get
        ),
        "small-chunks": lambda: (
            b"POST /livez HTTP/1.1\r\n"
            + host
            + b"Transfer-Encoding: chunked\r\n\r\n"
            + b"1\r\nx\r\n" * 300_000
            + b"0\r\n\r\n"
        ),
        "chunk-extensions": lambda: (
            b"POST /livez HTTP/1.1\r\n"
            + host
            + b"Transfer-Encoding: chunked\r\n\r\n1;"
            + b"e" * 1_000_000
            + b"\r\nx\r\n0\r\n\r\n"
        ),
        "a-huge-chunk": lambda: (
            b"POST /livez HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"
        ),
        "a-huge-length": lambda: b"POST /livez HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n",
        "h2-preface": lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "noise": lambda: bytes(range(256)) * 4000,
        "tls-hello": lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    }
    for name, raw in raws.items():
        yield Bomb(f"connection/{name}", "", "", raw=raw)


def _services() -> Iterator[Bomb]:
    ports = [{"name": f"p{n}", "port": 1 + n} for n in range(2000)]

    def service(name: str, **spec: object) -> Callable[[], bytes]:
        body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}
        return lambda: json.dumps(body).encode()

    yield Bomb("service/node-ports", "POST", f"{SERVICES}?dryRun=All", service("nodes", type="NodePort", ports=ports))
    yield Bomb("service/ports", "POST", SERVICES, service("ports", ports=ports))
    addresses = [f"10.0.{n // 250}.{n % 250}" for n in range(20_000)]
    yield Bomb("service/addresses", "POST", SERVICES, service("addresses", ports=ports[:1], externalIPs=addresses))
