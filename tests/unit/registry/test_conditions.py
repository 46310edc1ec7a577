"""Conditions as most statuses hold them."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.conditions import validate_conditions

GOOD = {"type": "Ready", "status": "True", "reason": "R", "lastTransitionTime": "2024-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("members", "refusals"),
    [
        ({}, []),
        (
            {"type": ""},
            [
                'c[0].type: Invalid value: "": name part must be non-empty',
                'c[0].type: Invalid value: "": name part must consist of',
            ],
        ),
        ({"status": ""}, ['c[0].status: Unsupported value: "": supported values: "False", "True", "Unknown"']),
        (
            {"observedGeneration": -1},
            ["c[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero"],
        ),
        ({"lastTransitionTime": None}, ["c[0].lastTransitionTime: Required value"]),
        ({"reason": ""}, ["c[0].reason: Required value"]),
        ({"reason": "R" * 1025}, ["c[0].reason: Too long: may not be more than 1024 bytes"]),
        ({"reason": "1"}, ['c[0].reason: Invalid value: "1": a condition reason must start']),
        ({"message": "m" * 32769}, ["c[0].message: Too long: may not be more than 32768 bytes"]),
    ],
)
def test_conditions(members: dict[str, Any], refusals: list[str]) -> None:
    found = [str(each) for each in validate_conditions([{**GOOD, **members}], "c")]
    assert [told[: len(refusal)] for told, refusal in zip(found, refusals, strict=True)] == refusals


def test_types_are_told_apart() -> None:
    assert [str(each) for each in validate_conditions([GOOD, GOOD], "c")] == ['c[1].type: Duplicate value: "Ready"']
