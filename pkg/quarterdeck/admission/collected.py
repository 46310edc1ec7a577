"""Changes that the garbage collector makes, which nobody needs further permissions for.

Source: pkg/registry/rbac/helpers.go (IsOnlyMutatingGCFields).
"""

from __future__ import annotations

from typing import Any, Final

# What it may change of any object; who owns it follows.
_METADATA: Final = frozenset(("finalizers", "managedFields", "ownerReferences", "selfLink"))


def changes_alone(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether nothing else changes. What is empty is as good as absent."""
    return _without(new) == _without(old)


def _without(obj: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in obj["metadata"].items() if value and name not in _METADATA}
    return {**{name: value for name, value in obj.items() if value}, "metadata": kept}
