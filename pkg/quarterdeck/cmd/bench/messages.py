"""What a load asks for and is answered, whatever version of HTTP carries it."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

JSON: Final = "application/json"

Answer = tuple[int, bytes]  # status and body


class Request(NamedTuple):
    """`path`: with the root of the target. `content_type`: of the body, "" where there is none."""

    method: str
    path: str
    content_type: str = ""
    body: bytes = b""


class Connection(Protocol):
    """What requests need of a connection. `exchange` raises RequestError where no answer comes any more."""

    async def exchange(self, request: Request) -> Answer: ...

    def close(self) -> None: ...
