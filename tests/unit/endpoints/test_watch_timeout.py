"""How long a watch lasts."""

from __future__ import annotations

import random

import pytest

from quarterdeck.endpoints.handlers.watch import WatchHandler, time_watch_lists
from quarterdeck.metrics.registry import Registry


def timeout_s(minimum_s: int, given_s: int | None) -> float:
    return WatchHandler(minimum_s, time_watch_lists(Registry()))._timeout_s(given_s)


@pytest.mark.parametrize(("luck", "expected_s"), [(0.0, 1800), (0.5, 2700), (0.999, 3598.2)])
def test_without_a_timeout_it_lasts_once_to_twice_the_minimum(
    luck: float, expected_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "random", lambda: luck)
    for nothing in (None, 0):
        assert timeout_s(1800, nothing) == pytest.approx(expected_s)


def test_a_timeout_is_kept_whatever_the_minimum_is() -> None:
    assert timeout_s(1800, 7) == 7
    assert timeout_s(0, 7) == 7


@pytest.mark.parametrize("minimum_s", [0, 1800])
def test_a_negative_timeout_has_passed_already(minimum_s: int) -> None:
    assert timeout_s(minimum_s, -5) == -5
    assert timeout_s(0, None) == 0
