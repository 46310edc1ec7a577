"""From selectors, as they were parsed, to the selection that the kernel indexes and evaluates."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import fields, labels

_OPERATORS: Final = {
    labels.IN: watchobject.IN,
    labels.EQUALS: watchobject.IN,
    labels.DOUBLE_EQUALS: watchobject.IN,
    labels.NOT_IN: watchobject.NOT_IN,
    labels.NOT_EQUALS: watchobject.NOT_IN,
    labels.EXISTS: watchobject.EXISTS,
    labels.DOES_NOT_EXIST: watchobject.NOT_EXISTS,
    labels.GREATER_THAN: watchobject.GREATER,
    labels.LESS_THAN: watchobject.LESS,
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
    label_requirements = tuple(
        (requirement.key, _OPERATORS[requirement.operator], frozenset(requirement.values))
        for requirement in label_selector.requirements
    )
    field_requirements: list[watchobject.FieldRequirement] = []
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
    return watchobject.Selection(namespace, name, label_requirements, tuple(field_requirements))
