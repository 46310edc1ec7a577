"""Takes out of an answer what chance, time or the order of controllers' writes decide, so that answers can be compared.

Patterns work on JSON, on JSON quoted in JSON (backslashes before its quotes), YAML and protobuf alike. They never take
out so much that a member, a message or a length is lost.
"""

from __future__ import annotations

import re
from typing import Final

# What may stand between a member's name and its value.
_MEMBER: Final = rb"\\*\"?: ?\\*[\"']?"
_PATTERNS: Final = (
    (rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", b"UID"),
    (rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", b"TIME"),
    # The end of a generated name.
    (rb'(?<=[a-z0-9-]-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=["\\])', b"NAME"),
    # Controllers write as well. In protobuf it is field 6 of ObjectMeta and field 2 of ListMeta.
    (rb"(resourceVersion" + _MEMBER + rb")\d+", rb"\1REVISION"),
    (rb"([2\x12])[\x01-\x0a]\d+", rb"\1REVISION"),
    # Addresses and ports of services: the first free one from a random place on.
    (rb"\b10\.0\.0\.\d+\b", b"ADDRESS"),
    (rb"(nodePort" + _MEMBER + rb")3\d{4}", rb"\1PORT"),
    (rb"(healthCheckNodePort" + _MEMBER + rb")3\d{4}", rb"\1PORT"),
    # The name of the type of self in errors of rules.
    (rb"selfType\d+", b"selfType"),
)
_COMPILED: Final = tuple((re.compile(pattern), name) for pattern, name in _PATTERNS)


def level(body: bytes) -> bytes:
    for pattern, name in _COMPILED:
        body = pattern.sub(name, body)
    return body
