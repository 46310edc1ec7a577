"""Which requests the binding of a policy concerns, counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import LabelsOf, Matched
from quarterdeck.admission.policy.matching import MatchResources
from quarterdeck.coverage.rules import Count


class CountedMatch(MatchResources):
    """Of a binding that says nothing all requests are that concern its policy."""

    __slots__ = ("_count",)

    def __init__(self, match: Mapping[str, Any], count: Count) -> None:
        super().__init__(match)
        self._count = count

    @property
    def decides_alike(self) -> bool:
        """Each request is counted."""
        return False

    def match(self, attributes: Attributes, labels_of: LabelsOf) -> Matched | None:
        found = super().match(attributes, labels_of)
        if found is not None:
            self._count.note(False, False)
        return found
