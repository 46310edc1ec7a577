"""The four forms of OpenAPI documents."""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """How documents are encoded. Client-go asks for PROTOBUF_2 and JSON_3."""

    JSON_2 = "v2 in JSON"
    PROTOBUF_2 = "v2 in protobuf"
    JSON_3 = "v3 in JSON"
    PROTOBUF_3 = "v3 in protobuf"

    @property
    def is_v2(self) -> bool:
        return self in (Form.JSON_2, Form.PROTOBUF_2)
