"""The files of the page as they are served: read once at the start, a few dozen kilobytes in all.

The policy lets the page run the scripts that stand in these files and nothing else, ask this port and nobody else, and
be in no frame. Trusted Types leave no way by which a text of an object could become part of the page's markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from quarterdeck.transport.messages import Headers, Response

_FOLDER: Final = "page"
_INDEX: Final = "index.html"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final[Headers] = [
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
]


class File(NamedTuple):
    content_type: str
    data: bytes

    def respond(self) -> Response:
        return Response(200, [("Content-Type", self.content_type), *_HEADERS], self.data)


def load() -> dict[str, File]:
    """By path."""
    found = {}
    for each in Path(__file__).with_name(_FOLDER).iterdir():
        content_type = _TYPES.get(each.suffix)
        if content_type is not None:
            found[f"/{each.name}"] = File(content_type, each.read_bytes())
    found["/"] = found.pop(f"/{_INDEX}")
    return found
