"""Capacities of devices that claims share: how much each may ask for.

Source: pkg/apis/resource/validation/validation.go (validateRequestPolicy …).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.quantity import Quantity, low_bits
from quarterdeck.registry.builtin.checks import Object

OPTIONS_MAX: Final = 10


def validate_capacity(path: str, capacity: Object, *, is_shared: bool) -> list[FieldError]:
    if (policy := capacity.get("requestPolicy")) is None:
        return []
    at = f"{path}.requestPolicy"
    if not is_shared:
        return [field.forbidden(at, "allowMultipleAllocations must be true")]
    values, limits = policy.get("validValues") or [], policy.get("validRange")
    if values and limits is not None:
        detail = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
        return [field.forbidden(at, detail)]
    if not values and limits is None:
        return []
    name = "validValues" if values else "validRange"
    if (given := policy.get("default")) is None:
        return [field.required(f"{at}.default", f"required when {name} is defined")]
    default, most = sentamounts.parse(given), sentamounts.parse(capacity["value"])
    if values:
        return _validate_values(f"{at}.validValues", [sentamounts.parse(each) for each in values], default, most)
    return _validate_range(f"{at}.validRange", limits, default, most)


def _validate_values(path: str, values: list[Quantity], default: Quantity, most: Quantity) -> list[FieldError]:
    problems: list[FieldError] = []
    for position in range(1, len(values)):
        if values[position - 1] > values[position]:
            detail = "values must be sorted in ascending order"
            problems.append(field.invalid(field.index(path, position), str(values[position]), detail))
    if len(values) > OPTIONS_MAX:
        problems.append(field.too_many(path, len(values), OPTIONS_MAX))
        values = []
    for position, value in enumerate(values):
        if value > most:
            detail = f"option is larger than capacity value: {most}"
            problems.append(field.invalid(field.index(path, position), str(value), detail))
    seen: set[int] = set()
    for position, value in enumerate(values):
        if (whole := value.whole()) in seen:
            problems.append(field.duplicate(field.index(path, position), str(whole)))
        seen.add(whole)
    if default not in values:
        problems.append(field.invalid(path, str(default), "default value is not valid according to the requestPolicy"))
    return problems


def _validate_range(path: str, limits: Object, default: Quantity, most: Quantity) -> list[FieldError]:
    low, high, step = (
        None if limits.get(name) is None else sentamounts.parse(limits[name]) for name in ("min", "max", "step")
    )
    if low is None:
        return [field.required(f"{path}.min", "required when validRange is defined")]
    problems = _larger(f"{path}.min", low, f"min is larger than capacity value: {most}", low > most)
    problems += _larger(f"{path}.min", default, f"default is less than min: {low}", default < low)
    if high is not None:
        problems += _larger(f"{path}.max", low, f"min is larger than max: {high}", low > high)
        problems += _larger(f"{path}.max", high, f"max is larger than capacity value: {most}", high > most)
        problems += _larger(f"{path}.max", default, f"default is more than max: {high}", default > high)
    if step is not None:
        first = low.add(step)
        detail = f"one step {first} is larger than capacity value: {most}"
        problems += _larger(f"{path}.step", step, detail, first > most)
        for value in (default, high):
            # Differs from upstream: a step that rounds up to zero makes it panic.
            if value is not None and step.whole() and low_bits(value.whole() - low.whole()) % step.whole():
                detail = f"value is not a multiple of a given step ({step}) from ({low})"
                problems.append(field.invalid(f"{path}.step", str(value), detail))
    return problems


def _larger(path: str, value: Quantity, detail: str, is_so: bool) -> list[FieldError]:
    return [field.invalid(path, str(value), detail)] if is_so else []
