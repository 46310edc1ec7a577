"""The order of a list that a strategic merge patch has merged, and `$setElementOrder/LIST`, which asks for one.

Source: apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder, validatePatchWithSetOrderList,
mergePatchIntoOriginal).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.patch import listitems

_INSERTED_MAX: Final = 20  # as many are sorted by insertion upstream (sort.SliceStable)


def sort(merged: list[Any], patch_order: list[Any], server_order: list[Any], merge_key: str) -> list[Any]:
    """The items that the patch names in its order, the server's own in theirs, each server item before the first
    patched one that followed it on the server."""
    if merge_key:
        for item in (*merged, *patch_order, *server_order):
            listitems.key_of(listitems.need_map(item), merge_key)
    in_patch, on_server = listitems.index(patch_order, merge_key), listitems.index(server_order, merge_key)
    patched: list[Any] = []
    own: list[Any] = []
    for item in merged:
        (patched if listitems.identity(item, merge_key) in in_patch else own).append(item)
    patched.sort(key=lambda item: in_patch[listitems.identity(item, merge_key)])
    own = _in_server_order(own, on_server, merge_key)
    ordered: list[Any] = []
    position = 0
    for item in patched:
        place = on_server.get(listitems.identity(item, merge_key))
        while place is not None and position < len(own):
            own_place = on_server.get(listitems.identity(own[position], merge_key))
            if own_place is None or own_place >= place:
                break
            ordered.append(own[position])
            position += 1
        ordered.append(item)
    return ordered + own[position:]


def _in_server_order(own: list[Any], on_server: dict[Any, int], merge_key: str) -> list[Any]:
    """The server's own items in its order. Some are the patch's where it asks for no order (`[]`): upstream's
    comparison holds them for less than all others, and all others for less than them, so that each goes before what
    stands there.
    """
    placed = [(on_server.get(listitems.identity(item, merge_key)), item) for item in own]
    if len(own) > _INSERTED_MAX or all(place is not None for place, _ in placed):
        placed.sort(key=lambda pair: (pair[0] is None, pair[0] or 0))
        return [item for _, item in placed]
    ordered: list[tuple[int | None, Any]] = []
    for place, item in placed:
        position = len(ordered)
        while position:
            before = ordered[position - 1][0]
            if place is not None and before is not None and place >= before:
                break
            position -= 1
        ordered.insert(position, (place, item))
    return [item for _, item in ordered]


def check(patch_list: list[Any], order: list[Any], merge_key: str) -> None:
    """The patch's items must stand in the order that it asks for."""
    if not patch_list or not order:
        return
    remaining = patch_list
    if merge_key:
        remaining = [item for item in patch_list if listitems.need_map(item).get(listitems.DIRECTIVE) != "delete"]
    position = place = 0
    while position < len(remaining) and place < len(order):
        if isinstance(remaining[position], dict) and listitems.DIRECTIVE in remaining[position]:
            position += 1
            continue
        if listitems.is_same(remaining[position], order[place], merge_key):
            position += 1
        place += 1
    if position < len(remaining):
        shown_patch, shown_order = gofmt.format_value(patch_list), gofmt.format_value(order)
        raise errors.Unreasoned(
            f"The order in patch list:\n{shown_patch}\n doesn't match $setElementOrder list:\n{shown_order}\n"
        )


def check_order(merged: list[Any], order: list[Any], merge_key: str) -> None:
    """What an order names is searched for each merged item: a scalar in it is met unless all are found before it."""
    scalar = next((place for place, item in enumerate(order) if not isinstance(item, dict)), None)
    if scalar is None:
        return
    before = listitems.index([item for item in order[:scalar] if merge_key in item], merge_key)
    for item in merged:
        if listitems.identity(listitems.need_map(item), merge_key) not in before:
            raise errors.Unreasoned(f"value for key {scalar} is not a map")


def left_behind(server_list: list[Any], patch_list: list[Any], merge_key: str) -> list[Any]:
    """What upstream takes for the server's order. Its merge works in place: items that the patch deletes leave room, in
    which items that it adds come to stand, so that these count as the server's last ones."""
    deleted: list[Any] = []
    plain: list[Any] = []
    for item in patch_list:
        directive = item.get(listitems.DIRECTIVE)
        if directive == "replace":  # of the whole list: nothing is done in place
            return server_list
        (deleted if directive == "delete" else plain).append(item)
    if not deleted:
        return server_list
    kept = listitems.without(server_list, listitems.index(deleted, merge_key), merge_key)
    known = listitems.index([item for item in kept if merge_key in item], merge_key)
    added = listitems.without(plain, known, merge_key)
    return kept + added[: len(server_list) - len(kept)]
