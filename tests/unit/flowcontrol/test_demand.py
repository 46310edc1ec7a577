"""What a level has asked for in a while, and what is made of it."""

from __future__ import annotations

import pytest

from quarterdeck.flowcontrol.demand import Demand


def test_the_average_and_its_spread_are_over_time() -> None:
    demand = Demand(0.0)
    demand.set(10, 2.0)  # none for two seconds, ten for three, four for five
    demand.set(4, 5.0)
    demand.look(10.0)
    assert demand.high == 10
    assert demand.average == pytest.approx(5.0)
    assert demand.deviation == pytest.approx(((2 * 25 + 3 * 25 + 5 * 1) / 10) ** 0.5)
    assert demand.smoothed == pytest.approx(demand.average + demand.deviation)


def test_what_is_smoothed_rises_at_once_and_falls_slowly() -> None:
    demand = Demand(0.0)
    demand.set(100, 0.0)
    demand.look(10.0)
    assert demand.smoothed == pytest.approx(100)
    demand.set(0, 10.0)
    demand.look(20.0)
    assert (demand.high, demand.smoothed) == (100, pytest.approx(97.7))
    demand.look(30.0)
    assert (demand.high, demand.smoothed) == (0, pytest.approx(97.7 * 0.977))
