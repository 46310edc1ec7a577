"""How long those who are refused are told to wait."""

from __future__ import annotations

from quarterdeck.flowcontrol.retryafter import RetryAfter


def test_a_few_refusals_are_told_to_come_back_in_a_second() -> None:
    told = RetryAfter()
    assert [told.note(100 + second) for second in range(5)] == [1] * 5


def test_the_wait_doubles_while_many_are_refused() -> None:
    told = RetryAfter()
    waits = [[told.note(100 + second) for _ in range(200)][-1] for second in range(70)]
    assert [waits[second] for second in (0, 1, 3, 7, 15, 31)] == [1, 2, 4, 8, 16, 32]
    assert max(waits) == 32


def test_it_falls_by_a_second_each_time_that_fewer_come() -> None:
    told = RetryAfter()
    for second in range(4):
        for _ in range(20):
            told.note(100 + second)
    assert [told.note(200 + 10 * step) for step in range(5)] == [3, 2, 1, 1, 1]
