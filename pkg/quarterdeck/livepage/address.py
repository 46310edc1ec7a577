"""Where the page is, and its token: they stand in DIR/live-page.url, which only the owner of the server may read.

A server that starts again takes both from there, so that an open page goes on. Who removes the file has new ones made.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Final, NamedTuple

FILE: Final = "live-page.url"
_TOKEN_BYTES: Final = 32
_URL: Final = re.compile(r"http://127\.0\.0\.1:(\d{1,5})/#token=([\w-]{43})\n")


class Address(NamedTuple):
    """`port` 0: a free one."""

    port: int
    token: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/#token={self.token}"


def read(folder: Path) -> Address:
    """Of the server that was here before; a new one where there was none. Raises OSError."""
    try:
        match = _URL.fullmatch((folder / FILE).read_text())
    except (FileNotFoundError, UnicodeDecodeError):
        match = None
    if match is None:
        return Address(0, secrets.token_urlsafe(_TOKEN_BYTES))
    return Address(int(match[1]), match[2])
