"""Corners of writes to custom resources: what is refused where, and in which words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process
from support.waiting import PATIENCE_S

GROUP = "corners.example.com"
API = f"{GROUP}/v1"
THINGS = f"/apis/{API}/namespaces/default/things"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
SPEC = {
    "type": "object",
    "properties": {
        "l": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "t": {"type": "array", "items": {"type": "string"}},
        "s": {"type": "string"},
    },
}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "status": {"type": "object"}}}

NULL_VERSION = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'"

Call = Callable[..., Awaitable[tuple[int, Any]]]


def run(folder: Path, script: Callable[[Call, in_process.InProcess], Awaitable[None]]) -> None:
    async def main() -> None:
        async with in_process.running(folder) as server:

            async def call(method: str, address: str, body: Any = None, content_type: str = in_process.JSON) -> Any:
                answer = await server.call(method, address, body, content_type)
                data = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
                return answer.status, json.loads(data)

            version = definitions.version(SCHEMA, subresources={"status": {}})
            await server.define(definitions.of_things(GROUP, version))
            await script(call, server)

    asyncio.run(main())


def thing(name: str, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": "Thing", "metadata": {"name": name, **metadata}, "spec": spec or {}}


def test_a_put_with_a_uid_to_an_absent_object_finds_nothing(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        code, answer = await call("PUT", f"{THINGS}/a", thing("a", uid="x"))
        assert (code, answer["reason"]) == (404, "NotFound")

    run(tmp_path, script)


@pytest.mark.parametrize(("query", "root"), [("", "/registry"), ("?dryRun=All", "")])
def test_a_wrong_uid_is_told_with_the_key_of_the_object(tmp_path: Path, query: str, root: str) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a"))
        code, answer = await call("PUT", f"{THINGS}/a{query}", thing("a", uid="x"))
        assert code == 409
        assert f"Code: 4, Key: {root}/{GROUP}/things/default/a, ResourceVersion: 0" in answer["message"]

    run(tmp_path, script)


def test_a_status_of_another_type_ends_tracking_though_it_is_dropped(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        _, made = await call("POST", THINGS, {**thing("a"), "status": 5})
        assert "status" not in made
        assert "managedFields" not in made["metadata"]
        _, made = await call("POST", THINGS, {**thing("b"), "status": {}})
        assert made["metadata"]["managedFields"]
        _, changed = await call("PATCH", f"{THINGS}/b", {"status": "x"}, MERGE)
        assert "managedFields" not in changed["metadata"]

    run(tmp_path, script)


def test_numbers_that_no_float_holds_are_told_of_after_the_head(tmp_path: Path) -> None:
    number = "json: cannot unmarshal number 1e400 into Go value of type float64"

    async def script(call: Call, _: in_process.InProcess) -> None:
        own = thing("a")["apiVersion"]
        for api_version, kind, told in (
            (own, "Other", f'Other in version "v1" cannot be handled as a Thing: {number}'),
            ("other.io/v7", "Thing", f'Thing in version "v7" cannot be handled as a Thing: {number}'),
            ("a/b/c", "Thing", "unexpected GroupVersion string: a/b/c"),
        ):
            body = b'{"apiVersion":"%b","kind":"%b","spec":{"n":1e400}}' % (api_version.encode(), kind.encode())
            code, answer = await call("POST", THINGS, body)
            assert code == 400 and told in answer["message"], answer

    run(tmp_path, script)


def test_bodies_without_a_kind_or_with_a_null_version(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        missing = "Object 'Kind' is missing in '{}'"
        _, answer = await call("POST", THINGS, {})
        assert answer["message"] == f"the object provided is unrecognized (must be of type Thing): {missing} ({{}})"
        _, answer = await call("POST", f"{THINGS}?fieldValidation=Ignore", b" {} ")
        assert answer["message"] == f'Thing in version "v1" cannot be handled as a Thing: {missing}'
        code, answer = await call("POST", THINGS, {**thing("a"), "apiVersion": None})
        assert code == 400
        assert answer["message"] == f'Thing in version "" cannot be handled as a Thing: {NULL_VERSION}'

    run(tmp_path, script)


@pytest.mark.parametrize(
    ("operation", "code", "text"),
    [
        ({"op": "replace", "value": None}, 422, NULL_VERSION),
        ({"op": "replace", "value": ""}, 500, NO_VERSION),
        ({"op": "remove"}, 500, NO_VERSION),
    ],
)
def test_patches_that_take_the_version_away(tmp_path: Path, operation: Any, code: int, text: str) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a"))
        body = [{"path": "/apiVersion", **operation}, {"op": "replace", "path": "/kind", "value": "Other"}]
        found, answer = await call("PATCH", f"{THINGS}/a", body, JSON_PATCH)
        assert found == code
        assert answer["message"].endswith(text)

    run(tmp_path, script)


def test_a_patch_that_takes_the_kind_away_is_quoted_as_it_was_written(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a"))
        number = b'{"op": "add", "path": "/spec", "value": -9223372036854775809}'
        body = b'[{"op": "replace", "path": "/kind", "value": null}, %b]' % number
        code, answer = await call("PATCH", f"{THINGS}/a", body, JSON_PATCH)
        _, _, detail = answer["message"].partition(": Object 'Kind' is missing in '")
        assert code == 422
        assert json.loads(detail.removesuffix("'"))["kind"] is None
        assert '"spec":-9223372036854775809}' in detail

    run(tmp_path, script)


def test_a_refused_patch_is_quoted_as_it_was_written(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a", {"s": "<"}))
        body = rb'{"metadata": {"labels": {"b": "\u00e9", "a": 1e-07}}}'
        code, answer = await call("PATCH", f"{THINGS}/a", body, MERGE)
        assert code == 422
        assert r"\"labels\":{\"a\":1e-07,\"b\":\"\\u00e9\"}" in answer["message"]
        assert r"\"spec\":{\"s\":\"\\u003c\"}" in answer["message"]

    run(tmp_path, script)


def test_lists_without_a_type_are_forgiven_as_a_whole_only(tmp_path: Path) -> None:
    async def script(call: Call, server: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a", {"l": [{"x": 1}, {}], "t": ["a", "b"]}))
        tight = json.loads(json.dumps(SCHEMA))
        tight["properties"]["spec"]["properties"]["l"]["maxItems"] = 1
        tight["properties"]["spec"]["properties"]["t"]["items"]["minLength"] = 2
        change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": tight}]
        await call("PATCH", f"{definitions.PATH}/things.{GROUP}", change, JSON_PATCH)
        async with asyncio.timeout(PATIENCE_S):
            while (await call("POST", f"{THINGS}?dryRun=All", thing("b", {"t": ["a"]})))[0] != 422:
                await asyncio.sleep(0.01)
        code, _ = await call("PATCH", f"{THINGS}/a", {"metadata": {"labels": {"x": "y"}}}, MERGE)
        assert code == 200
        code, answer = await call("PATCH", f"{THINGS}/a", {"spec": {"t": ["a", "bb"]}}, MERGE)
        assert code == 422
        assert [cause["field"] for cause in answer["details"]["causes"]] == ["spec.t[0]"]

    run(tmp_path, script)


def test_an_apply_that_changes_nothing_of_an_object_under_deletion_stores_nothing(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        await call("POST", THINGS, thing("a", finalizers=["example.com/hold"]))
        deleted = (await call("DELETE", f"{THINGS}/a"))[1]
        assert deleted["metadata"]["deletionGracePeriodSeconds"] == 0
        applied = {"apiVersion": API, "kind": "Thing", "metadata": {"name": "a"}}
        for path in (f"{THINGS}/a", f"{THINGS}/a/status"):
            code, answer = await call("PATCH", f"{path}?fieldManager=m", applied, "application/apply-patch+yaml")
            assert (code, answer["metadata"]) == (200, deleted["metadata"])

    run(tmp_path, script)
