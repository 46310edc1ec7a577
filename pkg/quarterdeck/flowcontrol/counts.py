"""What is counted for a flow schema."""

from __future__ import annotations

from quarterdeck.metrics.registry import Histogram


class SchemaCounts:
    """What is counted for a flow schema on its level; `rejected` by reason."""

    __slots__ = (
        "dispatched",
        "executing",
        "executing_seats",
        "executions",
        "lengths",
        "no_accommodation",
        "refused_waits",
        "rejected",
        "seats",
        "waiting",
        "waiting_seats",
        "waits",
        "watch_counts",
        "watch_executions",
    )

    def __init__(self, histograms: tuple[Histogram, ...]) -> None:
        """The histograms in the order of meters.py."""
        self.dispatched = self.executing = self.executing_seats = 0
        self.waiting = self.waiting_seats = self.no_accommodation = 0
        self.rejected: dict[str, int] = {}
        self.waits, self.refused_waits, self.executions, self.watch_executions = histograms[:4]
        self.lengths, self.seats, self.watch_counts = histograms[4:]

    @property
    def is_busy(self) -> bool:
        return bool(self.executing or self.executing_seats or self.waiting)

    def reject(self, reason: str) -> None:
        self.rejected[reason] = self.rejected.get(reason, 0) + 1
