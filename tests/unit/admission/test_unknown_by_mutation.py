"""What admission adds to a custom resource and its schema does not have: nobody sees it, but it counts.

Upstream prunes what it stores in the storage version only where it reads it: behind the checks, validating admission
and the comparison that raises the generation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support import admission_hook, definitions, in_process
from support.admission_hook import patch
from unit.admission.test_webhooks import GROUP, MERGE, SCHEMA, THINGS, Fixture, hooked, thing

LABELLED = {"metadata": {"labels": {"a": "b"}}}


def adding(path: str) -> dict[str, Any]:
    return patch({"op": "add", "path": path, "value": 1})


def state(answer: dict[str, Any]) -> tuple[int, str]:
    return answer["metadata"]["generation"], answer["metadata"]["resourceVersion"]


@pytest.mark.parametrize("path", ["/n", "/spec/n"])
async def test_it_raises_the_generation_of_each_update(tmp_path: Path, path: str) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: adding(path)
        made = await it.call("POST", THINGS, thing(size=1))
        assert (made["metadata"]["generation"], made["spec"], "n" in made) == (1, {"size": 1, "color": "red"}, False)
        seen = [state(made)]
        for method, body, content_type in (
            ("PATCH", LABELLED, MERGE),
            ("PATCH", {}, MERGE),
            ("PUT", thing(size=1), in_process.JSON),
        ):
            if method == "PUT":
                body["metadata"]["resourceVersion"] = seen[-1][1]
            changed = await it.call(method, f"{THINGS}/a", body, content_type)
            assert (changed["spec"], "n" in changed) == ({"size": 1, "color": "red"}, False)
            seen.append(state(changed))
        assert [generation for generation, _ in seen] == [1, 2, 3, 4]
        assert len({revision for _, revision in seen}) == 4
        kept = await it.call("PATCH", f"{THINGS}/a?dryRun=All", {}, MERGE)
        assert (kept["metadata"]["generation"], kept["spec"]) == (5, {"size": 1, "color": "red"})
        assert state(await it.call("GET", f"{THINGS}/a")) == seen[-1]


async def test_the_next_update_stores_the_object_without_it(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: adding("/n")
        made = await it.call("POST", THINGS, thing(size=1))
        it.hook.responds["m"] = lambda request: {}
        first = await it.call("PATCH", f"{THINGS}/a", {}, MERGE)
        again = await it.call("PATCH", f"{THINGS}/a", {}, MERGE)
        assert state(made) < state(first) == state(again)
        assert [state(each)[0] for each in (made, first, again)] == [1, 1, 1]


async def test_only_the_try_that_is_stored_counts(tmp_path: Path) -> None:
    """The first one adds something, meets another writer, and begins again with what that one has written."""
    async with hooked(tmp_path) as it:
        made = await it.call("POST", THINGS, thing(size=1))
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        others: list[dict[str, Any]] = []

        async def add_first(_request: dict[str, Any]) -> dict[str, Any]:
            it.hook.responds["m"] = lambda _: {}
            others.append(await it.call("PATCH", f"{THINGS}/a", LABELLED, MERGE))
            return adding("/n")

        it.hook.responds["m"] = add_first
        changed = await it.call("PATCH", f"{THINGS}/a", LABELLED, MERGE)
        assert len(it.hook.asked) == 3
        assert state(made) < state(others[0]) == state(changed)


async def test_checks_and_validating_webhooks_see_it(tmp_path: Path) -> None:
    bounded = {**SCHEMA, "properties": {"spec": {**SCHEMA["properties"]["spec"], "maxProperties": 2}}}
    async with admission_hook.running(tmp_path) as hook, in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(bounded)))
        it = Fixture(server, hook)
        await it.configure("Mutating", hook.webhook("m", GROUP))
        await it.configure("Validating", hook.webhook("v", GROUP))
        hook.responds["m"] = lambda request: adding("/n")
        assert (await it.call("POST", THINGS, thing(size=1)))["code"] == 201
        path, request = hook.asked[-1]
        assert (path, request["object"]["n"], "n" in request["object"]["spec"]) == ("v", 1, False)
        hook.responds["m"] = lambda request: adding("/spec/n")
        refused = await it.call("PATCH", f"{THINGS}/a", {}, MERGE)
        assert (refused["code"], refused["details"]["causes"][0]["field"]) == (422, "spec")


async def test_of_an_object_that_is_stored_in_another_version_only_the_generation_tells(tmp_path: Path) -> None:
    def version(name: str, **changed: Any) -> dict[str, Any]:
        return {**definitions.version(SCHEMA, name=name, storage=name == "v2"), **changed}

    async with admission_hook.running(tmp_path) as hook, in_process.running(tmp_path) as server:
        one = version("v1", subresources={"status": {}})
        await server.define(definitions.of_things(GROUP, one, version("v2")))
        it = Fixture(server, hook)
        await it.configure("Mutating", hook.webhook("m", GROUP, matchPolicy="Exact"))
        hook.responds["m"] = lambda request: adding("/n")
        made = await it.call("POST", THINGS, thing(size=1))
        changed = await it.call("PATCH", f"{THINGS}/a", {}, MERGE)
        assert [state(made)[0], state(changed)[0], "n" in changed] == [1, 2, False]
        hook.responds["m"] = lambda request: {}
        assert state(await it.call("PATCH", f"{THINGS}/a", {}, MERGE)) == state(changed)
