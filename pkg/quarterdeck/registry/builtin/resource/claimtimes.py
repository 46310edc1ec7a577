"""The time of a claim that Go compares to a part of a second."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.senttimes import SentTimes

TIMES: Final = SentTimes("status.allocation.allocationTimestamp")
