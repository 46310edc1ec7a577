"""The fields of heads that a connection has sent before: nothing for Python. Body: ext/http2known.pyx."""

from typing import final

@final
class Field: ...

@final
class KnownFields: ...
