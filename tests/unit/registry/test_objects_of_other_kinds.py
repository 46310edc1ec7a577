"""Custom resources that say they are of another kind: what is told of them beside that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process

GROUP = "kinds.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE = "application/merge-patch+json"
KIND = 'kind: Invalid value: "Other": must be Thing'
SPEC = {
    "type": "object",
    "x-kubernetes-validations": [{"rule": "!has(self.n) || self.n > 1"}],
    "properties": {
        "n": {"type": "integer", "minimum": 0},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "inner": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}
SCHEMA = {"type": "object", "properties": {"spec": SPEC}}


def thing(kind: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"n": 2}, []),
        ({"n": -1}, ["spec: Invalid value: failed rule: !has(self.n) || self.n > 1"]),  # values are not looked at
        ({"set": ["x", "x"]}, ['spec.set[1]: Duplicate value: "x"']),
        ({"inner": {"apiVersion": "v1", "kind": 5}}, ["spec.inner.kind: Invalid value: 5"]),
        ({"inner": {"apiVersion": "v1", "kind": "P", "metadata": {"name": 5}}}, ["spec.inner.metadata: Invalid value"]),
    ],
)
async def test_rules_lists_and_embedded_resources_are_looked_at(tmp_path: Path, spec: Any, told: list[str]) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
        made = await server.call("POST", THINGS, thing("Thing"))
        assert made.status == 201
        for method, address, content_type in (("POST", THINGS, in_process.JSON), ("PATCH", f"{THINGS}/a", MERGE)):
            answer = await server.call(method, address, thing("Other", **spec), content_type)
            assert isinstance(answer.body, bytes)
            status = json.loads(answer.body)
            assert status["code"] == 422
            causes = [f"{each['field']}: {each['message']}" for each in status["details"]["causes"]]
            assert [each.startswith(start) for each, start in zip(causes, [KIND, *told], strict=True)].count(False) == 0


@pytest.mark.parametrize(("kind", "skips_rules"), [("Thing", True), ("Other", False)])
async def test_metadata_skips_rules_only_where_it_is_a_part_of_what_the_kind_looks_at(
    tmp_path: Path, kind: str, skips_rules: bool
) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
        assert (await server.call("POST", THINGS, thing("Thing"))).status == 201
        change = {"kind": kind, "metadata": {"annotations": {"x": "y" * 300_000}}, "spec": {"n": 1}}
        answer = await server.call("PATCH", f"{THINGS}/a", change, MERGE)
        assert isinstance(answer.body, bytes)
        causes = [each["message"] for each in json.loads(answer.body)["details"]["causes"]]
    assert causes[0].startswith("Too long")
    assert any("failed rule" in each for each in causes) is not skips_rules
    assert any("some validation rules were not checked" in each for each in causes) is skips_rules


async def test_a_failed_rule_shows_values_by_the_type_that_the_schema_asks_for(tmp_path: Path) -> None:
    """Which the values of another kind need not be."""
    rules = [{"rule": "false"}]
    fields = {
        "map": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-validations": rules},
        "list": {"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": rules},
        "text": {"type": "string", "x-kubernetes-validations": rules},
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema)))
        answer = await server.call("POST", THINGS, thing("Other", map="m", list="l", text="t"))
        assert isinstance(answer.body, bytes)
        causes = {each["field"]: each["message"] for each in json.loads(answer.body)["details"]["causes"]}
    shown = "Invalid value: {}failed rule: false"
    assert {name: causes[f"spec.{name}"] for name in fields} == {
        "map": shown.format(""),
        "list": shown.format(""),
        "text": shown.format('"t": '),
    }


async def test_a_refused_status_is_told_of_the_kind_that_was_sent(tmp_path: Path) -> None:
    numbers = {"type": "object", "properties": {"x": {"type": "integer", "maximum": 1}}}
    schema = {"type": "object", "properties": {"status": numbers}}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema, subresources={"status": {}})))
        assert (await server.call("POST", THINGS, thing("Thing"))).status == 201
        for kind in ("Thing", "Other"):
            answer = await server.call("PATCH", f"{THINGS}/a/status", {"kind": kind, "status": {"x": 2}}, MERGE)
            assert isinstance(answer.body, bytes)
            status = json.loads(answer.body)
            assert (answer.status, status["details"]["kind"]) == (422, kind)
        taken = await server.call("PATCH", f"{THINGS}/a/status", {"kind": "Other", "status": {"x": 1}}, MERGE)
        assert isinstance(taken.body, bytes)
        assert (taken.status, json.loads(taken.body)["kind"]) == (200, "Thing")


@pytest.mark.parametrize("api_version", [f"{GROUP}/v1", f"{GROUP}/v7"])
async def test_a_status_of_another_kind_or_version_is_stored_as_one_of_the_kind(
    tmp_path: Path, api_version: str
) -> None:
    fields = {"x": {"type": "integer"}, "phase": {"type": "string", "default": "New"}}
    schema = {"type": "object", "properties": {"status": {"type": "object", "properties": fields}}}
    kind = "Other" if api_version.endswith("/v1") else "Thing"
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema, subresources={"status": {}})))
        assert (await server.call("POST", THINGS, thing("Thing"))).status == 201
        change = {"apiVersion": api_version, "kind": kind, "status": {"x": 1, "unknown": {"y": 1}}}
        answers = [await server.call("PATCH", f"{THINGS}/a/status", change, MERGE) for _ in range(2)]
        answers.append(await server.call("GET", f"{THINGS}/a"))
        found = [json.loads(each.body) for each in answers if isinstance(each.body, bytes)]
    kept = {} if kind == "Thing" else {"status": {"x": 1, "phase": "New"}}  # nothing is known of such a version
    assert [{"status": each["status"]} if "status" in each else {} for each in found] == [kept] * 3
    assert found[1]["metadata"] == found[2]["metadata"]


@pytest.mark.parametrize(
    ("version", "is_tracked"), [("v1", False), (f"{GROUP}/v9", False), (f"{GROUP}/v2", True), ("other.io/v1", False)]
)
async def test_a_status_patch_to_a_version_that_the_kind_lacks_ends_tracking(
    tmp_path: Path, version: str, is_tracked: bool
) -> None:
    second = definitions.version(SCHEMA, "v2", is_storage=False, subresources={"status": {}})
    async with in_process.running(tmp_path) as server:
        first = definitions.version(SCHEMA, subresources={"status": {}})
        await server.define(definitions.of_things(GROUP, first, second))
        assert (await server.call("POST", THINGS, thing("Thing", n=2))).status == 201
        answer = await server.call("PATCH", f"{THINGS}/a/status", {"apiVersion": version}, MERGE)
        assert isinstance(answer.body, bytes)
        made = json.loads(answer.body)
        assert (answer.status, made["apiVersion"]) == (200, f"{GROUP}/v1")
        assert ("managedFields" in made["metadata"]) == is_tracked
