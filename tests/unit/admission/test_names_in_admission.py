"""Names and namespaces that admission sees or changes, and what it is told of the options of deletions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from unit.admission.test_admission_of_writes import _APPLY, _MERGE, _THINGS, _thing, recorded

_ELSEWHERE = "the namespace of the provided object does not match the namespace sent on the request"


def _set(member: str, value: str | None) -> Any:
    def change(obj: dict[str, Any]) -> dict[str, Any]:
        obj["metadata"][member] = value
        return obj

    return change


async def test_a_name_is_generated_after_mutating_admission(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        body = {**_thing(), "metadata": {"generateName": "gen-", "uid": "u", "selfLink": "s"}}
        _, made = await server.call("POST", _THINGS, body)
        (_, _, mutated, _), (_, attributes, validated, _) = server.recorder.of("things")
        assert mutated["metadata"].keys().isdisjoint(("name", "uid", "selfLink"))
        assert attributes.name == validated["metadata"]["name"] == made["metadata"]["name"]
        assert made["metadata"]["name"].startswith("gen-")

        server.recorder.mutate = _set("name", "chosen")
        assert (await server.call("POST", _THINGS, body))[1]["metadata"]["name"] == "chosen"


async def test_a_refusal_before_that_names_what_there_is(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        pods = "/api/v1/namespaces/default/pods"
        spec = {"priorityClassName": "absent", "containers": [{"name": "c", "image": "i"}]}
        for metadata, name in (({"generateName": "g-"}, "g-"), ({}, "Unknown"), ({"name": "p"}, "p")):
            code, told = await server.call("POST", pods, {"metadata": metadata, "spec": spec})
            assert (code, told["message"].partition(" is forbidden")[0]) == (403, f'pods "{name}"')


@pytest.mark.parametrize("namespace", ["kube-system", ""])
async def test_no_plugin_moves_an_object(tmp_path: Path, namespace: str) -> None:
    async with recorded(tmp_path) as server:
        assert (await server.call("POST", _THINGS, _thing()))[0] == 201
        server.recorder.mutate = _set("namespace", namespace)
        for method, path, body, content_type in (
            ("POST", "", _thing("b"), "application/json"),
            ("PATCH", "/c?fieldManager=m", _thing("c"), _APPLY),
            ("PATCH", "/a", {"spec": {"x": 1}}, _MERGE),
        ):
            code, answer = await server.call(method, f"{_THINGS}{path}", body, content_type)
            if namespace:
                assert (code, answer["message"]) == (400, _ELSEWHERE)
            else:
                assert answer["metadata"]["namespace"] == "default"


async def test_an_applied_object_that_is_renamed_to_one_that_there_is(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        assert (await server.call("POST", _THINGS, _thing()))[0] == 201
        server.recorder.mutate = _set("name", "a")
        code, answer = await server.call("PATCH", f"{_THINGS}/b?fieldManager=m", _thing("b"), _APPLY)
        assert (code, answer["reason"]) == (409, errors.AlreadyExists.reason)


async def test_options_of_deletions_are_told_as_the_store_completes_them(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        pods, spaces = "/api/v1/namespaces/default/pods", "/api/v1/namespaces"
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        assert (await server.call("POST", pods, pod))[0] == 201
        await server.call("DELETE", f"{pods}/p", {"gracePeriodSeconds": 7})
        told = [each.options.describe("DELETE") for _, each, _, _ in server.recorder.of("pods")]
        assert [options["gracePeriodSeconds"] for options in told] == [
            0
        ] * 4  # both passes, as it is marked and removed
        _, space = await server.call("POST", spaces, {"metadata": {"name": "n"}})
        await server.call("DELETE", f"{spaces}/n")
        told = [each.options.describe("DELETE") for _, each, _, _ in server.recorder.of("namespaces")]
        assert told[0]["preconditions"] == {"uid": space["metadata"]["uid"]}


async def test_options_of_deletions_of_many_are_told_as_they_were_sent(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        pods = "/api/v1/namespaces/default/pods"
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        for sent in ({"gracePeriodSeconds": 7}, {"gracePeriodSeconds": -7}, {}):
            assert (await server.call("POST", pods, pod))[0] == 201
            await server.call("DELETE", pods, sent)
            told = [each.options.describe("DELETE") for _, each, _, _ in server.recorder.of("pods")]
            assert [options.get("gracePeriodSeconds") for options in told] == [sent.get("gracePeriodSeconds")] * 4


@pytest.mark.parametrize("sent, told", [({}, {}), ({"uid": None}, {}), (None, None)])
async def test_preconditions_that_say_nothing_are_told(tmp_path: Path, sent: Any, told: Any) -> None:
    async with recorded(tmp_path) as server:
        await server.call("POST", _THINGS, _thing())
        await server.call("DELETE", f"{_THINGS}/a", {"preconditions": sent, "gracePeriodSeconds": -1})
        _, attributes, _, _ = server.recorder.of("things")[0]
        options = attributes.options.describe("DELETE")
        assert (options.get("preconditions"), options["gracePeriodSeconds"]) == (told, 1)
