"""Label selectors.

Two forms become the same Selector: the text of `?labelSelector=` (`parse`) and the LabelSelector of objects
(`from_label_selector`). Requirements are in the order of their keys.

Source: apimachinery/pkg/labels/selector.go; apimachinery/pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from quarterdeck.apimachinery import gofmt, selector_syntax
from quarterdeck.apimachinery.requirements import (
    DOES_NOT_EXIST,
    EQUALS,
    EXISTS,
    IN,
    NOT_IN,
    Requirement,
    SelectorError,
    build_requirement,
    check_terms,
)

_OBJECT_OPERATORS: Final = {"In": IN, "NotIn": NOT_IN, "Exists": EXISTS, "DoesNotExist": DOES_NOT_EXIST}


@dataclass(frozen=True, slots=True)
class Selector:
    """All requirements must hold. `selects_nothing` is upstream's labels.Nothing()."""

    requirements: tuple[Requirement, ...] = ()
    selects_nothing: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it matches everything."""
        return not self.requirements and not self.selects_nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.selects_nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = Selector()
NOTHING: Final = Selector(selects_nothing=True)


def from_label_selector(selector: Mapping[str, Any] | None) -> Selector:
    """A LabelSelector (matchLabels, matchExpressions); an absent one selects nothing, an empty one everything."""
    if selector is None:
        return NOTHING
    requirements = [
        build_requirement(key, EQUALS, [value]) for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or []:
        operator = expression.get("operator") or ""
        if operator not in _OBJECT_OPERATORS:
            raise SelectorError(f"{gofmt.quote(operator)} is not a valid label selector operator")
        values = expression.get("values") or []
        requirements.append(build_requirement(expression.get("key") or "", _OBJECT_OPERATORS[operator], values))
    return _sorted_selector(requirements)


def _sorted_selector(requirements: list[Requirement]) -> Selector:
    if not requirements:
        return EVERYTHING
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def parse(text: str) -> Selector:
    """The selector of a query parameter. Raises SelectorError."""
    if not text:
        return EVERYTHING
    check_terms(text)
    return _parse_short(text) if len(text) <= _CACHED_CHARS_MAX else _sorted_selector(selector_syntax.parse(text))


# Clients ask with the same few selectors again and again, and parsing one costs as much as a small object.
_CACHED_CHARS_MAX: Final = 512


@lru_cache(maxsize=512)
def _parse_short(text: str) -> Selector:
    return _sorted_selector(selector_syntax.parse(text))
