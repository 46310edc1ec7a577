"""The recordings of kube-apiserver's answers, replayed against a real server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import areas

from golden_rates import RECORDINGS, Clients, replay_all, serving

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ALL_AREAS = sorted(path.name for path in RECORDINGS.iterdir() if path.is_dir() and path.name != "__pycache__")


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    with serving() as running:
        yield running


@pytest.mark.parametrize("area", areas.WHOLE)
def test_area_is_answered_as_recorded(clients: Clients, area: str) -> None:
    found = replay_all(clients, sorted((RECORDINGS / area).glob("*.json")))
    problems = [f"{area}/{path.stem}: {text}" for path, texts in found.items() for text in texts[:3]]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("area", sorted(areas.PARTIAL))
def test_area_loses_no_recording(clients: Clients, area: str) -> None:
    _check_count(clients, area, areas.PARTIAL[area])


@pytest.mark.slow
@pytest.mark.parametrize("area", sorted(areas.PARTIAL_SLOW))
def test_slow_area_loses_no_recording(clients: Clients, area: str) -> None:
    _check_count(clients, area, areas.PARTIAL_SLOW[area])


def _check_count(clients: Clients, area: str, wanted: int) -> None:
    found = replay_all(clients, sorted((RECORDINGS / area).glob("*.json")))
    failing = [path.stem for path, texts in found.items() if texts]
    passing = len(found) - len(failing)
    print(f"{area}: {passing} of {len(found)} recordings pass")
    assert passing >= wanted, f"{area}: {passing} pass, failing: {', '.join(failing)}"


def test_every_area_is_accounted_for() -> None:
    assert sorted([*areas.WHOLE, *areas.PARTIAL, *areas.PARTIAL_SLOW]) == ALL_AREAS
