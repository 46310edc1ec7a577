"""Where the objects of a resource are stored: "/registry/<group>/<resource>/"."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from quarterdeck.storage.cacher.stored import CORE

ROOT: Final = "/registry/"
_KNOWN_MAX: Final = 1024


@lru_cache(_KNOWN_MAX)
def build_prefix(group: str, resource: str) -> str:
    return f"{ROOT}{group or CORE}/{resource}/"


def prefix_of(key: str) -> str:
    return key[: key.index("/", key.index("/", len(ROOT)) + 1) + 1]
