"""How many seats a level could have used: the average and spread over time since the last look, and a smoothed course.

Source: apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go, apf_controller.go (seatDemandStats).
"""

from __future__ import annotations

import math
from typing import Final

# What is left of an old peak after ten seconds: half of it after five minutes.
_SMOOTHING: Final = 0.977


class Demand:
    """`seats` is the demand right now. `average`, `deviation` and `high` are of the time before the last `look`;
    `smoothed` rises at once and falls slowly."""

    __slots__ = ("_area", "_area_squared", "_begin_s", "_peak", "_since_s", "average", "deviation", "high", "seats",
                 "smoothed")  # fmt: skip

    def __init__(self, now_s: float) -> None:
        self.seats = 0
        self.average = self.deviation = self.smoothed = 0.0
        self.high = 0
        self._since_s = self._begin_s = now_s
        self._area = self._area_squared = 0.0
        self._peak = 0

    def set(self, seats: int, now_s: float) -> None:
        if seats == self.seats:
            return
        self._advance(now_s)
        self.seats = seats
        self._peak = max(self._peak, seats)

    def note_peak(self, seats: int) -> None:
        """So many were wanted for no time at all."""
        self._peak = max(self._peak, seats)

    def look(self, now_s: float) -> None:
        """Takes stock, and begins anew."""
        self._advance(now_s)
        self.high = self._peak
        elapsed_s = now_s - self._begin_s
        if elapsed_s > 0:
            self.average = self._area / elapsed_s
            self.deviation = math.sqrt(max(self._area_squared / elapsed_s - self.average**2, 0.0))
            envelope = self.average + self.deviation
            self.smoothed = max(envelope, _SMOOTHING * self.smoothed + (1 - _SMOOTHING) * envelope)
        self._begin_s = now_s
        self._area = self._area_squared = 0.0
        self._peak = self.seats

    def _advance(self, now_s: float) -> None:
        passed_s = now_s - self._since_s
        self._since_s = now_s
        self._area += self.seats * passed_s
        self._area_squared += self.seats * self.seats * passed_s
