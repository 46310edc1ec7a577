"""What all versions of a definition have in common, which upstream's internal type keeps beside them.

Source: apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apiextensions import empties, jsonvalues

_LISTS: Final = ("additionalPrinterColumns", "selectableFields")
MEMBERS: Final = ("schema", "subresources", *_LISTS)


def hoisted_members(versions: list[dict[str, Any]]) -> frozenset[str]:
    """The members in which all versions are alike."""
    return frozenset(
        member
        for member in MEMBERS
        if all(_is_alike(member, version.get(member), versions[0].get(member)) for version in versions)
    )


def _is_alike(member: str, one: Any, other: Any) -> bool:
    """An empty list is none at all, an empty struct is something."""
    if jsonvalues.are_equal(one, other) or (member in _LISTS and not one and not other):
        return True
    return member == "schema" and empties.are_alike_without(one, other)
