"""From selectors, as they were parsed, to the selection that the kernel indexes and evaluates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import fields, labels
from quarterdeck.apimachinery.requirements import (
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    GREATER_THAN,
    IN,
    LESS_THAN,
    NOT_EQUALS,
    NOT_IN,
    Requirement,
)

_OPERATORS: Final = {
    IN: watchobject.IN,
    EQUALS: watchobject.IN,
    DOUBLE_EQUALS: watchobject.IN,
    NOT_IN: watchobject.NOT_IN,
    NOT_EQUALS: watchobject.NOT_IN,
    EXISTS: watchobject.EXISTS,
    DOES_NOT_EXIST: watchobject.NOT_EXISTS,
    GREATER_THAN: watchobject.GREATER,
    LESS_THAN: watchobject.LESS,
}
# A requirement that no object meets.
_NEVER: Final[tuple[watchobject.FieldRequirement, ...]] = (("metadata.name", False, ""),)


def build_selection(
    namespace: str = "",
    name: str = "",
    label_selector: labels.Selector = labels.EVERYTHING,
    field_selector: fields.Selector = fields.EVERYTHING,
) -> watchobject.Selection:
    """The objects in `namespace` ("": in all) called `name` ("": any) that both selectors match."""
    if label_selector.selects_nothing:
        return watchobject.Selection(namespace, name, (), _NEVER)
    label_requirements = _merge_labels(label_selector.requirements)
    if label_requirements is None:
        return watchobject.Selection(namespace, name, (), _NEVER)
    positive: dict[str, str] = {}
    negative: dict[str, set[str]] = {}
    for field, operator, value in field_selector.requirements:
        if operator != EQUALS:
            negative.setdefault(field, set()).add(value)
        elif positive.setdefault(field, value) != value:
            return watchobject.Selection(namespace, name, (), _NEVER)
    # What fixes the key narrows the range that is looked at, and needs no evaluation where it agrees.
    wanted = positive.get(fields.METADATA_NAME)
    if wanted and name in ("", wanted):
        name = wanted
        del positive[fields.METADATA_NAME]
    wanted = positive.get(fields.METADATA_NAMESPACE)
    if wanted and namespace in ("", wanted):
        namespace = wanted
        del positive[fields.METADATA_NAMESPACE]
    field_requirements: list[watchobject.FieldRequirement] = [(key, False, value) for key, value in positive.items()]
    for key, values in negative.items():
        field_requirements.append((key, True, frozenset(values) if len(values) > 1 else values.pop()))
    return watchobject.Selection(namespace, name, label_requirements, tuple(field_requirements))


def _merge_labels(
    requirements: tuple[Requirement, ...],
) -> tuple[watchobject.LabelRequirement, ...] | None:
    """At most one requirement for each key and operator, in the order in which they come first, so that an object is
    judged in a time that does not grow with the selector's length. None: no object can meet them."""
    merged: dict[tuple[str, int], frozenset[str]] = {}
    bounds: list[watchobject.LabelRequirement] = []
    for key, text, given in requirements:
        operator, values = _OPERATORS[text], frozenset(given)
        if operator in (watchobject.GREATER, watchobject.LESS):
            bounds.append((key, operator, values))
            continue
        known = merged.get((key, operator))
        if known is None:
            merged[key, operator] = values
        elif operator == watchobject.IN:
            merged[key, operator] = known & values
            if not known & values:
                return None
        else:
            merged[key, operator] = known | values
    return (*((key, operator, values) for (key, operator), values in merged.items()), *dict.fromkeys(bounds))


def select(entries: Sequence[watchobject.Entry], selection: watchobject.Selection) -> list[watchobject.Entry]:
    """Those of some entries that a selection holds; their labels and fields are known."""
    return watchobject.select(_know, selection, list(entries))


def _know(entry: watchobject.Entry) -> None:
    assert entry.labels is not None, entry.path
