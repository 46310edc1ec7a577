"""Recordings beside a test: what Go's libraries, or kube-apiserver, answered."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).resolve().parents[1]


def load(name: str) -> list[dict[str, Any]]:
    """The rows of tests/unit/apimachinery/recorded/NAME."""
    return json.loads((_TESTS / "unit/apimachinery/recorded" / name).read_text())


def golden_steps(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(request, answer) of a recording of kube-apiserver, tests/golden/NAME."""
    recording = json.loads((_TESTS / "golden" / name).read_text())
    answers = iter(recording["answers"])
    for step in recording["scenario"]["steps"]:
        if not step.get("unrecorded"):
            yield step, next(answers)


def golden_folder() -> Path:
    return _TESTS / "golden"
