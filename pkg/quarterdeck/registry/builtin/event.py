"""Events. Source: pkg/registry/core/event/strategy.go, pkg/apis/core/validation/events.go (legacyValidateEvent)."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_TEXT_LENGTH_MAX: Final = 128
_NOTE_LENGTH_MAX: Final = 1024
_NAMESPACE: Final = "involvedObject.namespace"
_DOES_NOT_MATCH: Final = "does not match event.namespace"


class EventStrategy(BuiltinStrategy):
    allow_create_on_update = True

    def check(self, obj: Object) -> list[FieldError]:
        """Events of the newer API have an eventTime, and have to say more."""
        return _check_new(obj) if obj.get("eventTime") else _check_legacy(obj)


def _check_legacy(obj: Object) -> list[FieldError]:
    namespace = obj["metadata"].get("namespace", "")
    involved = (obj.get("involvedObject") or {}).get("namespace", "")
    # What has no namespace is reported in the default one.
    if involved == namespace or (not involved and namespace == "default"):
        return []
    return [field.invalid(_NAMESPACE, involved, _DOES_NOT_MATCH)]


def _check_new(obj: Object) -> list[FieldError]:
    problems = []
    involved = (obj.get("involvedObject") or {}).get("namespace", "")
    if not involved and obj["metadata"].get("namespace", "") not in ("default", "kube-system"):
        problems.append(field.invalid(_NAMESPACE, involved, _DOES_NOT_MATCH))
    component = obj.get("reportingComponent", "")
    if not component:
        problems.append(field.required("reportingComponent", ""))
    problems += [field.invalid("reportingComponent", component, text) for text in names.qualified_name(component)]
    for name in ("reportingInstance", "action", "reason"):
        value = obj.get(name, "")
        if not value:
            problems.append(field.required(name, ""))
        problems += _check_length(name, value, _TEXT_LENGTH_MAX)
    return problems + _check_length("message", obj.get("message", ""), _NOTE_LENGTH_MAX)


def _check_length(name: str, value: str, length_max: int) -> list[FieldError]:
    if len(value.encode()) <= length_max:
        return []
    return [field.invalid(name, "", f"can have at most {length_max} characters")]
