"""Where the versions of the built-in groups stand in discovery: the priorities of their APIServices.

Source: pkg/controlplane/apiserver/aggregator.go, cmd/kube-apiserver/app/aggregator.go, which counts more (1.36).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Priority(NamedTuple):
    group: int
    version: int


# The aggregator's own group comes before all others and has no APIService.
APIREGISTRATION: Final = Priority(20000, 100)
DEFAULT: Final = Priority(17000, 15)

PRIORITIES: Final = {
    ("", "v1"): Priority(18000, 1),
    ("apps", "v1"): Priority(17800, 15),
    ("events.k8s.io", "v1"): Priority(17750, 15),
    ("authentication.k8s.io", "v1"): Priority(17700, 15),
    ("authorization.k8s.io", "v1"): Priority(17600, 15),
    ("autoscaling", "v2"): Priority(17500, 30),
    ("autoscaling", "v1"): Priority(17500, 15),
    ("batch", "v1"): Priority(17400, 15),
    ("certificates.k8s.io", "v1"): Priority(17300, 15),
    ("networking.k8s.io", "v1"): Priority(17200, 15),
    ("policy", "v1"): Priority(17100, 15),
    ("rbac.authorization.k8s.io", "v1"): Priority(17000, 15),
    ("storage.k8s.io", "v1"): Priority(16800, 15),
    ("apiextensions.k8s.io", "v1"): Priority(16700, 15),
    ("admissionregistration.k8s.io", "v1"): Priority(16700, 15),
    ("scheduling.k8s.io", "v1"): Priority(16600, 15),
    ("coordination.k8s.io", "v1"): Priority(16500, 15),
    ("node.k8s.io", "v1"): Priority(16300, 15),
    ("discovery.k8s.io", "v1"): Priority(16200, 15),
    ("resource.k8s.io", "v1"): Priority(16200, 21),
    ("flowcontrol.apiserver.k8s.io", "v1"): Priority(16100, 21),
}
# Of those that are off where nothing is said.
FURTHER: Final = {
    ("admissionregistration.k8s.io", "v1beta1"): Priority(16700, 12),
    ("admissionregistration.k8s.io", "v1alpha1"): Priority(16700, 9),
    ("certificates.k8s.io", "v1beta1"): Priority(17300, 9),
    ("certificates.k8s.io", "v1alpha1"): Priority(17300, 1),
    ("coordination.k8s.io", "v1beta1"): Priority(16500, 13),
    ("coordination.k8s.io", "v1alpha2"): Priority(16500, 12),
    ("internal.apiserver.k8s.io", "v1alpha1"): Priority(16000, 9),
    ("networking.k8s.io", "v1beta1"): Priority(17200, 9),
    ("resource.k8s.io", "v1beta2"): Priority(16200, 15),
    ("resource.k8s.io", "v1beta1"): Priority(16200, 9),
    ("resource.k8s.io", "v1alpha3"): Priority(16200, 1),
    ("storage.k8s.io", "v1beta1"): Priority(16800, 9),
    ("storagemigration.k8s.io", "v1beta1"): Priority(15800, 9),
}


def find(group: str, version: str) -> Priority | None:
    """Of a version's APIService; None of one that has none."""
    return PRIORITIES.get((group, version)) or FURTHER.get((group, version))


def of(group: str, version: str) -> Priority:
    """In discovery."""
    if group == "apiregistration.k8s.io":
        return APIREGISTRATION
    return find(group, version) or DEFAULT
