"""Which streams of a connection a client has used and ended: nothing for Python. Body: ext/http2past.pyx."""

from typing import final

@final
class Past:
    def __new__(cls) -> Past: ...
