"""Questions how pools of devices are used: asked once, answered once.

Source: pkg/registry/resource/resourcepoolstatusrequest/strategy.go,
pkg/apis/resource/v1alpha3/zz_generated.validations.go,
pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, semantic
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import goorder, gotypes

TIMES: Final = SentTimes("status.conditions.*.lastTransitionTime")
_TABLE: Final = "resource_v1alpha3"
_STATUS: Final = "ResourcePoolStatusRequestStatus"
_LIMIT: Final = 100
_LIMIT_MAX: Final = 1000
_POOLS_MAX: Final = 1000
_CONDITIONS_MAX: Final = 10
_ERROR_BYTES_MAX: Final = 256
# The least of the numbers of a pool.
_LEAST: Final[Mapping[str, int]] = {
    "generation": 0,
    "resourceSliceCount": 1,
    "totalDevices": 0,
    "allocatedDevices": 0,
    "availableDevices": 0,
    "unavailableDevices": 0,
}


def default_request(obj: Object) -> None:
    if obj["spec"].get("limit") is None:
        obj["spec"]["limit"] = _LIMIT


class PoolStatusRequestStrategy(BuiltinStrategy):
    allow_unconditional_update = False

    def default_new(self, obj: Object) -> None:
        obj.pop("status", None)

    def keep(self, new: Object, old: Object) -> None:
        _take(new, old, "status")

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        driver, pool, limit = spec.get("driver") or "", spec.get("poolName"), spec["limit"]
        problems = _validate_driver("spec.driver", driver)
        if pool is not None:
            problems += _validate_pool_name("spec.poolName", pool)
        if limit > _LIMIT_MAX:
            problems.append(field.invalid("spec.limit", limit, f"must be less than or equal to {_LIMIT_MAX}"))
        return problems + _at_least("spec.limit", limit, 1)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        if semantic.same(new["spec"], old["spec"], _TABLE, "ResourcePoolStatusRequestSpec"):
            return []
        return [field.invalid("spec", None, checks.IMMUTABLE)]


class PoolStatusRequestStatusStrategy(PoolStatusRequestStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        keep_metadata(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        """An answer that was given stays."""
        status, before = new.get("status"), old.get("status")
        is_changed = status != before and not (
            status is not None and before is not None and semantic.same(status, before, _TABLE, _STATUS)
        )
        problems: list[FieldError] = []
        if before is not None:
            if is_changed or TIMES.have_fraction("status"):
                shown = gonames.show(_STATUS, status, table=_TABLE) if status is not None else None
                problems.append(field.invalid("status", shown, checks.IMMUTABLE))
        elif status is not None:
            problems += validate_conditions(status.get("conditions") or [], "status.conditions")
        return problems + (_validate_status(status, before or {}) if is_changed and status is not None else [])


def _take(new: Object, old: Object, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _validate_status(status: Object, before: Object) -> list[FieldError]:
    """What has not changed is not looked at again."""
    count, pools, conditions = status.get("poolCount"), status.get("pools") or [], status.get("conditions") or []
    problems: list[FieldError] = []
    if count is None:
        if before.get("poolCount") is not None or not before:
            problems.append(field.required("status.poolCount"))
    elif count != before.get("poolCount"):
        problems += _at_least("status.poolCount", count, 0)
    if pools != (before.get("pools") or []):
        problems += parts.items("status.pools", pools, _POOLS_MAX, _validate_pool)
    if conditions != (before.get("conditions") or []):
        problems += _validate_conditions(conditions)
    return problems


def _validate_conditions(conditions: list[Object]) -> list[FieldError]:
    """Each that is there before is told whole."""
    if len(conditions) > _CONDITIONS_MAX:
        return [field.too_many("status.conditions", len(conditions), _CONDITIONS_MAX)]
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, condition in enumerate(conditions):
        if (kind := condition.get("type") or "") in seen:
            shown = GoText(checks.in_order(goorder.order_members(condition, gotypes.named_struct("meta", "Condition"))))
            problems.append(field.duplicate(field.index("status.conditions", position), shown))
        seen.add(kind)
    return problems


def _validate_pool(path: str, pool: Object) -> list[FieldError]:
    driver, name, generation = pool.get("driver") or "", pool.get("poolName") or "", pool.get("generation") or 0
    problems = _validate_driver(f"{path}.driver", driver)
    problems += _validate_pool_name(f"{path}.poolName", name) if name else [field.required(f"{path}.poolName")]
    if not generation:
        problems.append(field.required(f"{path}.generation"))
    for number, least in _LEAST.items():
        if (value := pool.get(number)) is not None:
            problems += _at_least(f"{path}.{number}", value, least)
    if (node := pool.get("nodeName")) is not None:
        problems += checks.name(f"{path}.nodeName", node, names.long_name)
    error = pool.get("validationError")
    if error is not None and len(error.encode("utf-8", "surrogatepass")) > _ERROR_BYTES_MAX:
        problems.append(field.too_long(f"{path}.validationError", _ERROR_BYTES_MAX))
    return problems


def _at_least(path: str, value: int, least: int) -> list[FieldError]:
    return [field.invalid(path, value, f"must be greater than or equal to {least}")] if value < least else []


def _validate_driver(path: str, driver: str) -> list[FieldError]:
    if not driver:
        return [field.required(path)]
    return checks.all_of(path, driver, names.caseless_long_name(driver))


def _validate_pool_name(path: str, name: str) -> list[FieldError]:
    """Parts of a path, each of which is told by its place."""
    problems = [field.too_long(path, parts.POOL_BYTES_MAX)] if len(name.encode()) > parts.POOL_BYTES_MAX else []
    for position, part in enumerate(name.split("/")):
        if not part:
            problems.append(field.invalid(path, name, f"segment {position}: must not be empty"))
        else:
            texts = names.long_name(part)
            problems += [field.invalid(path, part, f"segment {position}: {text}") for text in texts]
    return problems
