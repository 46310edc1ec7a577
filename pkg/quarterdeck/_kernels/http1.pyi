from typing import Final

KEEP_ALIVE: Final = 1
CHUNKED: Final = 2
EXPECT_CONTINUE: Final = 4
EXPECT_OTHER: Final = 8
HTTP_1_0: Final = 16
OTHER_FORM: Final = 32

BAD_REQUEST: Final = 1
HOST_MISSING: Final = 2
HOST_MALFORMED: Final = 3
HEADER_VALUE_INVALID: Final = 4
TRANSFER_ENCODING_UNSUPPORTED: Final = 5
VERSION_UNSUPPORTED: Final = 6
HEAD_TOO_LARGE: Final = 7
HEADER_NAME_INVALID: Final = 8

# method, path, query, headers, content length or -1, flags, offset behind the head
_Head = tuple[str, str, str, dict[str, str], int, int, int]

class LastFields: ...

def parse_head(
    data: bytes | bytearray, start: int, head_max: int, fields_max: int, last: LastFields | None = None
) -> _Head | int | None: ...
