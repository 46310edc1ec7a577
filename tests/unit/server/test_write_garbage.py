"""What a write makes is freed when it is answered: nothing waits for the garbage collector."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.server import apiserver, pki
from quarterdeck.server.config import Config
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from support import definitions
from support.waiting import PATIENCE_S

WRITES = 60
GROUP = "garbage.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def request(method: str, path: str, body: object, content_type: str) -> Request:
    headers = {"authorization": "Bearer secret", "content-type": content_type, "accept": "application/json"}
    path, _, query = path.partition("?")
    connection = ConnectionInfo("127.0.0.1", is_secure=False)
    return Request(method, path, query, headers, b"" if body is None else json.dumps(body).encode(), connection)


def thing(number: int, replicas: int, **metadata: object) -> dict[str, object]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Thing",
        "metadata": {"name": f"t-{number}", **metadata},
        "spec": {"replicas": replicas, "list": [{"a": [number]}]},
    }


def test_writes_leave_nothing_to_the_collector(tmp_path: Path, without_collector: None) -> None:
    data_dir, tokens = tmp_path / "data", tmp_path / "tokens.csv"
    data_dir.mkdir()
    tokens.write_text('secret,admin,admin,"system:masters"\n')
    pki.ensure(data_dir, "127.0.0.1", None)

    async def body() -> dict[str, int]:
        server = await apiserver.build(Config(data_dir=data_dir, token_auth_file=tokens))
        await server.start()

        async def call(method: str, path: str, body: object = None, content_type: str = "application/json") -> Response:
            answer = server.application(request(method, path, body, content_type))
            return answer if isinstance(answer, Response) else await answer

        async def count(method: str, name: str, content_type: str, replicas: int) -> int:
            """Objects that only the collector frees, after so many writes."""
            gc.collect()
            for number in range(WRITES):
                path = THINGS if method == "POST" else f"{THINGS}/t-{number}{name}"
                metadata = {}
                if method == "PUT":
                    live = json.loads(bytes((await call("GET", path)).body))
                    metadata = {"resourceVersion": live["metadata"]["resourceVersion"]}
                answer = await call(method, path, thing(number, replicas, **metadata), content_type)
                assert answer.status in (200, 201), answer.body
            return gc.collect()

        try:
            definition = definitions.of_things(GROUP)
            assert (await call("POST", DEFINITIONS, definition)).status == 201
            async with asyncio.timeout(PATIENCE_S):
                while (await call("GET", THINGS)).status != 200:
                    await asyncio.sleep(0.02)
            await count("POST", "", "application/json", 0)  # whatever is made once
            for number in range(WRITES):
                assert (await call("DELETE", f"{THINGS}/t-{number}")).status == 200
            return {
                "create": await count("POST", "", "application/json", 1),
                "update": await count("PUT", "", "application/json", 2),
                "merge patch": await count("PATCH", "", "application/merge-patch+json", 3),
                "apply": await count("PATCH", "?fieldManager=f&force=true", "application/apply-patch+yaml", 4),
            }
        finally:
            await server.stop()

    found = asyncio.run(body())
    assert all(objects < WRITES for objects in found.values()), found
