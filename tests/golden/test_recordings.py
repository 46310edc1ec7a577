"""The recordings of kube-apiserver's answers, replayed against a real server."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import areas
import recordings
from recordings import Recording

from golden_rates import Differences, Target, replay_again, replay_all, replaying, serving

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

Replays = dict[str, Future[Differences]]  # by full name

_MORE = "python tests/golden_rates.py -v {} shows more"


def mark(area: str) -> object:
    return pytest.param(area, marks=pytest.mark.slow if area in areas.SLOW else (), id=area)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def replays(target: Target, request: pytest.FixtureRequest) -> Iterator[Replays]:
    """All areas that are asked for side by side: one waits where another keeps the server busy."""
    asked = [item.callspec.params["area"] for item in request.session.items if "replays" in fixtures_of(item)]
    wanted = [each for area in asked for each in of_area(area)]
    gc.freeze()  # they are millions of objects, and live until the end
    with replaying(target, wanted) as found:
        yield found
    recordings.of_area.cache_clear()


def fixtures_of(item: pytest.Item) -> list[str]:
    is_mine = isinstance(item, pytest.Function) and item.module.__name__ == __name__
    return item.fixturenames if is_mine else []


def of_area(area: str) -> list[Recording]:
    return [each for each in recordings.of_area(area) if not areas.takes_long(each)]


@pytest.mark.parametrize("area", [mark(area) for area in recordings.areas()])
def test_area_is_answered_as_recorded(target: Target, replays: Replays, area: str) -> None:
    """But for the recordings that are known to differ, by their names; none of these may agree unnoticed either."""
    wanted = of_area(area)
    alone = {each.full_name: target.replay(each) for each in wanted if each.is_alone}
    check(target, [(each, alone.get(each.full_name) or replays[each.full_name].result()) for each in wanted])


@pytest.mark.slow
def test_random_scenarios_that_run_alone_are_answered_as_recorded(target: Target) -> None:
    check(target, replay_all(target, [each for each in recordings.find(["fuzz"]) if areas.takes_long(each)]))


def first(differences: Differences) -> list[str]:
    return [text for texts in differences for text in texts][:3]


def check(target: Target, found: list[tuple[Recording, Differences]]) -> None:
    known = recordings.known_differences()
    unknown = replay_again(target, [(each, texts) for each, texts in found if each.full_name not in known])
    problems = [f"{each.full_name}: {text}" for each, texts in unknown for text in first(texts)]
    assert not problems, "\n".join([*problems, _MORE.format(" ".join(each.full_name for each, _ in unknown))])
    agreeing = [each.full_name for each, texts in found if not any(texts) and each.full_name in known]
    assert not agreeing, f"take out of {recordings.KNOWN.name}: {' '.join(agreeing)} (golden_rates.py --update)"


def test_the_lists_name_what_is_there() -> None:
    assert recordings.known_differences() <= {each.full_name for each in recordings.find([])}
    assert set(areas.SLOW) <= set(recordings.areas())
