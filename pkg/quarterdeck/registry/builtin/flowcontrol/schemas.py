"""Flow schemas: which requests are of which priority level.

Source: pkg/registry/flowcontrol/flowschema/strategy.go, pkg/apis/flowcontrol/v1/defaults.go,
pkg/apis/flowcontrol/validation/validation.go, apiserver/pkg/util/flowcontrol/apf_controller.go (syncFlowSchemaStatus).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import clock, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.fieldmanager import managed
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.flowcontrol import mandatory
from quarterdeck.registry.builtin.flowcontrol.rules import validate_rule
from quarterdeck.registry.builtin.flowcontrol.status import FlowStatusStrategy, FlowStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import ResourceCache

PRECEDENCE_MAX: Final = 10_000
DANGLING: Final = "Dangling"
TELLER: Final = "api-priority-and-fairness-config-consumer-v1"  # who says whether a level exists
_EXEMPT: Final = "exempt"
_METHODS: Final = ("ByNamespace", "ByUser")


def default_flow_schema(obj: Object) -> None:
    spec = obj["spec"]
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or 1000


class FlowSchemaStrategy(FlowStrategy):
    """`levels` gives the cache of priority levels."""

    def __init__(self, levels: Callable[[], ResourceCache]) -> None:
        super().__init__(namespaced=False)
        self._levels = levels

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """Differs from upstream: there a controller tells a moment later whether the level exists."""
        if not dry_run:
            self._tell_of_level(obj)
        return False

    def _tell_of_level(self, obj: Object) -> None:
        status, exists = obj.get("status") or {}, self._levels().get("", level_of(obj)) is not None
        told = tell_of_level(status, level_of(obj), exists=exists)
        if told is status:
            return
        obj["status"] = told
        metadata = obj["metadata"]
        others = [each for each in metadata.get("managedFields") or [] if each.get("manager") != TELLER]
        # In the order of the next write, which would be stored for the order's sake otherwise.
        owners = managed.decode([*others, told_by(clock.now())], trusted=True)
        metadata["managedFields"] = managed.encode(owners)

    def check(self, obj: Object) -> list[FieldError]:
        name, spec = obj["metadata"].get("name", ""), obj["spec"]
        problems = _validate_spec("spec", name, spec)
        wanted = mandatory.SCHEMAS.get(name)
        if wanted is not None and not checks.same(spec, wanted):
            shown = gonames.show("FlowSchemaSpec", written.restore(spec, "spec"), "flowcontrol")
            problems.append(field.invalid("spec", shown, f"spec of '{name}' must equal the fixed value"))
        return problems


class FlowSchemaStatusStrategy(FlowStatusStrategy):
    def __init__(self, levels: Callable[[], ResourceCache]) -> None:
        super().__init__(namespaced=False)


def level_of(obj: Object) -> str:
    found: str = obj["spec"]["priorityLevelConfiguration"].get("name", "")
    return found


def told_by(now: str) -> Object:
    """Who owns what `tell_of_level` says."""
    names_told = ("lastTransitionTime", "message", "reason", "status", "type")
    owned: Object = {".": {}, **{f"f:{name}": {} for name in names_told}}
    return {
        "manager": TELLER,
        "operation": "Apply",
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {"f:conditions": {f'k:{{"type":"{DANGLING}"}}': owned}}},
        "subresource": "status",
    }


def tell_of_level(status: Object, level: str, *, exists: bool) -> Object:
    """The status with the condition that says whether the level exists; the same one where that is said."""
    about = f"This FlowSchema references the PriorityLevelConfiguration object named {gofmt.quote(level)}"
    found: dict[str, Any] = {
        "type": DANGLING,
        "status": "False" if exists else "True",
        "reason": "Found" if exists else "NotFound",
        "message": f"{about} and it exists" if exists else f"{about} but there is no such object",
    }
    conditions = list(status.get("conditions") or [])
    position = next((at for at, each in enumerate(conditions) if each.get("type") == DANGLING), len(conditions))
    before = conditions[position : position + 1]
    if before and all(before[0].get(name) == value for name, value in found.items()):
        return status
    kept = {name: found[name] for name in ("type", "status")}
    told = {**kept, "lastTransitionTime": clock.now(), "reason": found["reason"], "message": found["message"]}
    conditions[position : position + 1] = [told]
    return {**status, "conditions": conditions}


def _validate_spec(path: str, name: str, spec: Object) -> list[FieldError]:
    precedence, at = spec["matchingPrecedence"], f"{path}.matchingPrecedence"
    problems: list[FieldError] = []
    if precedence <= 0:
        problems.append(field.invalid(at, precedence, "must be a positive value"))
    if precedence > PRECEDENCE_MAX:
        problems.append(field.invalid(at, precedence, f"must not be greater than {PRECEDENCE_MAX}"))
    if precedence == 1 and name != _EXEMPT:
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        problems.append(field.invalid(at, precedence, detail))
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type", "") not in _METHODS:
        shown = GoText(checks.in_order({"Type": method.get("type", "")}))
        problems.append(field.not_supported(f"{path}.distinguisherMethod.type", shown, list(_METHODS)))
    level, at = spec["priorityLevelConfiguration"].get("name", ""), f"{path}.priorityLevelConfiguration.name"
    if level:
        problems += checks.name(at, level, names.dns1123_subdomain)
    else:
        problems.append(field.required(at, "must reference a priority level"))
    for position, rule in enumerate(spec.get("rules") or []):
        problems += validate_rule(field.index(f"{path}.rules", position), rule)
    return problems
