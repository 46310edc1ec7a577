"""From selectors, as they were parsed, to the selection that the kernel indexes and evaluates."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import watch
from quarterdeck.apimachinery import fields, labels

_OPERATORS: Final = {
    labels.IN: watch.IN,
    labels.EQUALS: watch.IN,
    labels.DOUBLE_EQUALS: watch.IN,
    labels.NOT_IN: watch.NOT_IN,
    labels.NOT_EQUALS: watch.NOT_IN,
    labels.EXISTS: watch.EXISTS,
    labels.DOES_NOT_EXIST: watch.NOT_EXISTS,
    labels.GREATER_THAN: watch.GREATER,
    labels.LESS_THAN: watch.LESS,
}
# A requirement that no object meets.
_NEVER: Final[tuple[watch.FieldRequirement, ...]] = (("metadata.name", False, ""),)


def build_selection(
    namespace: str = "",
    name: str = "",
    label_selector: labels.Selector = labels.EVERYTHING,
    field_selector: fields.Selector = fields.EVERYTHING,
) -> watch.Selection:
    """The objects in `namespace` ("": in all) called `name` ("": any) that both selectors match."""
    if label_selector.selects_nothing:
        return watch.Selection(namespace, name, (), _NEVER)
    label_requirements = tuple(
        (requirement.key, _OPERATORS[requirement.operator], frozenset(requirement.values))
        for requirement in label_selector.requirements
    )
    field_requirements: list[watch.FieldRequirement] = []
    for field, operator, value in field_selector.requirements:
        is_negated = operator != labels.EQUALS
        # What fixes the key narrows the range that is looked at, and needs no evaluation where it agrees.
        if not is_negated and field == fields.METADATA_NAME and value:
            if name in ("", value):
                name = value
                continue
        elif not is_negated and field == fields.METADATA_NAMESPACE and value and namespace in ("", value):
            namespace = value
            continue
        field_requirements.append((field, is_negated, value))
    return watch.Selection(namespace, name, label_requirements, tuple(field_requirements))
