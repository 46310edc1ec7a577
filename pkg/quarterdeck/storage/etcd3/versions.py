"""Versions of etcd that lose what they have acknowledged.

Source: etcd's issue 13766 (a member that is killed under load comes back without some of what it had applied).
"""

from __future__ import annotations

from typing import Final

_LOSSY: Final = ("3.5.0", "3.5.1", "3.5.2")


def find_fault(version: str) -> str | None:
    """What is wrong with a version of etcd, as text for a log; None where nothing is known."""
    if version not in _LOSSY:
        return None
    return f"etcd {version} can lose acknowledged writes when a member is killed under load; 3.5.3 does not"
