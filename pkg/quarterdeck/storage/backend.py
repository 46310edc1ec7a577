"""What the server asks of the store at the bottom beside reads and writes: how it is, for health and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from quarterdeck._kernels.metrics import Histogram
from quarterdeck.storage.interface import Storage


@dataclass(frozen=True, slots=True)
class Stats:
    """For metrics. `commits` and `rows` count since the start; `size_bytes` is what the store takes up;
    `commit_durations` are those of its commits, until they are durable, where it makes any."""

    commits: int
    rows: int
    pending_rows: int
    pending_bytes: int
    size_bytes: int
    commit_durations: Histogram | None = None


class Leasing(Protocol):
    """A store that several servers share, and that lets go of keys by itself."""

    async def keep(self, key: str, value: bytes, ttl_s: int) -> None:
        """Write a key, whatever it is, for as long as that. Raises Unavailable."""


class Backend(Storage, Protocol):
    """A store that transforms nothing and stands on no other."""

    @property
    def kind(self) -> str:
        """Its name in metrics."""

    @property
    def is_available(self) -> bool:
        """Whether writes are still acknowledged."""

    @property
    def is_space_short(self) -> bool:
        """Whether only deletions are taken, for want of room."""

    def stats(self) -> Stats: ...
