"""Pods as data: nobody runs them. Their defaults, what of them can change, and their graceful deletion.

Source: pkg/registry/core/pod/strategy.go, pkg/apis/core/v1/defaults.go (SetDefaults_Pod), pkg/apis/core/validation
(ValidatePodUpdate), pkg/apis/core/v1/helper/qos.
"""

from __future__ import annotations

import time
from typing import Any, Final

from quarterdeck.apimachinery import clock, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.time import format_rfc3339, parse_rfc3339
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin.podspec import containers_of, default_pod_spec
from quarterdeck.registry.builtin.podvalidation import warnings
from quarterdeck.registry.builtin.podvalidation.spec import validate_new_pod
from quarterdeck.registry.builtin.podvalidation.status import validate_status_update
from quarterdeck.registry.builtin.podvalidation.update import validate_pod_update
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_NAME_WARNING: Final = (
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
    "a DNS label is recommended: "
)
_COUNTED: Final = ("cpu", "memory")


def default_pod(obj: Object) -> None:
    # Differs from upstream: nothing is worked out for those who run pods, neither amounts of the whole pod nor
    # selectors from label keys; and the subresources for them (ephemeralcontainers, resize) are not served.
    spec = obj["spec"]
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        _default_requests(container.get("resources") or {})
        if spec.get("hostNetwork"):
            _default_host_ports(container)
    spec.setdefault("enableServiceLinks", True)
    default_pod_spec(spec)


def _default_requests(resources: Object) -> None:
    """What a container may use at most is what it asks for, where it asks for nothing."""
    for name, amount in (resources.get("limits") or {}).items():
        resources.setdefault("requests", {}).setdefault(name, amount)


def _default_host_ports(container: Object) -> None:
    for port in container.get("ports") or ():
        port.setdefault("hostPort", port.get("containerPort", 0))


def select_pod_fields(obj: Object) -> dict[str, str]:
    """Source: pkg/registry/core/pod/strategy.go (ToSelectableFields)."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    ips = status.get("podIPs") or []
    return {
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.host": spec.get("nodeName", ""),  # what it was called once
        "spec.restartPolicy": spec.get("restartPolicy", ""),
        "spec.schedulerName": spec.get("schedulerName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "spec.hostNetwork": str(bool(spec.get("hostNetwork"))).lower(),
        "status.phase": status.get("phase", ""),
        "status.podIP": ips[0].get("ip", "") if ips else "",
        "status.nominatedNodeName": status.get("nominatedNodeName", ""),
    }


class PodStrategy(BuiltinStrategy):
    has_generation = True
    validates_metadata_again = True

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"phase": "Pending", "qosClass": quality_of_service(obj["spec"])}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings_)
        if not problems:
            if texts := names.dns1123_label(obj["metadata"]["name"]):
                warnings_.append(f"{_NAME_WARNING}[{' '.join(texts)}]")
            warnings_.extend(warnings.of_pod(obj))
        return problems

    def check(self, obj: Object) -> list[FieldError]:
        return validate_new_pod(obj)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_pod_update(new, old)

    def mark(self, obj: Object, options: deletion.Options) -> Object | None:
        """A pod that runs somewhere is given time; a shorter one replaces it, a longer one does not."""
        grace_s = _grace_of(obj, options)
        metadata = obj["metadata"]
        finalizers = deletion.finalizers_for(metadata.get("finalizers") or [], options)
        earlier_s = metadata.get("deletionGracePeriodSeconds")
        if "deletionTimestamp" in metadata and earlier_s is not None and grace_s >= earlier_s:
            if earlier_s or finalizers:
                return obj
            return None
        if grace_s == 0 and not finalizers:
            return None
        marked = {**metadata, "deletionGracePeriodSeconds": grace_s}
        marked["deletionTimestamp"] = _move(metadata.get("deletionTimestamp"), grace_s - (earlier_s or 0))
        if "deletionTimestamp" not in metadata and metadata.get("generation"):
            marked["generation"] = metadata["generation"] + 1
        if finalizers:
            marked["finalizers"] = finalizers
        return {**obj, "metadata": marked}


class PodStatusStrategy(PodStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        new["metadata"].pop("deletionTimestamp", None)
        for name in ("deletionTimestamp", "ownerReferences"):
            if name in old["metadata"]:
                new["metadata"][name] = old["metadata"][name]
        new["status"]["qosClass"] = (old.get("status") or {}).get("qosClass") or quality_of_service(new["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_status_update(new, old)


def show_deleted(obj: Object) -> Object:
    """What the deletion answers: the pod as it would have been stored a moment before."""
    metadata = {**obj["metadata"], "deletionGracePeriodSeconds": 0}
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = clock.now()
        metadata["generation"] = metadata.get("generation", 0) + 1
    return {**obj, "metadata": metadata}


def quality_of_service(spec: Object) -> str:
    """BestEffort asks for nothing, Guaranteed may use no more than it asks for."""
    is_guaranteed = True
    is_asking = False
    for container in containers_of(spec):
        resources = container.get("resources") or {}
        requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
        for name in _COUNTED:
            asked, limit = _amount(requests.get(name)), _amount(limits.get(name))
            is_asking = is_asking or bool(asked or limit)
            is_guaranteed = is_guaranteed and bool(limit) and asked == limit
    if not is_asking:
        return "BestEffort"
    return "Guaranteed" if is_guaranteed else "Burstable"


def _amount(text: str | None) -> Any:
    return quantity.parse(text).value if text else 0


def _grace_of(obj: Object, options: deletion.Options) -> int:
    """Source: podStrategy.CheckGracefulDelete."""
    spec, phase = obj["spec"], (obj.get("status") or {}).get("phase")
    grace_s = options.grace_period_s
    if grace_s is None:
        grace_s = spec.get("terminationGracePeriodSeconds", 30)
    if not spec.get("nodeName") or phase in ("Failed", "Succeeded"):
        return 0
    return 1 if grace_s < 0 else int(grace_s)


def _move(deletion_timestamp: str | None, seconds: int) -> str:
    """An earlier deletion moved, or one that begins now."""
    begin_s = parse_rfc3339(deletion_timestamp) if deletion_timestamp else None
    return format_rfc3339((begin_s if begin_s is not None else time.time()) + seconds)
