"""A whole server and a conversion webhook: one that fails in whatever way, and one that many watchers wait for."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.registry.customresource import webhook
from quarterdeck.transport.messages import Response, Stream
from support import conversion_hook, definitions, in_process
from support.certificates import Certificate
from support.conversion_hook import Behave, ConversionHook, Review, answer, raw
from support.origin import Origin, serving
from support.waiting import PATIENCE_S, until
from support.watch_client import RecordingWriter

GROUP = "converted.example.com"
THINGS = f"/apis/{GROUP}/%s/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE = "application/merge-patch+json"
FAILED = f"conversion webhook for {GROUP}/v1, Kind=Thing failed: "
POST = FAILED + 'Post "https://localhost:'
CONTENT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}
MAPS = "/api/v1/namespaces/default/configmaps"


@asynccontextmanager
async def serve(
    folder: Path, *versions: str, conversion: dict[str, Any] | None = None
) -> AsyncIterator[tuple[in_process.InProcess, ConversionHook]]:
    """A definition whose first version is the one that is stored."""
    async with (
        conversion_hook.running(folder) as hook,
        in_process.running(folder) as server,
        asyncio.timeout(PATIENCE_S),
    ):
        served = [definitions.version(name=name, is_storage=name == versions[0]) for name in versions]
        definition = definitions.of_things(GROUP, *served)
        definition["spec"]["conversion"] = conversion or hook.conversion()
        await server.define(definition)
        yield server, hook


def thing(name: str, version: str = "v1", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Thing", "metadata": {"name": name}, "spec": spec}


def message(answered: Response) -> str:
    assert isinstance(answered.body, bytes)
    return str(json.loads(answered.body).get("message", ""))


def writing(*pieces: bytes, then_closes: bool = False) -> Behave:
    async def behave(_: Review, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
        if then_closes:
            raise ConnectionError

    return behave


async def drip(_: Review, writer: asyncio.StreamWriter) -> None:
    """Always one more byte, never the last."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.001)


