"""JSON ends with a line break, as Go's encoder writes it, unless it is indented."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from support import in_process

AGGREGATED = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata{};v=v1;g=meta.k8s.io"
NAMESPACES = "/api/v1/namespaces"
CONFIGMAPS = f"{NAMESPACES}/default/configmaps"
READ = (
    (NAMESPACES, "*/*"),
    (f"{NAMESPACES}/default", "*/*"),
    (NAMESPACES, TABLE),
    (NAMESPACES, PARTIAL.format("List")),
    (f"{NAMESPACES}/default", PARTIAL.format("")),
    (f"{NAMESPACES}/absent", "*/*"),
    (CONFIGMAPS + "?limit=x", "*/*"),
    ("/api", "*/*"),
    ("/api/v1", "*/*"),
    ("/apis", "*/*"),
    ("/apis", AGGREGATED),
    ("/apis/apps", "*/*"),
    ("/apis/apps/v1", "*/*"),
)
WITHOUT = ("/version", "/openapi/v3", "/.well-known/openid-configuration", "/")


async def text_of(server: in_process.InProcess, method: str, address: str, body: object = None, **headers: str) -> str:
    answer = await server.call(method, address, body, **headers)
    data = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
    length = dict(answer.headers).get("Content-Length")
    assert length is None or int(length) == len(data)
    text = data.decode()
    json.loads(text)
    return text


def test_json_ends_with_a_line_break(tmp_path: Path) -> None:
    async def body() -> None:
        async with in_process.running(tmp_path) as server:
            for address, accept in READ:
                assert (await text_of(server, "GET", address, accept=accept)).endswith("}\n"), (address, accept)
                more = "&pretty=1" if "?" in address else "?pretty=1"
                indented = await text_of(server, "GET", address + more, accept=accept)
                assert indented.startswith("{\n"), (address, accept)
                assert indented.endswith("\n}"), (address, accept)
            for address in WITHOUT:
                assert (await text_of(server, "GET", address)).endswith("}"), address
            made = {"metadata": {"name": "a"}, "data": {"large": "x" * 300_000}}
            assert (await text_of(server, "POST", CONFIGMAPS, made)).endswith("}\n")
            assert (await text_of(server, "GET", CONFIGMAPS)).endswith("}\n")  # sent in pieces
            assert (await text_of(server, "DELETE", f"{CONFIGMAPS}/a")).endswith("}\n")

    asyncio.run(body())
