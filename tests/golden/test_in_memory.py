"""Recordings of areas that lean on the store, replayed against a server that holds its objects in memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import areas
import recordings

from golden_rates import replay_again, replay_all, serving

pytestmark = pytest.mark.e2e

AREAS = ["crud", "delete", "list", "namespace", "watch", "watchlist"]


def test_an_ephemeral_server_answers_as_recorded() -> None:
    wanted = [each for each in recordings.find(AREAS) if not each.is_random and not areas.takes_long(each)]
    known = recordings.known_differences()
    with serving("--ephemeral") as target:
        found = [(each, texts) for each, texts in replay_all(target, wanted) if each.full_name not in known]
        differing = replay_again(target, found)
    problems = [f"{each.full_name}: {text}" for each, texts in differing for found in texts for text in found]
    assert not problems, "\n".join(problems)
