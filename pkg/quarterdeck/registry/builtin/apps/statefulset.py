"""Stateful sets as data.

Source: pkg/registry/apps/statefulset/strategy.go, pkg/apis/apps/v1/{defaults,conversion}.go,
pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.apps import templates
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_claim_spec, default_claim_status, default_template
from quarterdeck.registry.builtin.core.podvalidation.claims import validate_claim_spec, warnings_of_claim
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template_metadata, validate_whole_template
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.strategy import Object

_MANAGEMENT: Final = ("OrderedReady", "Parallel")
_RETENTIONS: Final = ("Retain", "Delete")
_CHANGEABLE: Final = (
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
)
_UNCHANGEABLE: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_PARTS: Final = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
_COUNTS: Final = ("replicas", *_PARTS, "observedGeneration", "collisionCount")
_CLAIMS: Final = "spec.volumeClaimTemplates"
TIMES: Final = SentTimes(
    f"{_CLAIMS}.*.status.conditions.*.lastProbeTime",
    f"{_CLAIMS}.*.status.conditions.*.lastTransitionTime",
    metadata=("spec.template.metadata", f"{_CLAIMS}.*.metadata"),
)


def default_stateful_set(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec["template"])
    for claim in spec.get("volumeClaimTemplates") or ():
        claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
        default_claim_spec(claim.setdefault("spec", {}))
        default_claim_status(claim.setdefault("status", {}))
    spec.setdefault("podManagementPolicy", "OrderedReady")
    update = spec.setdefault("updateStrategy", {})
    if not update.get("type"):
        update["type"] = "RollingUpdate"
        update.setdefault("rollingUpdate", {})
    if update["type"] == "RollingUpdate" and update.get("rollingUpdate") is not None:
        update["rollingUpdate"].setdefault("partition", 0)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for name in ("whenDeleted", "whenScaled"):
        retention[name] = retention.get(name) or "Retain"
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)


class StatefulSetStrategy(PodSpecStrategy):
    def __init__(self) -> None:
        super().__init__(namespaced=True, name_check=names.name_is_dns1123_label)

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"replicas": 0, "availableReplicas": 0}
        _drop_unavailable(obj["spec"])

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        _drop_unavailable(new["spec"])
        semantic.count_change(new, old, "spec", "apps", "StatefulSetSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"], _as_sent(obj["spec"]), is_new=True)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        spec, before = new["spec"], old["spec"]
        # A template whose set was wrong already is let pass.
        template = None if _validate_spec(before, before["template"]) else _as_sent(spec)
        problems = _validate_spec(spec, template)
        kept, known = ({name: each[name] for name in each if name not in _CHANGEABLE} for each in (spec, before))
        has_other_times = TIMES.have_fraction(_CLAIMS)
        if has_other_times or not semantic.same(kept, known, "apps", "StatefulSetSpec"):
            problems.append(field.forbidden("spec", _UNCHANGEABLE))
        return problems

    def warn(self, obj: Object) -> list[str]:
        return [*templates.warn_of_template(obj), *_warn(obj["spec"])]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        # Upstream puts one step more into the path.
        return [*templates.warn_of_new_template(new, old), *_warn(new["spec"], ".Spec")]


class StatefulSetStatusStrategy(StatefulSetStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return []

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status, before = new["status"], old.get("status") or {}
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        problems += templates.counts_within(status, _PARTS)
        if (available := status.get("availableReplicas", 0)) > status.get("readyReplicas", 0):
            detail = "cannot be greater than status.readyReplicas"
            problems.append(field.invalid("status.availableReplicas", available, detail))
        earlier = before.get("collisionCount")
        return problems + templates.not_decremented("status.collisionCount", status.get("collisionCount"), earlier)


def _drop_unavailable(spec: Object) -> None:
    """Its feature is off (upstream: dropStatefulSetDisabledFields)."""
    if (rolling := spec["updateStrategy"].get("rollingUpdate")) is not None:
        rolling.pop("maxUnavailable", None)


def _warn(spec: Object, member: str = "") -> list[str]:
    warnings: list[str] = []
    for position, claim in enumerate(spec.get("volumeClaimTemplates") or []):
        warnings += warnings_of_claim(field.index(_CLAIMS, position) + member, claim["spec"])
    if spec.get("revisionHistoryLimit", 0) < 0:
        detail = "a negative value retains all historical revisions; a value >= 0 is recommended"
        warnings.append(f"spec.revisionHistoryLimit: {detail}")
    return warnings


def _as_sent(spec: Object) -> Object:
    """The template with what the request has written down empty in it."""
    return written.restore(spec["template"], "spec", "template")


def _validate_spec(spec: Object, template: Object | None, *, is_new: bool = False) -> list[FieldError]:
    """`template`: None where it is let pass. `is_new`: what nothing may change later is checked once."""
    problems: list[FieldError] = []
    if (policy := spec.get("podManagementPolicy", "")) not in _MANAGEMENT:
        problems.append(
            field.invalid("spec.podManagementPolicy", field.named(policy), "must be 'OrderedReady' or 'Parallel'")
        )
    problems += _validate_strategy("spec.updateStrategy", spec["updateStrategy"])
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        at = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
        problems += checks.one_of(at, retention.get(name, ""), _RETENTIONS)
    for position, claim in enumerate((spec.get("volumeClaimTemplates") or []) if is_new else ()):
        at = f"{field.index(_CLAIMS, position)}.spec"
        problems += validate_claim_spec(at, claim.get("spec") or {})
    for name in ("replicas", "minReadySeconds"):
        problems += checks.not_negative(f"spec.{name}", spec.get(name, 0))
    if (ordinals := spec.get("ordinals")) is not None:
        problems += checks.not_negative("spec.ordinals.start", ordinals.get("start", 0))
    if is_new and (service := spec.get("serviceName")):
        problems += checks.name("spec.serviceName", service, names.dns1123_label)
    problems += templates.validate_selector(spec, "empty selector is invalid for statefulset", "")
    if templates.is_readable(spec.get("selector")):
        if template is not None:
            problems += validate_whole_template(_as_controlled(template, spec), "spec.template")
        problems += validate_template_metadata(spec["template"], "spec.template")  # told twice
    return problems + templates.validate_lasting(spec, "StatefulSet")


def _as_controlled(template: Object, spec: Object) -> Object:
    """The template with what the controller makes of it: names of its own, and a volume for each claim that is made
    from a template too."""
    pod = {name: value for name, value in template["spec"].items() if name not in ("hostname", "subdomain")}
    found = spec.get("volumeClaimTemplates") or []
    claims = dict.fromkeys((claim.get("metadata") or {}).get("name", "") for claim in found)
    if claims:
        volumes: list[Object] = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
        pod["volumes"] = volumes + [each for each in pod.get("volumes") or [] if each.get("name", "") not in claims]
    return {**template, "spec": pod}


def _validate_strategy(path: str, strategy: Object) -> list[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        if rolling is None:
            return []
        detail = "only allowed for updateStrategy 'RollingUpdate'"
        return [field.invalid(f"{path}.rollingUpdate", GoText(checks.in_order(_shown(rolling))), detail)]
    if kind == "RollingUpdate":
        return [] if rolling is None else checks.not_negative(f"{path}.rollingUpdate.partition", rolling["partition"])
    shown = {"Type": kind, "RollingUpdate": None if rolling is None else _shown(rolling)}
    return [field.invalid(path, GoText(checks.in_order(shown)), "must be 'RollingUpdate' or 'OnDelete'")]


def _shown(rolling: Object) -> Object:
    """As Go prints the type that upstream works with inside."""
    return {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}
