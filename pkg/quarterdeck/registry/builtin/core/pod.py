"""Pods as data: nobody runs them. What of them can change, and their graceful deletion.

Source: pkg/registry/core/pod/strategy.go, pkg/apis/core/validation (ValidatePodUpdate).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import clock, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.time import as_duration_s, format_rfc3339, parse_rfc3339
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin import semantic
from quarterdeck.registry.builtin.core import newpod
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.poddropped import drop_disabled
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_new_pod
from quarterdeck.registry.builtin.core.podvalidation.status import validate_status_update
from quarterdeck.registry.builtin.core.podvalidation.update import validate_pod_update
from quarterdeck.registry.builtin.strategy import keep_metadata
from quarterdeck.registry.strategy import Object

_NAME_WARNING: Final = (
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
    "a DNS label is recommended: "
)


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


class PodStrategy(PodSpecStrategy):
    pod_spec = ("spec",)
    validates_metadata_again = True

    def prepare_for_create(self, obj: Object) -> None:
        drop_disabled(obj["spec"])
        self.default_new(obj)

    def default_new(self, obj: Object) -> None:
        newpod.prepare(obj)

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        semantic.count_change(new, old, "spec", "core", "PodSpec")

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        # Upstream warns of it while it prepares the pod: even where the pod is refused.
        warnings_.extend(newpod.apply_app_armor(obj))
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
        """A pod that runs somewhere is given time."""
        metadata = obj["metadata"]
        if "deletionTimestamp" in metadata:
            return self._mark_again(obj, options)
        grace_s = deletion.grace_of_pod(obj, options.grace_period_s)
        marked = {**metadata, "deletionGracePeriodSeconds": grace_s}
        marked["deletionTimestamp"] = format_rfc3339(clock.wall_s() + as_duration_s(grace_s))
        if metadata.get("generation"):
            marked["generation"] = metadata["generation"] + 1
        return _with_finalizers(obj, marked, options)

    def _mark_again(self, obj: Object, options: deletion.Options) -> Object | None:
        """While its time runs a pod may be given less of it, and nothing else; after that it is as other objects."""
        metadata = obj["metadata"]
        earlier_s = metadata.get("deletionGracePeriodSeconds")
        if not earlier_s:
            return super().mark(obj, options)
        asked_s = options.grace_period_s
        grace_s = earlier_s if asked_s is None else asked_s if asked_s >= 0 else 1
        if grace_s >= earlier_s:
            return obj
        marked_s = parse_rfc3339(metadata["deletionTimestamp"])
        begun_s = (marked_s if marked_s is not None else 0) - as_duration_s(earlier_s)
        end_s, now_s = begun_s + as_duration_s(grace_s), clock.wall_s()
        if end_s < now_s:
            end_s, grace_s = now_s, min(grace_s, 1)
        marked = {**metadata, "deletionGracePeriodSeconds": grace_s, "deletionTimestamp": format_rfc3339(end_s)}
        return _with_finalizers(obj, marked, options)


class PodStatusStrategy(PodStrategy):
    validates_metadata_again = False

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        keep_metadata(new, old, ("deletionTimestamp", "ownerReferences"))
        before = old.get("status") or {}
        if not new["status"].get("qosClass") and before.get("qosClass"):
            new["status"]["qosClass"] = before["qosClass"]
        _keep_observed_generations(new["status"], before)
        _drop_disabled(new["status"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_status_update(new, old)

    def warn(self, obj: Object) -> list[str]:
        return list(warnings.of_status(obj.get("status") or {}))


def show_deleted(obj: Object) -> Object:
    """What the deletion answers: the pod as it would have been stored a moment before."""
    metadata = {**obj["metadata"], "deletionGracePeriodSeconds": 0}
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = clock.now()
        metadata["generation"] = metadata.get("generation", 0) + 1
    return {**obj, "metadata": metadata}


def _drop_disabled(status: Object) -> None:
    """ImageVolumeWithDigest and DRANodeAllocatableResources are off by default (upstream: pkg/api/pod/util.go,
    dropDisabledPodStatusFields)."""
    status.pop("nodeAllocatableResourceClaimStatuses", None)
    for kind in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(kind) or ():
            for mount in container.get("volumeMounts") or ():
                mount.pop("volumeStatus", None)


def _keep_observed_generations(status: Object, before: Object) -> None:
    """What a client leaves out of what was seen stays known, of the status and of its conditions, type by type."""
    if not status.get("observedGeneration") and before.get("observedGeneration"):
        status["observedGeneration"] = before["observedGeneration"]
    seen: dict[str, list[int]] = {}
    for condition in reversed(before.get("conditions") or []):
        seen.setdefault(condition.get("type", ""), []).append(condition.get("observedGeneration", 0))
    for condition in status.get("conditions") or []:
        earlier = seen.get(condition.get("type", ""))
        generation = earlier.pop() if earlier else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation


def _with_finalizers(obj: Object, metadata: Object, options: deletion.Options) -> Object:
    if finalizers := deletion.finalizers_for(metadata.get("finalizers") or [], options):
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    return {**obj, "metadata": metadata}
