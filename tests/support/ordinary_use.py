"""Small requests of every kind that the bombs are made of.

After them what a server keeps for its ordinary use is there: modules that are loaded when they are first needed,
compiled schemas and rules, pages of the store. A server that was never asked for anything has none of it.
"""

from __future__ import annotations

import http.client
import json
from typing import Any

from support import bombs

_ROUNDS = 3
_META = {"apiVersion": "v1"}


def use(port: int) -> None:
    """A few rounds, since memory for what lives shortly comes in blocks. What they make is deleted again."""
    for _ in range(_ROUNDS):
        for method, path, media_type, body in _requests():
            _send(port, method, path, media_type, body)


def _send(port: int, method: str, path: str, media_type: str, body: Any) -> None:
    data = body if isinstance(body, str | None) else json.dumps(body)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, data, {"Content-Type": media_type} if data else {"Accept": media_type})
        answer = connection.getresponse()
        answer.read()
        assert answer.status < 500, (method, path, answer.status)
    finally:
        connection.close()


def _requests() -> list[tuple[str, str, str, Any]]:
    return [*_creations(), *_reads(), *_patches(), *_refusals(), *_definitions(), *_deletions()]


def _thing(name: str, **members: Any) -> dict[str, Any]:
    labels = {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    return {"apiVersion": f"{bombs.GROUP}/v1", "kind": "Thing", "metadata": {"name": name, **labels}, **members}


def _typed() -> dict[str, Any]:
    spec = {"text": "aa", "ruled": "text", "numbers": [1, 2], "set": ["a", "b"], "map": [{"k": "a", "v": 1}]}
    return {
        "apiVersion": f"{bombs.GROUP}/v1",
        "kind": "Typed",
        "metadata": {"name": "small"},
        "spec": {**spec, "words": {"a": "b"}, "any": {"x": [1]}},
    }


def _pod() -> dict[str, Any]:
    env = [{"name": "A", "value": "b"}, {"name": "B", "value": "c"}]
    return {**_META, "kind": "Pod", "metadata": {"name": "small"}, "spec": {"containers": [_container(env)]}}


def _container(env: list[dict[str, str]]) -> dict[str, Any]:
    return {"name": "c", "image": "i", "env": env}


def _creations() -> list[tuple[str, str, str, Any]]:
    service = {**_META, "kind": "Service", "metadata": {"name": "small"}, "spec": {"ports": [{"port": 80}]}}
    config_map = {**_META, "kind": "ConfigMap", "metadata": {"name": "small"}, "data": {"a": "b"}}
    in_yaml = f"apiVersion: {bombs.GROUP}/v1\nkind: Thing\nmetadata:\n  name: yaml\nx: &a [1, yes]\ny: *a\n"
    return [
        (
            "POST",
            bombs.MAPS,
            bombs.JSON,
            config_map,
        ),
        ("POST", bombs.MAPS, bombs.YAML, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n"),
        ("POST", bombs.PODS, bombs.JSON, _pod()),
        ("POST", bombs.SERVICES, bombs.JSON, service),
        ("POST", bombs.THINGS, bombs.JSON, _thing("small", x=[1, 2, 3], y="z")),
        ("POST", bombs.THINGS, bombs.YAML, in_yaml),
        ("POST", bombs.TYPED, bombs.JSON, _typed()),
    ]


def _reads() -> list[tuple[str, str, str, Any]]:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    reads = [
        ("GET", f"{collection}{query}", media_type, None)
        for collection in (bombs.MAPS, bombs.PODS, bombs.THINGS, bombs.TYPED)
        for query in ("", "?labelSelector=a!=c", "?fieldSelector=metadata.name=small", "?limit=1")
        for media_type in (bombs.JSON, bombs.YAML, table)
    ]
    return [*reads, ("GET", f"{bombs.THINGS}?watch=true&timeoutSeconds=1", bombs.JSON, None)]


def _patches() -> list[tuple[str, str, str, Any]]:
    thing, pod, typed = f"{bombs.THINGS}/small", f"{bombs.PODS}/small", f"{bombs.TYPED}/applied"
    operations = [{"op": "test", "path": "/x/0", "value": 1}, {"op": "copy", "from": "/x", "path": "/x2"}]
    more = {"metadata": {"labels": {"n": "m"}}, "spec": {"containers": [{"name": "c", "image": "i2"}]}}
    applied = {**_typed(), "metadata": {"name": "applied"}}
    return [
        ("PATCH", thing, bombs.JSON_PATCH, operations),
        ("PATCH", thing, bombs.MERGE_PATCH, {"y": None, "w": {"a": 1}}),
        ("PATCH", pod, bombs.STRATEGIC_PATCH, more),
        *[("PATCH", f"{typed}?fieldManager={who}&force=true", bombs.APPLY, applied) for who in ("one", "two")],
        ("PATCH", f"{bombs.PODS}/applied?fieldManager=one", bombs.APPLY, {**_pod(), "metadata": {"name": "applied"}}),
        ("PUT", thing, bombs.JSON, _thing("small", x=[3])),
    ]


def _refusals() -> list[tuple[str, str, str, Any]]:
    wrong = _typed()
    wrong["spec"] = {"text": "b", "ruled": "needle", "numbers": ["x"], "set": ["a", "a"], "unknown": 1}
    unknown = {**_pod(), "spec": {"containers": [{"name": "C_", "unknown": 1}], "x": 1}}
    return [
        ("POST", f"{bombs.TYPED}?fieldValidation=Strict", bombs.JSON, wrong),
        ("POST", bombs.TYPED, bombs.JSON, wrong),
        ("POST", bombs.PODS, bombs.JSON, unknown),
        ("POST", bombs.THINGS, bombs.JSON, "{"),
        ("POST", bombs.THINGS, bombs.YAML, "a: ["),
        ("PATCH", f"{bombs.TYPED}/applied?fieldManager=three", bombs.APPLY, {**_typed(), "spec": {"text": "aaa"}}),
    ]


def _definitions() -> list[tuple[str, str, str, Any]]:
    rule = {"rule": "self.a.all(x, x > 1 && self.b.matches('^a+$'))", "message": "no"}
    members = {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"type": "string"}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": members}}}
    schema["properties"]["spec"]["x-kubernetes-validations"] = [rule]  # type: ignore[index]
    good = bombs.definition("smalls", "Small", schema)
    bad = bombs.definition("smalls", "Small", {"type": "object", "properties": {"a": {"type": "x"}}})
    path = f"{bombs.DEFINITIONS}?dryRun=All"
    return [("POST", path, bombs.JSON, good), ("POST", path, bombs.JSON, bad)]


def _deletions() -> list[tuple[str, str, str, Any]]:
    return [
        ("DELETE", f"{collection}?gracePeriodSeconds=0&fieldSelector=metadata.name!=kubernetes", bombs.JSON, None)
        for collection in (bombs.MAPS, bombs.PODS, bombs.SERVICES, bombs.THINGS, bombs.TYPED)
    ]
