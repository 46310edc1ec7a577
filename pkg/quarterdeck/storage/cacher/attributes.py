"""What selectors look at. Equal labels and fields of many objects are one dict.

A dict of one label takes 230 bytes, and a hundred thousand objects of one application mostly have the same ones.
"""

from __future__ import annotations

from typing import Final

# Objects whose labels differ from one another gain nothing: the table starts anew when it is full.
SHARED_MAX: Final = 4096
# More of them in one object are its own.
_ATTRIBUTES_MAX: Final = 64

_shared: Final[dict[tuple[tuple[str, str], ...], dict[str, str]]] = {}


class Attributes:
    """As the writer of an object knows them: `fields` without metadata.name and metadata.namespace, which the key
    tells. Passed as the hint of a write; neither dict may be changed later."""

    def __init__(self, labels: dict[str, str], fields: dict[str, str]) -> None:
        self.labels = labels
        self.fields = fields


def share(attributes: dict[str, str]) -> dict[str, str]:
    """An equal dict, mostly one that is there already. Nobody may change it."""
    if len(attributes) > _ATTRIBUTES_MAX:
        return attributes
    key = tuple(attributes.items())
    found = _shared.get(key)
    if found is None:
        if len(_shared) >= SHARED_MAX:
            _shared.clear()
        found = _shared[key] = attributes
    return found
