"""The values of flags, as Go reads them."""

from __future__ import annotations

import pytest

from quarterdeck.cmd.values import parse_duration_s, parse_watch_cache_sizes


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("1s", 1),
        ("300ms", 0.3),
        ("1h45m", 6300),
        ("1.5m", 90),
        (".5s", 0.5),
        ("+2us", 2e-6),
        ("1m0.5s", 60.5),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "1", "s", "1d", "-1s", "1s ", "1 s", "1e3s", "١s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"^time: .* duration"):
        parse_duration_s(text)


def test_sizes_of_watch_caches() -> None:
    given = ["pods#0,widgets.example.com#500", "pods#7"]
    assert parse_watch_cache_sizes(given) == {("", "pods"): 7, ("example.com", "widgets"): 500}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pods", "invalid value of watch cache size: pods"),
        ("pods#1#2", "invalid value of watch cache size: pods#1#2"),
        ("pods#x", "invalid size of watch cache size: pods#x"),
        ("pods#", "invalid size of watch cache size: pods#"),
        ("pods#-1", "watch cache size cannot be negative: pods#-1"),
    ],
)
def test_sizes_that_are_none(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        parse_watch_cache_sizes([text])
