"""What the namespace controller asks of the servers behind APIServices. aggregator/contents.py, which lies above,
answers it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(slots=True)
class Remaining:
    """What is left of a resource in a namespace: how many objects, and how many of them have each finalizer."""

    count: int = 0
    finalizers: Counter[str] = field(default_factory=Counter)


class RemoteCollection(Protocol):
    @property
    def name(self) -> str:
        """With its group (`flunders.wardle.example.com`)."""

    @property
    def gvr(self) -> tuple[str, str, str]:
        """Group, version and the resource's own name."""

    async def empty(self, namespace: str) -> Remaining:
        """Delete all objects in a namespace. Raises APIStatus where that is not known to be done."""


class RemoteResourcesDeleter(Protocol):
    def resources(self) -> Sequence[RemoteCollection]:
        """Those with namespaces whose objects can be deleted, each in one version."""

    def undiscovered(self) -> Sequence[str]:
        """The versions whose servers do not tell what they serve, with why: `GROUP/VERSION: TEXT`, in order."""
