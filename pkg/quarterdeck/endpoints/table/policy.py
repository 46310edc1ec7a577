"""Tables of pod disruption budgets. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Cell, Column, dig, integer
from quarterdeck.endpoints.table.columns import Object


def _limit(name: str) -> Cell:
    def cell(obj: Object, now_s: float) -> object:
        value = dig(obj, ("spec", name))
        return "N/A" if value is None else str(value)

    return cell


PRINTERS: Final[Mapping[tuple[str, str], Sequence[Column]]] = {
    ("policy", "PodDisruptionBudget"): (
        NAME,
        Column("Min Available", _limit("minAvailable"), "The minimum number of pods that must be available."),
        Column("Max Unavailable", _limit("maxUnavailable"), "The maximum number of pods that may be unavailable."),
        Column(
            "Allowed Disruptions",
            integer("status", "disruptionsAllowed"),
            "Calculated number of pods that may be disrupted at this time.",
            type="integer",
        ),
        AGE,
    ),
}
