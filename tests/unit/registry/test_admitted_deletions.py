"""How often admission is asked about a deletion."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry import changes
from quarterdeck.registry.writes import WriteContext

Object = dict[str, Any]


class Admission:
    def __init__(self) -> None:
        self.asked: list[tuple[Object, Object | None]] = []

    def admit(self, obj: Object, found: Object | None) -> None:
        self.asked.append((obj, found))


@pytest.mark.parametrize(
    ("finalizers", "stays", "dry_run", "count"),
    [
        (["orphan"], False, False, 2),
        (["orphan"], False, True, 1),
        (["a/b"], True, False, 1),
        ([], False, False, 1),
    ],
)
async def test_what_drops_its_finalizers_is_admitted_twice(
    finalizers: list[str], stays: bool, dry_run: bool, count: int
) -> None:
    admission, obj = Admission(), {"metadata": {"name": "o", "finalizers": finalizers}}
    context = WriteContext(dry_run, [], admission.admit)
    await changes.admit_deletion(obj, dict(obj) if stays else None, context)
    assert admission.asked == [(obj, obj)] * count


async def test_what_was_marked_is_admitted_as_it_is_stored() -> None:
    admission, found = Admission(), {"metadata": {"name": "p", "resourceVersion": "3"}}
    marked = {"metadata": {"name": "p", "deletionGracePeriodSeconds": 0}}
    await changes.admit_end(marked, found, 4, WriteContext(False, [], admission.admit))
    assert admission.asked == [({"metadata": {**marked["metadata"], "resourceVersion": "4"}}, found)]
    assert "resourceVersion" not in marked["metadata"]
