"""Mutations by policies whose rules name a version that is not served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import definitions, in_process
from unit.admission.test_nulls_of_mutations import SCHEMA, mutate_things
from unit.admission.test_webhooks import GROUP, THINGS, thing


@pytest.mark.parametrize("is_storage", [True, False])
async def test_nothing_is_mutated_in_a_version_that_is_not_served(tmp_path: Path, is_storage: bool) -> None:
    served = definitions.version(SCHEMA, is_storage=not is_storage)
    old = {**definitions.version(SCHEMA, "v0", is_storage=is_storage), "served": False}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, served, old))
        await mutate_things(server, "Object{spec: Object.spec{plain: ['x']}}", version="v0")
        answer = await server.call("POST", THINGS, thing())
        assert isinstance(answer.body, bytes)
        assert (answer.status, json.loads(answer.body)["message"]) == (
            503,
            f"Resource kind {GROUP}/v0, Kind=Thing not found. There can be a delay between when "
            "CustomResourceDefinitions are created and when they are available.",
        )
