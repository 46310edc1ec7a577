"""Certificate requests: what each of their three addresses may change, and when.

Source: pkg/registry/certificates/certificates/strategy.go, pkg/apis/certificates/validation/validation.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import clock, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.certificates import validation
from quarterdeck.registry.builtin.certificates.validation import APPROVED, DENIED, FAILED, Tolerated
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_CONDITIONS: Final = "status.conditions"


def _any_name(_name: str, _is_prefix: bool = False) -> list[str]:
    return []


class RequestStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False
    validates_changed_metadata_last = True
    _sets_approval = False
    _sets_certificate = False

    def __init__(self) -> None:
        super().__init__(namespaced=False, name_check=_any_name)

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        """The kind takes any name, which has to be part of an address all the same."""
        return super().validate(obj, warnings) or objectmeta.validate_object_meta(
            obj["metadata"], False, "metadata", names.path_segment_name
        )

    def default_new(self, obj: Object) -> None:
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["spec"], new["status"] = old["spec"], old.get("status") or {}

    def check(self, obj: Object) -> list[FieldError]:
        return validation.check(obj, Tolerated())

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = validation.check(new, Tolerated.of(new, old))
        for kind in (APPROVED, DENIED, FAILED):
            if len(_find(new, kind)) < len(_find(old, kind)):
                text = f"updates may not remove a condition of type {gofmt.quote(kind)}"
                problems.append(field.forbidden(_CONDITIONS, text))
        if not self._sets_approval:
            problems += _check_approval(new, old)
        return problems + self._check_certificate(new["status"], old.get("status") or {})

    def _check_certificate(self, new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
        given, known = new.get("certificate") or "", old.get("certificate") or ""
        if given == known:
            return []
        if not self._sets_certificate:
            return [field.forbidden("status.certificate", "updates may not set certificate content")]
        if known:
            return [field.forbidden("status.certificate", "updates may not modify existing certificate content")]
        return []


class RequestStatusStrategy(RequestStrategy):
    _sets_certificate = True

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        status = dict(new.get("status") or {})
        if status.get("conditions"):
            conditions = list(status["conditions"])
            for kind in (APPROVED, DENIED):
                _preserve(conditions, _find(old, kind), kind)
            status["conditions"] = _fill_in_times(conditions, old)
        new["status"] = status


class ApprovalStrategy(RequestStrategy):
    _sets_approval = True

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        conditions = (new.get("status") or {}).get("conditions")
        status = {name: value for name, value in (old.get("status") or {}).items() if name != "conditions"}
        if conditions:
            status = {"conditions": _fill_in_times(list(conditions), old), **status}
        new["status"] = status


def _find(obj: Object, kind: str) -> list[Object]:
    return [each for each in (obj.get("status") or {}).get("conditions") or () if each.get("type", "") == kind]


def _preserve(conditions: list[Object], known: list[Object], kind: str) -> None:
    """Conditions of the kind stay as they are, unless some came or went, which is refused."""
    positions = [position for position, each in enumerate(conditions) if each.get("type", "") == kind]
    if len(positions) == len(known):
        for position, condition in zip(positions, known, strict=True):
            conditions[position] = condition


def _fill_in_times(conditions: list[Object], old: Object) -> list[Object]:
    now = clock.now()
    filled = []
    for condition in conditions:
        like = (
            each["lastTransitionTime"]
            for each in _find(old, condition.get("type", ""))
            if each.get("status") == condition.get("status") and each.get("lastTransitionTime")
        )
        since = condition.get("lastTransitionTime") or next(like, now)
        updated = condition.get("lastUpdateTime") or now
        filled.append({**condition, "lastUpdateTime": updated, "lastTransitionTime": since})
    return filled


def _check_approval(new: Object, old: Object) -> list[FieldError]:
    problems = []
    for kind in (APPROVED, DENIED):
        given, known = _find(new, kind), _find(old, kind)
        if len(given) > len(known):
            problems.append(
                field.forbidden(_CONDITIONS, f"updates may not add a condition of type {gofmt.quote(kind)}")
            )
    return problems
