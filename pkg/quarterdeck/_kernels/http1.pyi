from typing import Final, final

KEEP_ALIVE: Final = 1
CHUNKED: Final = 2
EXPECT_CONTINUE: Final = 4
EXPECT_OTHER: Final = 8
HTTP_1_0: Final = 16

BAD_REQUEST: Final = 1
HOST_MISSING: Final = 2
HOST_MALFORMED: Final = 3
HEADER_VALUE_INVALID: Final = 4
TRANSFER_ENCODING_UNSUPPORTED: Final = 5
VERSION_UNSUPPORTED: Final = 6
HEAD_TOO_LARGE: Final = 7

CHUNK_MALFORMED: Final = -1
CHUNK_TOO_LARGE: Final = -2

# method, path, query, headers, content length or -1, flags, offset behind the head
_Head = tuple[str, str, str, dict[str, str], int, int, int]

def parse_head(data: bytes | bytearray, start: int, head_max: int, fields_max: int) -> _Head | int | None: ...
def build_head(
    status_line: bytes,
    headers: list[tuple[str, str]],
    content_length: int,
    date_line: bytes,
    closes: bool,
    body: bytes | None = None,
) -> bytes: ...
def unquote_plus(text: str) -> str:
    """urllib.parse.unquote_plus, at the same cost for each character. A `%` without two digits stays."""

@final
class ChunkedBody:
    def __new__(cls, body_max: int) -> ChunkedBody: ...
    @property
    def is_done(self) -> bool: ...
    def take(self) -> bytes: ...
    def feed(self, data: bytes, start: int) -> int: ...
