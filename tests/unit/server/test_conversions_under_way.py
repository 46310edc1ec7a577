"""A definition that changes takes nothing from requests that have had objects converted for themselves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage.cacher import cacher
from quarterdeck.transport.messages import Response, Stream
from quarterdeck.webhook.client import WebhookClient
from support import definitions, in_process
from support.waiting import PATIENCE_S
from support.watch_client import RecordingWriter

GROUP = "underway.example.com"
THINGS = f"/apis/{GROUP}/%s/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE = "application/merge-patch+json"


class Webhook:
    """Converts at once, but what stands in `gates` by the names of the objects. `asked` are the names of each call."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.gates: dict[tuple[str, ...], asyncio.Event] = {}

    async def call(self, _config: Mapping[str, Any], review: bytes, _timeout_s: float, _about: object = None) -> bytes:
        asked = json.loads(review)
        request = asked["request"]
        names = tuple(sorted(obj["metadata"]["name"] for obj in request["objects"]))
        self.asked.append(names)
        if (gate := self.gates.pop(names, None)) is not None:
            await gate.wait()
        converted = [{**obj, "apiVersion": request["desiredAPIVersion"]} for obj in request["objects"]]
        response = {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}
        return json.dumps({**asked, "response": response}).encode()

    async def until_asked(self, *names: str) -> None:
        while names not in self.asked:
            await asyncio.sleep(0)


@pytest.fixture
def webhook(monkeypatch: pytest.MonkeyPatch) -> Webhook:
    made = Webhook()

    async def call(_: WebhookClient, *arguments: Any) -> bytes:
        return await made.call(*arguments)

    monkeypatch.setattr(WebhookClient, "call", call)
    monkeypatch.setattr(cacher, "RETIRED_S", 0.0)
    return made


async def begin(server: in_process.InProcess) -> None:
    definition = definitions.of_things(GROUP, definitions.version(), definitions.version(name="v2", is_storage=False))
    client = {"clientConfig": {"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": ["v1"]}
    definition["spec"]["conversion"] = {"strategy": "Webhook", "webhook": client}
    await server.define(definition)
    for name in ("a", "b"):
        thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}}
        assert (await server.call("POST", THINGS % "v1", thing)).status == 201


async def change(server: in_process.InProcess) -> None:
    """The definition, so that its objects are shown anew."""
    changed = {"spec": {"conversion": {"webhook": {"clientConfig": {"url": "https://127.0.0.1:1/other"}}}}}
    assert (await server.call("PATCH", DEFINITION, changed, MERGE)).status == 200


async def send(server: in_process.InProcess, method: str, address: str) -> Response:
    return await server.call(method, address)


async def turns() -> None:
    for _ in range(100):
        await asyncio.sleep(0)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_what_a_list_had_is_there_when_the_rest_comes(tmp_path: Path, webhook: Webhook, method: str) -> None:
    async def body() -> Response:
        async with in_process.running(tmp_path) as server, asyncio.timeout(PATIENCE_S):
            await begin(server)
            gates = webhook.gates[("a", "b")], webhook.gates[("b",)] = asyncio.Event(), asyncio.Event()
            old = asyncio.ensure_future(send(server, "GET", THINGS % "v2"))
            await webhook.until_asked("a", "b")
            await change(server)
            assert (await server.call("GET", f"{THINGS % 'v2'}/a")).status == 200
            new = asyncio.ensure_future(send(server, method, f"{THINGS % 'v2'}?labelSelector=!x"))
            await webhook.until_asked("b")
            gates[0].set()  # the last request of the old definition ends: what was encoded for it is dropped
            assert (await old).status == 200
            await turns()
            gates[1].set()
            return await new

    answer = asyncio.run(body())
    assert answer.status == 200, answer.body
    assert [item["metadata"]["name"] for item in json.loads(bytes(answer.body))["items"]] == ["a", "b"]  # type: ignore[arg-type]


def test_a_watch_shows_what_it_has_begun_with(tmp_path: Path, webhook: Webhook) -> None:
    async def body() -> list[str]:
        async with in_process.running(tmp_path) as server, asyncio.timeout(PATIENCE_S):
            await begin(server)
            gate = webhook.gates[("a", "b")] = asyncio.Event()
            old = asyncio.ensure_future(send(server, "GET", THINGS % "v2"))
            await webhook.until_asked("a", "b")
            await change(server)
            stream = await server.call("GET", f"{THINGS % 'v2'}?watch=true")
            assert isinstance(stream, Stream)
            await turns()  # converted, and nobody reads yet
            gate.set()
            assert (await old).status == 200
            await turns()
            writer = RecordingWriter()
            stream.opened(writer)
            while len(writer.events) < 2:
                await asyncio.sleep(0)
            return [event.type for event in writer.events]

    assert asyncio.run(body()) == ["ADDED", "ADDED"]
