from typing import Final, final

CHUNK_MALFORMED: Final = -1
CHUNK_TOO_LARGE: Final = -2
CHUNK_LINE_BARE_LF: Final = -3
CHUNK_LINE_CR: Final = -4
CHUNK_LINE_TOO_LONG: Final = -5
CHUNK_LENGTH_EMPTY: Final = -6
CHUNK_LENGTH_INVALID: Final = -7
CHUNK_LENGTH_TOO_LARGE: Final = -8
CHUNK_EXCESS: Final = -9

@final
class ChunkedBody:
    def __new__(cls, body_max: int) -> ChunkedBody: ...
    @property
    def is_done(self) -> bool: ...
    def take(self) -> bytes: ...
    def feed(self, data: bytes, start: int) -> int: ...
