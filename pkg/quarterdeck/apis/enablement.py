"""Which of the built-in resources are served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

GroupVersion = tuple[str, str]


class Enablement(NamedTuple):
    """`disabled`: versions of which nothing is served but what `resources` says; those by group, version and name."""

    disabled: frozenset[GroupVersion] = frozenset()
    resources: Mapping[tuple[str, str, str], bool] = {}

    @property
    def is_usual(self) -> bool:
        """Whether everything that is built is served."""
        return not self.disabled and not self.resources

    def serves(self, group: str, version: str, resource: str) -> bool:
        return self.resources.get((group, version, resource), (group, version) not in self.disabled)


USUAL: Final = Enablement()
