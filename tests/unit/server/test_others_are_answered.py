"""Requests that take long delay themselves and no other request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery import offload, slices
from quarterdeck.cel import recursion, rule_walk
from quarterdeck.transport.messages import Response
from support import definitions, in_process
from support.waiting import PATIENCE_S

GROUP = "slow.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
# Costs little for what it takes: the estimate allows it, and evaluating it takes long.
RULE = "self.all(x, self.all(y, cidr('10.0.0.0/8').containsIP('10.1.1.1') || x != y))"
LIST = {
    "type": "array",
    "maxItems": 450,
    "items": {"type": "string", "maxLength": 5},
    "x-kubernetes-validations": [{"rule": RULE}],
}
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"names": LIST}}}}
THING = {
    "apiVersion": f"{GROUP}/v1",
    "kind": "Thing",
    "metadata": {"name": "a"},
    "spec": {"names": ["x"] * 450},
}


def body_of(answer: Response) -> bytes:
    return answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)


def test_a_rule_that_runs_to_its_limit_does_so_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = recursion.evaluate
    loops_thread = threading.current_thread()
    limits_on_loop: list[int] = []
    is_aside, goes_on = threading.Event(), threading.Event()

    def spy(kernel: Any, values: list[Any], limit: int) -> Any:
        if threading.current_thread() is loops_thread:
            limits_on_loop.append(limit)
        else:
            is_aside.set()
            assert goes_on.wait(PATIENCE_S)
        return evaluate(kernel, values, limit)

    monkeypatch.setattr(recursion, "evaluate", spy)

    async def body() -> Response:
        async with in_process.running(tmp_path) as server, asyncio.timeout(PATIENCE_S):
            await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
            write = asyncio.ensure_future(server.call("POST", THINGS, THING))
            while not is_aside.is_set():
                await asyncio.sleep(0.001)
            for _ in range(3):  # the rule cannot end before these are answered
                assert (await server.call("GET", THINGS)).status == 200
            assert not write.done()
            goes_on.set()
            return await write

    answer = asyncio.run(body())
    assert answer.status == 422
    assert b"call cost exceeds limit for rule" in body_of(answer)
    assert limits_on_loop
    assert max(limits_on_loop) <= rule_walk.INLINE_COST


def test_others_are_answered_while_a_large_yaml_body_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"  key-{number:06}: value {number}\n" for number in range(3000)]
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n" + "".join(lines)
    begun, may_go_on = threading.Event(), threading.Event()
    run_slice = slices._run_slice

    def wait_and_run(steps: Generator[None, None, object]) -> object:
        begun.set()
        may_go_on.wait(PATIENCE_S)
        return run_slice(steps)

    monkeypatch.setattr(slices, "_run_slice", wait_and_run)

    async def body() -> tuple[Response, Response]:
        async with in_process.running(tmp_path) as server:
            request = server.request("POST", MAPS, text.encode(), "application/yaml")
            write = asyncio.ensure_future(server.send(request))
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            meanwhile = await server.call("GET", "/livez")
            may_go_on.set()
            return meanwhile, await write

    meanwhile, written = asyncio.run(body())
    assert (meanwhile.status, written.status) == (200, 201)


LARGE = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "large"},
    "data": {"x": "y" * offload.LARGE_BYTES},
}
SMALL = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "small"}, "data": {"x": "y"}}
DOUBLING = [{"op": "copy", "from": "/data", "path": "/metadata/annotations"}]


@pytest.mark.parametrize(
    ("method", "address", "sent", "media_type"),
    [
        ("POST", MAPS, LARGE, in_process.JSON),
        ("PUT", f"{MAPS}/there", {**LARGE, "metadata": {"name": "there"}}, in_process.JSON),
        ("PATCH", f"{MAPS}/there", LARGE["data"], "application/merge-patch+json"),
        ("PATCH", f"{MAPS}/there", DOUBLING, "application/json-patch+json"),
        ("PATCH", f"{MAPS}/fat", {"data": {"x": None}}, "application/merge-patch+json"),
    ],
    ids=["create", "update", "patch", "patch that copies", "patch of a large object"],
)
def test_the_steps_of_a_large_write_are_run_beside_the_loop(
    tmp_path: Path, method: str, address: str, sent: Any, media_type: str
) -> None:
    goes_on = threading.Event()

    async def body() -> None:
        async with in_process.running(tmp_path) as server, asyncio.timeout(PATIENCE_S):
            for name, data in (("there", SMALL["data"]), ("fat", LARGE["data"])):
                made = await server.call("POST", MAPS, {**SMALL, "metadata": {"name": name}, "data": data})
                assert made.status == 201
            occupied = asyncio.ensure_future(offload.run(goes_on.wait, PATIENCE_S))
            large = asyncio.ensure_future(server.call(method, address, sent, media_type))
            assert (await server.call("POST", MAPS, SMALL)).status == 201
            assert not large.done()
            goes_on.set()
            await occupied
            assert (await large).status in (200, 201)

    asyncio.run(body())
