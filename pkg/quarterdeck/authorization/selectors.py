"""The selectors of a request, as far as authorizers look at them: they narrow what is asked for.

Source: apiserver/pkg/authorization/authorizer/interfaces.go (GetFieldSelector, GetLabelSelector),
apiserver/pkg/endpoints/filters/authorization.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import fields, labels
from quarterdeck.apimachinery.requirements import Requirement, SelectorError

FieldRequirements = tuple[fields.Requirement, ...]
LabelRequirements = tuple[Requirement, ...]


class Selectors:
    """All requirements that could be read have to hold. `is_field_bad`, `is_label_bad`: some of them could not."""

    __slots__ = ("fields", "is_field_bad", "is_label_bad", "labels")

    def __init__(self) -> None:
        self.fields: FieldRequirements = ()
        self.labels: LabelRequirements = ()
        self.is_field_bad = False
        self.is_label_bad = False

    def requires_field(self, name: str, value: str) -> bool:
        """Whether only objects are asked for whose field has this value."""
        return any(each.field == name and each.operator == "=" and each.value == value for each in self.fields)


def read(field_selector: str, label_selector: str) -> Selectors | None:
    """Those of a query, or of an expression; None where there are none."""
    if not field_selector and not label_selector:
        return None
    found = Selectors()
    try:
        found.fields = fields.parse(field_selector).requirements
    except SelectorError:
        found.is_field_bad = True
    try:
        found.labels = labels.parse(label_selector).requirements
    except SelectorError:
        found.is_label_bad = True
    return found
