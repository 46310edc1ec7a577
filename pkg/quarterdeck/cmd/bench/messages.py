"""What a load asks for and is answered, whatever version of HTTP carries it."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from quarterdeck.cmd.client import RequestError

JSON: Final = "application/json"

Answer = tuple[int, bytes]  # status and body


class Request(NamedTuple):
    """`path`: with the root of the target. `content_type`: of the body, "" where there is none."""

    method: str
    path: str
    content_type: str = ""
    body: bytes = b""


class Unreachable(RequestError):
    """No connection can be had."""


class NotTaken(RequestError):
    """The server has not begun with the request, so that it may be sent again (RFC 9113, 8.7)."""


class Connection(Protocol):
    """What requests need of a connection. `exchange` raises RequestError where no answer comes any more, NotTaken
    among them."""

    @property
    def is_usable(self) -> bool:
        """Whether it takes another request."""

    async def exchange(self, request: Request) -> Answer: ...

    def close(self) -> None: ...
