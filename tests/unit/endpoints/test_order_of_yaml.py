"""A body in YAML is read in the order of its members' names: the first that is of the wrong type is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quarterdeck.apimachinery.codec import yamlorder
from support import in_process

NAMESPACED = "/api/v1/namespaces/default"
YAML = "application/yaml"
JSON = "application/json"


@pytest.mark.parametrize(
    ("path", "body", "of_yaml", "of_json"),
    [
        ("/configmaps", '{"metadata":{"name":1},"data":2}', "ConfigMap.data", "ObjectMeta.metadata.name"),
        (
            "/secrets",
            '{"type":5,"metadata":{"labels":"x","annotations":3}}',
            "ObjectMeta.metadata.annotations",
            "Secret.type",
        ),
        (
            "/pods",
            '{"spec":{"containers":[{"name":1,"image":2}]}}',
            "Container.spec.containers.image",
            "Container.spec.containers.name",
        ),
    ],
)
def test_the_first_wrong_type_is_found_by_name(
    tmp_path: Path, path: str, body: str, of_yaml: str, of_json: str
) -> None:
    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            for content_type, told in ((YAML, of_yaml), (JSON, of_json)):
                answer = await server.call("POST", NAMESPACED + path, body.encode(), content_type)
                assert answer.status == 400
                assert f"into Go struct field {told} of type" in answer.body.decode()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("content_type", "told"), [(YAML, "DeleteOptions.gracePeriodSeconds"), (JSON, "preconditions.uid")]
)
def test_options_of_a_deletion_too(tmp_path: Path, content_type: str, told: str) -> None:
    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            body = b'{"preconditions":{"uid":1},"gracePeriodSeconds":"x"}'
            answer = await server.call("DELETE", f"{NAMESPACED}/configmaps/a", body, content_type)
            assert answer.status == 400
            assert f"{told} of type" in answer.body.decode()

    asyncio.run(run())


def test_members_are_sorted_at_any_depth() -> None:
    value = {"b": [{"d": 1, "c": 2}, [{"f": 1, "e": None}]], "a": {"h": 1, "g": 2}}
    yamlorder.sort_members(value)
    assert str(value) == str({"a": {"g": 2, "h": 1}, "b": [{"c": 2, "d": 1}, [{"e": None, "f": 1}]]})
    for other in ([], None, "text", 1):
        yamlorder.sort_members(other)
