"""How seats are shared among levels that borrow: by targets, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.flowcontrol.allocation import Class, allocate


def test_without_bounds_in_the_way_seats_follow_targets() -> None:
    found = allocate(60, [Class(10, 0, 100), Class(20, 5, 100)])
    assert found.seats == [pytest.approx(20), pytest.approx(40)]
    assert found.fraction == pytest.approx(2)


def test_a_bound_that_is_reached_leaves_more_to_others() -> None:
    # 30, 60 would be twice the targets; the first may have 12 at most, the second gets what is left.
    found = allocate(60, [Class(10, 0, 12), Class(20, 5, 100)])
    assert found.seats == [pytest.approx(12), pytest.approx(48)]
    assert found.fraction == pytest.approx(2.4)


def test_lower_bounds_are_kept_when_seats_are_few() -> None:
    # The first needs its 9; 11 are left for the others, whose targets are 10 and 20.
    found = allocate(20, [Class(10, 9, 50), Class(10, 0, 50), Class(20, 0, 50)])
    assert found.seats == [pytest.approx(9), pytest.approx(11 / 3), pytest.approx(22 / 3)]


def test_what_bounds_do_not_allow_is_refused() -> None:
    with pytest.raises(ValueError, match="lower bounds sum to 12"):
        allocate(10, [Class(12, 12, 20)])
    with pytest.raises(ValueError, match="upper bounds sum to 20"):
        allocate(30, [Class(12, 12, 20)])


_classes = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 80)).map(
        lambda three: Class(three[0] + three[1], three[0], three[0] + three[2])
    ),
    min_size=1,
    max_size=8,
)


@given(_classes, st.floats(0, 1))
def test_each_class_has_its_multiple_or_is_at_a_bound(classes: list[Class], place: float) -> None:
    low, high = sum(each.low for each in classes), sum(each.high for each in classes)
    total = round(low + place * (high - low))
    found = allocate(total, classes)
    assert sum(found.seats) == pytest.approx(total, abs=1e-5)
    for each, seats in zip(classes, found.seats, strict=True):
        assert each.low - 1e-6 <= seats <= each.high + 1e-6
        if total not in (0, low, high):
            wanted = found.fraction * max(each.target, 0.001)
            assert seats == pytest.approx(min(max(wanted, each.low), each.high), abs=1e-5)
