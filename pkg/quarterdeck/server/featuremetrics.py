"""Which features there are, as a metric. Source: component-base/metrics/prometheus/feature/metrics.go."""

from __future__ import annotations

from functools import cache

from quarterdeck.metrics.registry import LabelValues, Registry


def register(registry: Registry, given: str) -> None:
    """`given`: what --feature-gates said, as /flagz shows it."""

    @cache
    def read() -> list[tuple[LabelValues, float]]:
        from quarterdeck.apis import features  # nobody else needs it after the start

        return [((name, stage), float(is_on)) for name, stage, is_on in features.states((given.strip("[]"),))]

    registry.read_gauge(
        "kubernetes_feature_enabled",
        "[BETA] This metric records the data about the stage and enablement of a k8s feature.",
        read,
        ("name", "stage"),
    )
