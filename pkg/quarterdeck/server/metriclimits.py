"""What flags leave of the metrics, and metrics of that. Source: component-base/metrics/options.go."""

from __future__ import annotations

from quarterdeck.metrics.limits import Limits
from quarterdeck.metrics.registry import Registry, read_one


def limit(registry: Registry, limits: Limits) -> None:
    registry.limits = limits

    def count_unexpected() -> float:
        # One without labels has no values of them, and this one is among those.
        limited = (each for each in registry.families() if each.label_names and each.name in limits.allowed)
        return sum(limits.count_unexpected(each.name, each.label_names, each.children()) for each in limited)

    disabled = float(len(limits.disabled))
    for name, help_text, read in (
        ("disabled_metrics_total", "[BETA] The count of disabled metrics.", lambda: disabled),
        ("hidden_metrics_total", "[BETA] The count of hidden metrics.", lambda: 0.0),
        (
            "cardinality_enforcement_unexpected_categorizations_total",
            "[ALPHA] The count of unexpected categorizations during cardinality enforcement.",
            count_unexpected,
        ),
    ):
        registry.read_counter(name, help_text, read_one(read))
