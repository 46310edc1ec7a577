"""HTTP/2 of one connection, on the server's side. Body: ext/http2.pyx."""

from collections.abc import Callable
from typing import Final, final

from quarterdeck._kernels.http2stream import Stream, Wire

HEAD: Final = 0
REQUEST: Final = 1
ROOM: Final = 2
CLOSED: Final = 3
REFUSED: Final = 4
FULL: Final = 5

NOISY: Final = 1
BROKEN: Final = 2

NO_ERROR: Final = 0
PROTOCOL_ERROR: Final = 1
INTERNAL_ERROR: Final = 2
REFUSED_STREAM: Final = 7
CANCEL: Final = 8
ENHANCE_YOUR_CALM: Final = 11
INADEQUATE_SECURITY: Final = 12

def count_alive() -> int: ...

@final
class Session(Wire):
    def __new__(
        cls,
        on_output: Callable[[], object],
        streams_max: int,
        head_bytes_max: int,
        fields_max: int,
        body_bytes_max: int,
        window_bytes: int,
    ) -> Session: ...
    @property
    def streams_count(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def trouble(self) -> int: ...
    def forgive(self) -> None: ...
    def receive(self, data: bytes) -> list[tuple[int, Stream]]: ...
    def take_events(self) -> list[tuple[int, Stream]]: ...
    def take(self, bytes_max: int) -> bytes: ...
    def answer(
        self,
        stream: Stream,
        status: int,
        headers: list[tuple[str, str]],
        content_length: int,
        date_line: bytes,
        has_body: bool,
        body: bytes | None = None,
    ) -> None: ...
    def go_on(self, stream: Stream) -> None: ...
    def warn(self) -> None: ...
    def leave(self) -> None: ...
    def terminate(self, code: int) -> None: ...
    def close(self) -> list[Stream]: ...
