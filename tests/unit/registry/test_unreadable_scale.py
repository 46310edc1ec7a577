"""The scale of an object that holds no replicas where a changed definition looks for them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.registry.scale import ScalePaths, build_scale
from support import definitions, in_process
from support.waiting import PATIENCE_S

GROUP = "scaled.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE = "application/merge-patch+json"
SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 5}}
HELD = {"list": [1], "text": "x", "float": 1.5, "number": 3}


def scaled(replicas: str, status: str = ".status.replicas", selector: str = ".status.selector") -> dict[str, Any]:
    paths = {"specReplicasPath": replicas, "statusReplicasPath": status, "labelSelectorPath": selector}
    return {"spec": {"versions": [definitions.version(subresources={"scale": paths})]}}


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        ((".spec.list.replicas",), ".spec.list.replicas accessor error: [1] is of the type []interface {}, expected "),
        ((".spec.text",), ".spec.text accessor error: x is of the type string, expected int64"),
        ((".spec.float",), ".spec.float accessor error: 1.5 is of the type float64, expected int64"),
        ((".spec.number", ".status.text"), ".status.text accessor error: x is of the type string, expected int64"),
        (
            (".spec.number", ".status.number", ".status.number"),
            ".status.number accessor error: 3 is of the type int64, expected string",
        ),
    ],
)
async def test_what_stands_there_is_told(tmp_path: Path, paths: tuple[str, ...], text: str) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP))
        obj = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": HELD, "status": HELD}
        assert (await server.call("POST", THINGS, obj)).status == 201
        assert (await server.call("PATCH", DEFINITION, scaled(*paths), MERGE)).status == 200
        async with asyncio.timeout(PATIENCE_S):
            while (await server.call("GET", f"{THINGS}/a/scale")).status == 404:
                await asyncio.sleep(0)
        for method, body, kind in (("GET", None, ""), ("PUT", SCALE, in_process.JSON), ("PATCH", {}, MERGE)):
            refused = await server.call(method, f"{THINGS}/a/scale", body, kind)
            assert isinstance(refused.body, bytes)
            told = json.loads(refused.body)
            assert (refused.status, told["message"][: len(text)], "reason" in told) == (500, text, False)


async def test_where_replicas_cannot_be_put_the_scale_that_is_written_is_looked_at_first(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        paths = {"specReplicasPath": ".spec.a.b", "statusReplicasPath": ".status.n"}
        await server.define(definitions.of_things(GROUP, definitions.version(subresources={"scale": paths})))
        obj = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"a": None}}
        assert (await server.call("POST", THINGS, obj)).status == 201
        apply = ("PATCH", f"{THINGS}/a/scale?fieldManager=m", SCALE, "application/apply-patch+yaml")
        told = []
        for request in (apply, ("PATCH", f"{THINGS}/a/scale", {"spec": {"replicas": 5}}, MERGE)):
            refused = await server.call(*request)
            assert isinstance(refused.body, bytes)
            told.append(json.loads(refused.body)["message"])
        assert told[0].startswith("failed to create manager for existing fields: ")
        assert told[1] == "value cannot be set because .spec.a is not a map[string]interface{}"


async def test_the_form_of_the_answer_is_agreed_on_before_options_are_read(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        paths = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
        await server.define(definitions.of_things(GROUP, definitions.version(subresources={"scale": paths})))
        for things in (THINGS, "/apis/apps/v1/namespaces/default/deployments"):
            for method, kind in (("PUT", in_process.JSON), ("PATCH", MERGE)):
                address = f"{things}/a/scale?fieldValidation=No"
                assert (await server.call(method, address, {}, kind)).status == 422
                assert (await server.call(method, address, {}, kind, accept="text/none")).status == 406


def test_replicas_that_do_not_fit_are_shown_as_go_converts_them() -> None:
    obj = {"metadata": {"name": "a"}, "spec": {"n": 2**63 - 1}, "status": {"n": 2**31}}
    scale = build_scale(obj, ScalePaths(".spec.n", ".status.n"))
    assert (scale["spec"], scale["status"]) == ({"replicas": -1}, {"replicas": -(2**31)})
