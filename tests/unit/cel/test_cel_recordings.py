"""Recorded answers of kube-apiserver to definitions with rules and to the objects of them."""

from pathlib import Path

import pytest

from support import cel_recordings

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
RECORDINGS = sorted(path for area in ("cel", "crd", "ratcheting") for path in (GOLDEN / area).glob("*.json"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rules_answer_as_recorded(path):
    replayed = cel_recordings.replay(path)
    assert not replayed.differences
