"""The whole server in the test's own process and on its loop, without sockets: requests go to the application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quarterdeck.server import apiserver, pki
from quarterdeck.server.config import Config
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from support import definitions
from support.waiting import PATIENCE_S

JSON = "application/json"
TOKEN = "secret"


class InProcess:
    """`server` is what lifecycle would run."""

    def __init__(self, server: apiserver.APIServer) -> None:
        self.server = server
        self._connection = ConnectionInfo("127.0.0.1", is_secure=True)

    def request(self, method: str, address: str, body: Any = None, content_type: str = JSON, **headers: str) -> Request:
        """As the administrator. `body`: bytes are sent as they are, everything else as JSON; names of headers are
        written with underscores."""
        path, _, query = address.partition("?")
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"authorization": f"Bearer {TOKEN}", "accept": JSON}
        if data:
            sent["content-type"] = content_type
        sent |= {name.replace("_", "-").lower(): value for name, value in headers.items()}
        return Request(method, path, query, sent, data, self._connection)

    async def send(self, request: Request) -> Response:
        answer = self.server.application(request)
        if not isinstance(answer, Response):
            answer = await answer
        if request.on_end is not None:  # a connection calls it when all is sent
            request.on_end()
        return answer

    async def call(
        self, method: str, address: str, body: Any = None, content_type: str = JSON, **headers: str
    ) -> Response:
        return await self.send(self.request(method, address, body, content_type, **headers))

    async def define(self, definition: dict[str, Any]) -> None:
        """Returns when the definition's first version is served, and discovery tells of it, which is a moment later."""
        answer = await self.call("POST", definitions.PATH, definition)
        assert answer.status == 201, answer.body
        spec = definition["spec"]
        address = f"/apis/{spec['group']}/{spec['versions'][0]['name']}"
        await self.until_served(f"{address}/{spec['names']['plural']}")
        await self.until_served(address)

    async def until_served(self, address: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while (await self.call("GET", address)).status != 200:
                await asyncio.sleep(0.005)


@asynccontextmanager
async def running(folder: Path, users: str = "", **changed: Any) -> AsyncIterator[InProcess]:
    """A server whose data lie in `folder`. `users`: more lines of the file of tokens; `changed`: of its Config."""
    data_dir, tokens = folder / "data", folder / "tokens.csv"
    data_dir.mkdir()
    tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n{users}')
    pki.ensure(data_dir, "127.0.0.1", None)
    server = await apiserver.build(Config(data_dir=data_dir, token_auth_file=tokens, **changed))
    await server.start()
    try:
        yield InProcess(server)
    finally:
        await server.stop()
