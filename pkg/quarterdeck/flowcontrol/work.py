"""What a request is expected to cost. Source: apiserver/pkg/util/flowcontrol/request/width.go."""

from __future__ import annotations

from typing import Final, NamedTuple

# How long any request is expected to take; what it really took is set right at its end.
SERVICE_S: Final = 0.003


class Work(NamedTuple):
    """`seats` while it is served, `final_seats` for `latency_s` after its answer: for what it leaves others to do.
    `is_write`: what is asked for is neither get nor list nor watch."""

    seats: int = 1
    final_seats: int = 0
    latency_s: float = 0.0
    is_write: bool = False

    @property
    def width(self) -> int:
        """Seats that are taken from its start to its end."""
        return max(self.seats, self.final_seats)

    @property
    def amount(self) -> float:
        """In seat-seconds."""
        return self.seats * SERVICE_S + self.final_seats * self.latency_s


ONE_SEAT: Final = Work()
WRITE_SEAT: Final = Work(is_write=True)
