"""Objects that are alike share their sets of fields in memory: nothing that is done to one of them shows in another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.admission.webhooks import versioned
from support import in_process

MAPS = "/api/v1/namespaces/default/configmaps"
JSON_PATCH, MERGE_PATCH = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
SET = "/metadata/managedFields/0/fieldsV1"


def build_map(name: str) -> dict[str, Any]:
    data = {f"name-{number}": f"value of {name}" for number in range(30)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def fields_of(obj: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]]


def copied(obj: Any) -> Any:
    return json.loads(json.dumps(obj))


def apply_to(obj: dict[str, Any]) -> dict[str, Any]:
    return {**obj, "metadata": {"name": obj["metadata"]["name"]}, "data": {"name-1": obj["data"]["name-1"]}}


def others(obj: dict[str, Any], entry: int, fields: dict[str, Any]) -> dict[str, Any]:
    """The object with another set in one of its entries."""
    changed = copied(obj)
    changed["metadata"]["managedFields"][entry]["fieldsV1"] = fields
    return changed


CHANGES: dict[str, Any] = {
    "a JSON patch takes a part out": (
        JSON_PATCH,
        lambda _: [{"op": "remove", "path": f"{SET}/f:data/f:name-3"}],
    ),
    "a JSON patch adds to it": (
        JSON_PATCH,
        lambda _: [{"op": "add", "path": f"{SET}/f:data/f:name-99", "value": {}}],
    ),
    "a JSON patch copies within it": (
        JSON_PATCH,
        lambda _: [{"op": "move", "from": f"{SET}/f:data/f:name-3", "path": f"{SET}/f:binaryData"}],
    ),
    "a merge patch": (
        MERGE_PATCH,
        lambda obj: {"metadata": {"managedFields": others(obj, 0, {"f:data": {}})["metadata"]["managedFields"]}},
    ),
    "a strategic patch": (
        STRATEGIC,
        lambda obj: {"metadata": {"managedFields": others(obj, 0, {"f:data": {}})["metadata"]["managedFields"]}},
    ),
    "a value": (MERGE_PATCH, lambda _: {"data": {"name-3": "x"}}),
    "a value less": (MERGE_PATCH, lambda _: {"data": {"name-3": None}}),
    "an apply": (APPLY, apply_to),
    "a reset": (MERGE_PATCH, lambda _: {"metadata": {"managedFields": [{}]}}),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_is_done_to_one_does_not_show_in_another(tmp_path: Path, change: str) -> None:
    media_type, build = CHANGES[change]
    async with in_process.running(tmp_path) as server:

        async def ask(method: str, path: str, body: Any = None, kind: str = in_process.JSON) -> dict[str, Any]:
            answer = await server.call(method, path, body, kind)
            assert answer.status in (200, 201) and isinstance(answer.body, bytes), answer.body
            obj: dict[str, Any] = json.loads(answer.body)
            return obj

        made = [await ask("POST", MAPS, build_map(f"m-{number}")) for number in range(4)]
        expected = fields_of(made[0])
        assert [fields_of(obj) for obj in made] == [expected] * 4
        manager = "?fieldManager=applier&force=true" if media_type == APPLY else "?fieldManager=other"
        for number in range(2):
            await ask("PATCH", f"{MAPS}/m-{number}{manager}", build(made[number]), media_type)
        assert fields_of(await ask("POST", MAPS, build_map("m-4"))) == expected
        for number in range(2, 5):
            assert fields_of(await ask("GET", f"{MAPS}/m-{number}")) == expected
            changed = await ask("PATCH", f"{MAPS}/m-{number}?fieldManager=third", {"data": {"a": "b"}}, MERGE_PATCH)
            assert sorted(map(len, fields_of(changed))) == [1, 1]  # in the order of names, or of times
            assert all(fields in fields_of(changed) for fields in (*expected, {"f:data": {"f:a": {}}}))


async def test_a_webhook_gets_an_object_of_its_own(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        answer = await server.call("POST", MAPS, build_map("m"))
        assert isinstance(answer.body, bytes)
        obj = json.loads(answer.body)
    first, second = versioned.copy(obj), versioned.copy(obj)
    third = versioned.copy(second)
    for one, other in ((first, second), (second, third), (first, third)):
        assert fields_of(one) == fields_of(other)
        assert fields_of(one)[0] is not fields_of(other)[0]
