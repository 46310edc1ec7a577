"""Daemon sets as data.

Source: pkg/registry/apps/daemonset/strategy.go, pkg/apis/apps/v1/{defaults,conversion}.go,
pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, labels, strconv
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, rolling, semantic
from quarterdeck.registry.builtin.apps import templates
from quarterdeck.registry.builtin.apps.names import GENERATION
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.goscalar import DecodeError

_STRATEGIES: Final = ("RollingUpdate", "OnDelete")
_SCHEDULED: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)
_COUNTS: Final = (
    *_SCHEDULED,
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)
_GENERATION_MAX: Final = (1 << 63) - 1  # which is followed by the least number of 64 bits
_GENERATION_PATH: Final = "spec.templateGeneration"  # as the field is called inside
TIMES: Final = SentTimes(metadata=("spec.template.metadata",))


def default_daemon_set(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec["template"])
    update = spec.setdefault("updateStrategy", {})
    update["type"] = update.get("type") or "RollingUpdate"
    if update["type"] == "RollingUpdate":
        found = update.setdefault("rollingUpdate", {})
        found.setdefault("maxUnavailable", 1)
        found.setdefault("maxSurge", 0)
    elif (found := update.get("rollingUpdate")) is not None:  # which conversion leaves no amount out of
        found.setdefault("maxUnavailable", 0)
        found.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    _show_generation(obj, _generation_of(obj))


class DaemonSetStrategy(PodSpecStrategy):
    """The generation of the template is a field inside upstream, which v1 shows as an annotation."""

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = dict.fromkeys(_SCHEDULED, 0)
        _show_generation(obj, max(_generation_of(obj), 1))

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        generation = _generation_of(old)
        template, before = new["spec"]["template"], old["spec"]["template"]
        has_other_times = TIMES.have_fraction("spec.template")
        if has_other_times or not semantic.same(template, before, "core", "PodTemplateSpec"):
            generation = generation + 1 if generation < _GENERATION_MAX else -_GENERATION_MAX - 1
        semantic.count_change(new, old, "spec", "apps", "DaemonSetSpec", TIMES)
        _show_generation(new, generation)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"], _generation_of(obj))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        if (generation := _generation_of(new)) < _generation_of(old):
            problems.append(field.invalid(_GENERATION_PATH, generation, "must not be decremented"))
        return problems + templates.keep_selector(new, old) + self.check(new)

    def warn(self, obj: Object) -> list[str]:
        return templates.warn_of_template(obj)

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        is_changed = _generation_of(new) != _generation_of(old)
        return templates.warn_of_template(new) if is_changed else []


class DaemonSetStatusStrategy(DaemonSetStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        _show_generation(new, _generation_of(old))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status, before = new["status"], old.get("status") or {}
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        earlier = before.get("collisionCount")
        return problems + templates.not_decremented("status.collisionCount", status.get("collisionCount"), earlier)


def _generation_of(obj: Object) -> int:
    """Raises DecodeError."""
    try:
        return strconv.parse_int((obj["metadata"].get("annotations") or {}).get(GENERATION, "0"))
    except strconv.NumError as error:
        raise DecodeError(str(error)) from error


def _show_generation(obj: Object, generation: int) -> None:
    obj["metadata"]["annotations"] = {**(obj["metadata"].get("annotations") or {}), GENERATION: str(generation)}


def _validate_spec(spec: Object, generation: int) -> list[FieldError]:
    selector = spec.get("selector")
    problems = checks.label_selector("spec.selector", selector)
    if templates.is_readable(selector):
        problems += templates.validate_match(spec, labels.from_label_selector(selector))
    if selector is not None and templates.is_empty(selector):
        shown = checks.show_selector(selector)
        problems.append(field.invalid("spec.selector", shown, "empty selector is invalid for daemonset"))
    problems += validate_template(spec["template"], "spec.template")
    problems += templates.validate_lasting(spec, "DaemonSet")
    problems += checks.not_negative("spec.minReadySeconds", spec.get("minReadySeconds", 0))
    problems += checks.not_negative(_GENERATION_PATH, generation)
    problems += _validate_strategy("spec.updateStrategy", spec["updateStrategy"])
    return problems + checks.not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit", 0))


def _validate_strategy(path: str, strategy: Object) -> list[FieldError]:
    kind, update = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind not in _STRATEGIES:
        return [field.not_supported(path, _shown_strategy(kind, update), list(_STRATEGIES))]
    if kind == "OnDelete":
        return []
    at = f"{path}.rollingUpdate"
    if update is None:
        return [field.required(at)]
    problems: list[FieldError] = []
    unavailable, surge = update.get("maxUnavailable", 0), update.get("maxSurge", 0)
    for rule in (rolling.count_or_percent, rolling.not_more_than_all):
        problems += rule(f"{at}.maxUnavailable", unavailable) + rule(f"{at}.maxSurge", surge)
    if rolling.amount(unavailable) and rolling.amount(surge):
        problems.append(field.invalid(f"{at}.maxSurge", surge, "may not be set when maxUnavailable is non-zero"))
    elif not rolling.amount(unavailable) and not rolling.amount(surge):
        problems.append(field.required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return problems


def _shown_strategy(kind: str, update: Object | None) -> GoText:
    """As Go prints the type that upstream works with inside."""
    shown = None
    if update is not None:
        shown = {"MaxUnavailable": update.get("maxUnavailable", 0), "MaxSurge": update.get("maxSurge", 0)}
    return GoText(checks.in_order({"Type": kind, "RollingUpdate": shown}))
