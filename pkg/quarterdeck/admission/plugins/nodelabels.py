"""Which labels a node may set on itself.

Source: plugin/pkg/admission/noderestriction/admission.go (getForbiddenLabels), kubelet/pkg/apis/well_known_labels.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_RESTRICTED: Final = "node-restriction.kubernetes.io"
_KUBERNETES: Final = ("kubernetes.io", "k8s.io")
_OF_KUBELETS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBELET_LABELS: Final = frozenset(
    (
        "kubernetes.io/hostname",
        *(f"topology.kubernetes.io/{part}" for part in ("zone", "region")),
        *(f"failure-domain.beta.kubernetes.io/{part}" for part in ("zone", "region")),
        *("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
        *("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"),
    )
)


def find_forbidden(new: Mapping[str, str], old: Mapping[str, str]) -> list[str]:
    """The keys, in order, that differ and that a node must not change."""
    changed = {key for key in (*new, *old) if new.get(key) != old.get(key)}
    return sorted(key for key in changed if _is_forbidden(key))


def _is_forbidden(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    if not slash:
        return False
    if _is_in(domain, _RESTRICTED):
        return True
    is_kubernetes = any(_is_in(domain, each) for each in _KUBERNETES)
    return is_kubernetes and key not in _KUBELET_LABELS and not any(_is_in(domain, each) for each in _OF_KUBELETS)


def _is_in(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")
