"""Conflicts: fields that an apply wants to change and that others own.

Source: structured-merge-diff v6, merge/conflict.go; apimachinery/pkg/util/managedfields/internal/conflict.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarterdeck._kernels import fieldset
from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarterdeck._kernels.fieldset import Set
    from quarterdeck.fieldmanager.managed import ManagerKey


class Conflicts(Exception):
    """What each other manager owns of what an apply changes."""

    def __init__(self, sets: Mapping[ManagerKey, Set]) -> None:
        super().__init__()
        self.sets = dict(sorted(sets.items(), key=lambda item: item[0].identifier()))

    def without(self, allowed: Set) -> Conflicts:
        left = {key: fieldset.difference(owned, allowed) for key, owned in self.sets.items()}
        return Conflicts({key: owned for key, owned in left.items() if owned})

    def to_status(self) -> errors.ApplyConflict:
        by_manager = [
            (key.describe(), [fields.path_text(path) for path in fields.paths(owned)])
            for key, owned in self.sets.items()
        ]
        causes = [
            {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": path}
            for manager, paths in by_manager
            for path in paths
        ]
        return errors.ApplyConflict.of(_message(by_manager, len(causes)), causes)


def _message(by_manager: list[tuple[str, list[str]]], count: int) -> str:
    if count == 1:
        ((manager, (path,)),) = by_manager
        return f"Apply failed with 1 conflict: conflict with {manager}: {path}"
    lines = []
    for manager, paths in by_manager:
        lines.append(f"conflicts with {manager}:")
        lines.extend(f"- {path}" for path in paths)
    return f"Apply failed with {count} conflicts: " + "\n".join(lines)
