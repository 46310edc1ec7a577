"""The resources of policy."""

from __future__ import annotations

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def definitions() -> list[Definition]:
    return [
        later(
            describe("policy", "poddisruptionbudgets", "PodDisruptionBudget", has_status=True, short_names=("pdb",)),
            _load_pod_disruption_budget,
        )
    ]


def _load_pod_disruption_budget() -> Behaviour:
    from quarterdeck.registry.builtin.policy.poddisruptionbudget import (
        BudgetStatusStrategy,
        BudgetStrategy,
        default_budget,
    )

    return Behaviour(BudgetStrategy(), {"status": BudgetStatusStrategy()}, default=default_budget)
