"""What a selection asks of the index: the labels and fields that it names, and the sets that they lead to."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery.fields import METADATA_NAME, METADATA_NAMESPACE
from quarterdeck.storage.cacher.postings import Postings

if TYPE_CHECKING:
    from pyroaring import BitMap

# Labels and fields of one selection that are looked up; the others are evaluated.
KEYS_MAX: Final = 8

Key = tuple[bool, str]  # whether it is a field, and its name


def keys_of(selection: watchobject.Selection) -> list[Key]:
    """What is looked up for a selection: first what says that an object has something."""
    wanted: dict[Key, None] = {}
    if selection.namespace:
        wanted[True, METADATA_NAMESPACE] = None
    if selection.name:
        wanted[True, METADATA_NAME] = None
    for key, operator, _ in selection.labels:
        if operator not in (watchobject.NOT_IN, watchobject.NOT_EXISTS):
            wanted[False, key] = None
    for key, is_negated, value in selection.fields:
        if not is_negated and value:
            wanted[True, key] = None
    for key, _, _ in selection.labels:
        wanted[False, key] = None
    for key, _, _ in selection.fields:
        wanted[True, key] = None
    return list(islice(wanted, KEYS_MAX))


def bound(
    selection: watchobject.Selection,
    postings: dict[Key, Postings],
    within: list[BitMap],
    without: list[BitMap],
) -> None:
    """The sets that an object must be in, and must not be in."""
    for field, value in ((METADATA_NAMESPACE, selection.namespace), (METADATA_NAME, selection.name)):
        known = postings.get((True, field))
        if value and known is not None:
            within.append(known.of((value,)))
    for key, operator, values in selection.labels:
        known = postings.get((False, key))
        if known is None:
            continue
        if operator == watchobject.IN:
            within.append(known.of(values))
        elif operator == watchobject.NOT_IN:
            without.append(known.of(values))
        elif operator == watchobject.NOT_EXISTS:
            without.append(known.present)
        else:
            within.append(known.present)
    for key, is_negated, wanted in selection.fields:
        known = postings.get((True, key))
        if known is None:
            continue
        texts = (wanted,) if isinstance(wanted, str) else wanted
        if not is_negated:
            (within if wanted else without).append(known.of(texts) if wanted else known.present)
            continue
        without.append(known.of(texts))
        if "" in texts:
            within.append(known.present)
