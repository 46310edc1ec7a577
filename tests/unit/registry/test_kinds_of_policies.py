"""Why what a policy made of an object in one version is not brought into another."""

from __future__ import annotations

import pytest

from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.mutated import not_convertible


@pytest.mark.parametrize(
    ("kind", "wanted", "text"),
    [
        (
            GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"),
            GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler"),
            "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion",
        ),
        (
            GroupVersionKind("", "v1", "Event"),
            GroupVersionKind("events.k8s.io", "v1", "Event"),
            'v1.Event is not suitable for converting to "events.k8s.io/v1" in scheme '
            '"pkg/api/legacyscheme/scheme.go:30"',
        ),
        (
            GroupVersionKind("events.k8s.io", "v1", "Event"),
            GroupVersionKind("", "v1", "Event"),
            'v1.Event is not suitable for converting to "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
        ),
    ],
)
def test_kinds_that_cannot_be_converted_are_told_by_go_types(
    kind: GroupVersionKind, wanted: GroupVersionKind, text: str
) -> None:
    assert not_convertible(kind, wanted) == text
