"""What discovery tells of the version in which objects of a definition are stored."""

import json
from pathlib import Path

import pytest

from support import definitions, in_process


@pytest.mark.parametrize("is_served", [True, False])
async def test_a_version_that_is_not_served_is_not_told_of(tmp_path: Path, is_served: bool) -> None:
    stored = definitions.version(name="v2") | {"served": is_served}
    definition = definitions.of_things("example.com", definitions.version(is_storage=False), stored)
    async with in_process.running(tmp_path) as server:
        await server.define(definition)
        answer = await server.call("GET", "/apis/example.com/v1")
        assert isinstance(answer.body, bytes)
        assert ("storageVersionHash" in json.loads(answer.body)["resources"][0]) == is_served
