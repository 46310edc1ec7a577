"""What the rules of a schema may cost, by the estimate, and what is said of those that may cost too much.

Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from quarterdeck.apimachinery import field as fields
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel import cost_math

RULE_COST_MAX: Final = 10_000_000
SCHEMA_COST_MAX: Final = 100_000_000
_EXPENSIVE_SHOWN_MAX: Final = 4
_ADVICE: Final = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared)"
)

_CONTRIBUTED: Final = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"


@dataclass(slots=True)
class Costs:
    """The estimates of a schema's rules: their sum, and the most expensive of those above 1% of what it may be."""

    bounds_each: bool = True
    total: int = 0
    expensive: list[tuple[int, str]] = field(default_factory=list)

    def observe(self, path: str, name: str, amount: int) -> list[FieldError]:
        """What is wrong with one estimate, which is called `name`, where each has a bound."""
        self.total = cost_math.add(self.total, amount)
        if amount >= SCHEMA_COST_MAX // 100:
            self.expensive.append((amount, path))
            self.expensive.sort(key=lambda pair: -pair[0])
            del self.expensive[_EXPENSIVE_SHOWN_MAX:]
        if not self.bounds_each or amount <= RULE_COST_MAX:
            return []
        return [fields.forbidden(path, cost_message(name, amount, RULE_COST_MAX))]

    def errors(self, path: str) -> list[FieldError]:
        """What is wrong with the sum; `path` is the schema's."""
        if self.total <= SCHEMA_COST_MAX:
            return []
        found = [fields.forbidden(p, _CONTRIBUTED) for _, p in self.expensive]
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        found.append(fields.forbidden(path, cost_message(name, self.total, SCHEMA_COST_MAX)))
        return found


def cost_message(name: str, amount: int, limit: int) -> str:
    """`… exceeds budget by factor of 2.3x …`."""
    factor = amount / limit
    if factor > 100:
        shown = "more than 100x"
    elif factor < 1.5:
        shown = f"{factor:f}x"
    else:
        shown = f"{factor:.1f}x"
    return f"{name} exceeds budget by factor of {shown} {_ADVICE}"
