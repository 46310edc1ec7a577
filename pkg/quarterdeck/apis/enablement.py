"""Which of the built-in resources are served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

GroupVersion = tuple[str, str]


class Enablement(NamedTuple):
    """`disabled`: versions of which nothing is served but what `resources` says; those by group, version and name.
    `enabled`: versions that are served although they are off where nothing is said. `features`: the gates that are on
    although they are off by default, without which some resources of those versions are not served."""

    disabled: frozenset[GroupVersion] = frozenset()
    resources: Mapping[tuple[str, str, str], bool] = {}
    enabled: frozenset[GroupVersion] = frozenset()
    features: frozenset[str] = frozenset()

    @property
    def is_usual(self) -> bool:
        """Whether what is served is what is served where nothing is said."""
        return not self.disabled and not self.resources and not self.enabled

    def serves(self, group: str, version: str, resource: str) -> bool:
        found = self.resources.get((group, version, resource))
        if found is not None:
            return found
        is_further = not is_stable(version)
        return (group, version) in self.enabled if is_further else (group, version) not in self.disabled


def is_stable(version: str) -> bool:
    """Versions of built-in groups that are not, alpha and beta ones, are off where nothing is said."""
    return version[1:].isdecimal()


USUAL: Final = Enablement()
