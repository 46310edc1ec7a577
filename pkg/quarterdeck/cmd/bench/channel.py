"""The way of a load's requests to the server: a connection, and another one after it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from quarterdeck.cmd.bench.messages import Answer, Connection, NotTaken, Request, Unreachable

Connect = Callable[[], Awaitable[Connection]]


class Channel:
    """`exchange` fails with RequestError where a request gets no answer, and with Unreachable, from then on, where no
    connection can be had any more. What was under way on a connection that is lost is sent again only where the server
    has told that it did not take it, as one of HTTP/2 does that asks to connect anew. The caller's time bounds it."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._connecting = asyncio.Lock()
        self._failure = ""

    async def open(self) -> None:
        """Raises Unreachable."""
        await self._usable()

    async def exchange(self, request: Request) -> Answer:
        while True:
            connection = self._connection
            if connection is None or not connection.is_usable:
                connection = await self._usable()
            try:
                return await connection.exchange(request)
            except NotTaken:
                if connection.is_usable:
                    raise  # it refuses this request, and takes others

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _usable(self) -> Connection:
        """One connection for all who have found that the last one takes no more."""
        async with self._connecting:
            if self._failure:
                raise Unreachable(self._failure)
            if self._connection is None or not self._connection.is_usable:
                try:
                    self._connection = await self._connect()
                except Unreachable as error:
                    self._failure = str(error)
                    raise
            return self._connection