async def hang(_: Review, _writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def answer_another(review: Review, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(review, uid="other"))


async def answer_less(review: Review, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(review, convertedObjects=[]))


FAILURES: dict[str, tuple[Behave, str]] = {
    "hanging": (hang, POST),
    "dripping": (drip, FAILED),
    "garbage": (writing(raw(b"[1, ")), FAILED),
    "no HTTP": (writing(b"?" * 100), POST),
    "nothing": (writing(then_closes=True), POST),
    "half of it": (writing(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", then_closes=True), FAILED),
    "wrong uid": (answer_another, FAILED + 'expected response.uid="'),
    "too few": (answer_less, f"conversion webhook for {GROUP}/v1, Kind=Thing returned 0 objects, expected 1"),
    "redirect": (writing(raw(b"", 307, b"Location: /other")), FAILED + "the server responded with the status code 307"),
    "oversized": (writing(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"), FAILED),
}
SLOW = ("hanging", "dripping")


@pytest.mark.parametrize("name", FAILURES)
async def test_a_webhook_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    behave, text = FAILURES[name]
    async with serve(tmp_path, "v1", "v2") as (server, hook):
        assert (await server.call("POST", THINGS % "v1", thing("a"))).status == 201
        hook.behave = behave
        if name in SLOW:
            monkeypatch.setattr(webhook, "TIMEOUT_S", 0.05)
        for method, address, body in (
            ("GET", f"{THINGS % 'v2'}/a", None),
            ("GET", THINGS % "v2", None),
            ("PATCH", f"{THINGS % 'v2'}/a", {"spec": {"x": 1}}),
            ("DELETE", f"{THINGS % 'v2'}/a", None),
            ("DELETE", THINGS % "v2", None),
        ):
            refused = await server.call(method, address, body, MERGE)
            assert (refused.status, message(refused)[: len(text)]) == (500, text)
            if name in SLOW:
                assert "context deadline exceeded" in message(refused)
        stream = await server.call("GET", f"{THINGS % 'v2'}?watch=true")
        assert isinstance(stream, Stream)
        stream.opened(writer := RecordingWriter())
        await until(lambda: writer.is_ended)
        assert writer.events == []
        # The version that is stored goes on, and the other one as soon as the webhook does.
        assert (await server.call("PATCH", f"{THINGS % 'v1'}/a", {"spec": {"x": 2}}, MERGE)).status == 200
        hook.behave = None
        monkeypatch.setattr(webhook, "TIMEOUT_S", 30.0)
        shown = await server.call("GET", f"{THINGS % 'v2'}/a")
        assert json.loads(bytes(shown.body))["spec"] == {"x": 2}  # type: ignore[arg-type]


async def test_nobody_else_waits_for_a_webhook_that_hangs(tmp_path: Path) -> None:
    async with serve(tmp_path, "v1", "v2") as (server, hook):
        assert (await server.call("POST", THINGS % "v1", thing("a"))).status == 201
        goes_on = asyncio.Event()

        async def wait(review: Review, writer: asyncio.StreamWriter) -> None:
            await goes_on.wait()
            writer.write(answer(review))

        hook.behave = wait
        waiting = [
            asyncio.ensure_future(server.call(method, address, body, MERGE))
            for method, address, body in (
                ("GET", f"{THINGS % 'v2'}/a", None),
                ("GET", THINGS % "v2", None),
                ("PATCH", f"{THINGS % 'v2'}/a", {"spec": {"x": 1}}),
            )
        ]
        stream = await server.call("GET", f"{THINGS % 'v2'}?watch=true")
        assert isinstance(stream, Stream)
        stream.opened(writer := RecordingWriter())
        await hook.asked.wait()
        assert (await server.call("POST", MAPS, CONTENT)).status == 201
        assert (await server.call("POST", THINGS % "v1", thing("b"))).status == 201
        assert (await server.call("GET", THINGS % "v1")).status == 200
        assert (await server.call("PATCH", f"{THINGS % 'v1'}/b", {"spec": {"x": 1}}, MERGE)).status == 200
        assert (await server.call("DELETE", f"{THINGS % 'v1'}/b")).status == 200
        assert not any(request.done() for request in waiting)
        goes_on.set()
        assert [answered.status for answered in await asyncio.gather(*waiting)] == [200, 200, 200]
        await until(lambda: any(event.type == "MODIFIED" for event in writer.events))


async def cut(_: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)  # of the handshake


async def plain(_: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(raw(b"{}"))
    await reader.read()


@pytest.mark.parametrize("handle", [cut, plain])
async def test_a_webhook_without_tls(tmp_path: Path, handle: Any) -> None:
    async with serving(handle) as origin, serve(tmp_path, "v1", "v2") as (server, hook):
        await check_broken(server, hook.conversion(url=f"https://localhost:{origin.port}/convert"))


async def test_a_webhook_whose_certificate_is_for_another_or_of_another_authority(tmp_path: Path) -> None:
    async with serve(tmp_path, "v1", "v2") as (server, hook):
        other = Certificate("other", is_authority=True)
        bundle = base64.b64encode(other.pem).decode()
        for changed in ({"url": f"https://127.0.0.2:{hook.port}/convert"}, {"caBundle": bundle}):
            await check_broken(server, hook.conversion(**changed))
        assert hook.calls == 0


async def check_broken(server: in_process.InProcess, conversion: dict[str, Any]) -> None:
    patch = {"spec": {"conversion": conversion}}
    assert (await server.call("PATCH", DEFINITION, patch, MERGE)).status == 200
    await server.call("POST", THINGS % "v1", thing("a"))
    refused = await server.call("GET", f"{THINGS % 'v2'}/a")
    assert refused.status == 500
    assert message(refused).startswith(FAILED + 'Post "https://')
    assert '/convert?timeout=30s": ' in message(refused)
    assert (await server.call("GET", f"{THINGS % 'v1'}/a")).status == 200


WATCHERS = 100


async def test_an_event_is_converted_once_for_all_watchers_of_a_version(tmp_path: Path) -> None:
    async with serve(tmp_path, "v3", "v1", "v2") as (server, hook):
        watchers: dict[str, list[RecordingWriter]] = {"v1": [], "v2": [], "v3": []}
        for version, writers in watchers.items():
            for _ in range(WATCHERS):
                stream = await server.call("GET", f"{THINGS % version}?watch=true&resourceVersion=0")
                assert isinstance(stream, Stream)
                stream.opened(writer := RecordingWriter())
                writers.append(writer)
        for number in range(5):
            made = await server.call("POST", THINGS % "v3", thing(f"t{number}", "v3"))
            assert made.status == 201
            for value in range(3):
                changed = {"spec": {"value": value}}
                address = f"{THINGS % 'v3'}/t{number}"
                assert (await server.call("PATCH", address, changed, MERGE)).status == 200
        assert (await server.call("DELETE", f"{THINGS % 'v3'}/t0")).status == 200
        everybody = [writer for writers in watchers.values() for writer in writers]
        await until(lambda: all(len(writer.events) == 21 for writer in everybody))

        (told,) = {tuple(writer.shown) for writer in everybody}  # all are told the same
        assert Counter(line.split()[0] for line in told) == {"ADDED": 5, "MODIFIED": 15, "DELETED": 1}
        for version, writers in watchers.items():
            assert all(f'"apiVersion":"{GROUP}/{version}"'.encode() in writer.data[0] for writer in writers)
        # An event of a deletion shows the object as it was, at another revision.
        assert Counter(hook.converted) == {
            (f"t{number}", generation, version): 2 if (number, generation) == (0, 4) else 1
            for number in range(5)
            for generation in range(1, 5)
            for version in ("v1", "v2")
        }
        assert Counter(version for _, _, version in hook.converted) == {"v1": 21, "v2": 21}
