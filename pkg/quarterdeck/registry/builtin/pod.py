"""Pods as data: nobody runs them. Their defaults, what of them can change, and their graceful deletion.

Source: pkg/registry/core/pod/strategy.go, pkg/apis/core/v1/defaults.go (SetDefaults_Pod), pkg/apis/core/validation
(ValidatePodUpdate), pkg/apis/core/v1/helper/qos.
"""

from __future__ import annotations

import time
from typing import Any, Final

from quarterdeck.apimachinery import clock, field, quantity
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.time import format_rfc3339, parse_rfc3339
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin.podspec import (
    containers_of,
    default_pod_spec,
    default_requests,
    validate_pod_spec,
)
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object, copy_value

_UNCHANGEABLE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_COUNTED: Final = ("cpu", "memory")


def default_pod(obj: Object) -> None:
    spec = obj["spec"]
    default_requests(spec)
    spec.setdefault("enableServiceLinks", True)
    default_pod_spec(spec)


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

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"phase": "Pending", "qosClass": quality_of_service(obj["spec"])}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        return validate_pod_spec(obj["spec"], "spec")

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = []
        for member in ("containers", "initContainers"):
            if len(new["spec"].get(member) or []) != len(old["spec"].get(member) or []):
                detail = "pod updates may not add or remove containers"
                problems.append(field.forbidden(f"spec.{member}", detail))
        if problems:
            return problems
        problems = self.check(new) + _check_deadline(new["spec"], old["spec"])
        problems += _check_tolerations(new["spec"], old["spec"])
        if not problems and _without_changeable(new["spec"], old["spec"]) != old["spec"]:
            problems.append(field.forbidden("spec", f"{_UNCHANGEABLE}\n"))
        return problems

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
        return []


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


def _check_deadline(new: Object, old: Object) -> list[FieldError]:
    path = "spec.activeDeadlineSeconds"
    deadline, before = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if deadline is None:
        detail = "must not update from a positive integer to nil value"
        return [field.invalid(path, None, detail)] if before is not None else []
    if deadline < 0 or deadline > 2**31 - 1:
        return [field.invalid(path, deadline, "must be between 0 and 2147483647, inclusive")]
    if before is not None and before < deadline:
        return [field.invalid(path, deadline, "must be less than or equal to previous value")]
    return []


def _check_tolerations(new: Object, old: Object) -> list[FieldError]:
    """They are only added to; only how long one lasts may change."""

    def identity(toleration: Object) -> bytes:
        kept = {name: value for name, value in sorted(toleration.items()) if name != "tolerationSeconds"}
        return json_codec.encode(kept)

    there = {identity(one) for one in new.get("tolerations") or []}
    if all(identity(one) in there for one in old.get("tolerations") or []):
        return []
    detail = "existing toleration can not be modified except its tolerationSeconds"
    return [field.forbidden("spec.tolerations", detail)]


def _without_changeable(new: Object, old: Object) -> Object:
    """The new spec with all that may change as it was."""
    spec = copy_value(new)
    for member in ("containers", "initContainers"):
        for container, before in zip(spec.get(member) or [], old.get(member) or [], strict=True):
            container["image"] = before.get("image", "")
    for name in ("activeDeadlineSeconds", "tolerations"):
        spec.pop(name, None)
        if name in old:
            spec[name] = old[name]
    if old.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        spec["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    return spec
