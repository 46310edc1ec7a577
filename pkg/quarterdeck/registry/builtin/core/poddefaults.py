"""What a pod has where nothing is said.

Source: pkg/apis/core/v1/defaults.go (SetDefaults_Pod), pkg/apis/core/v1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.core.podamounts import default_amounts
from quarterdeck.registry.builtin.core.podspec import (
    default_pod_spec,
    drop_init_containers,
    round_up,
    round_up_resources,
)
from quarterdeck.registry.strategy import Object

_STATUSES: Final = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def default_pod(obj: Object) -> None:
    spec = obj["spec"]
    default_amounts(spec)
    if spec.get("hostNetwork"):
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            _default_host_ports(container)
    spec.setdefault("enableServiceLinks", True)
    default_pod_spec(spec)
    # So does conversion, of pods alone (upstream: Convert_v1_Pod_To_core_Pod).
    drop_init_containers(obj["metadata"])
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    if status := obj.get("status"):
        _join_addresses(status)
        _round_up_status(status)


def _join_addresses(status: Object) -> None:
    """The first address stands alone too; alone it wins (upstream: Convert_v1_PodStatus_To_core_PodStatus)."""
    address, addresses = status.get("podIP"), status.get("podIPs") or []
    if address and (not addresses or addresses[0].get("ip", "") != address):
        status["podIPs"] = [{"ip": address}]
    elif not address and addresses and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]


def _round_up_status(status: Object) -> None:
    told = [each for member in _STATUSES for each in status.get(member) or ()]
    for each in (status, *told):
        round_up(each.get("allocatedResources"))
        round_up_resources(each.get("resources"))


def _default_host_ports(container: Object) -> None:
    for port in container.get("ports") or ():
        port.setdefault("hostPort", port.get("containerPort", 0))
