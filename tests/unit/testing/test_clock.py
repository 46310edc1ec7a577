"""What tests may call times and durations, and what becomes of it on the way to the server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from quarterdeck.testing import clock
from quarterdeck.testing.clock import Clock, ClockError


def test_durations_and_times_are_told_as_the_server_reads_them() -> None:
    assert clock.format_duration("1h30m") == "1h30m"
    assert clock.format_duration(90) == "90.000000000s"
    assert clock.format_duration(timedelta(minutes=-1, milliseconds=1)) == "-59.999000000s"
    assert clock.format_time("2026-01-01T00:00:00Z") == "2026-01-01T00:00:00Z"
    assert clock.format_time(datetime(2026, 1, 1)) == "2026-01-01T00:00:00Z"
    assert clock.format_time(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2)))) == "2025-12-31T22:00:00Z"
    assert clock.parse_time("2026-01-01T00:00:00.250000Z") == datetime(2026, 1, 1, microsecond=250_000, tzinfo=UTC)


def test_a_clock_is_asked_for_with_a_time_or_now() -> None:
    assert clock.flags_of(False, None) == []
    assert clock.flags_of(True, None) == ["--virtual-clock=now"]
    assert clock.flags_of("2026-01-01T00:00:00Z", 7) == ["--virtual-clock=2026-01-01T00:00:00Z", "--seed=7"]
    assert clock.query_of(datetime(2026, 1, 1), None) == {"clock": "2026-01-01T00:00:00Z"}
    assert clock.query_of(False, 7) == {"clock": "now", "seed": "7"}


def test_what_goes_wrong_is_told() -> None:
    answers: list[tuple[int, Any]] = []

    def call(method: str, path: str, body: object = None) -> tuple[int, Any]:
        return answers.pop()

    for answer, text in (
        ((404, "404 page not found"), "no virtual clock here"),
        ((400, {"message": "advance: no"}), "advance: no"),
        ((200, {"now": "2026-01-01T00:00:00Z", "settled": False}), "has not done yet"),
    ):
        answers.append(answer)
        with pytest.raises(ClockError, match=text):
            Clock(call).advance("1s")
