"""Lists that Go takes for changed by an update that leaves them what they are.

Who owns fields is found by comparing the live object with the new one. A list that is owned as a whole is compared by
reflect.DeepEqual, which sees how its items were sent (schema/gosent.py): `ports: []` in a rule that had no ports, or
`1000m` for a core, makes the writer the owner of the list.

Source: structured-merge-diff v6, value/listreflect.go (EqualsUsing).
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import Any, Final

from quarterdeck._kernels import members
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.gosent import KINDS_WITH_TEXTS, is_read_otherwise
from quarterdeck.schema.gotype import Field, ListOf, MapOf, Scalar, Struct

_NOTHING: Final[Object] = {}
# As in written.py: between decoding and the comparison no other object is decoded.
_sent: ContextVar[Object] = ContextVar("the object that was decoded last, as it was sent", default=_NOTHING)


def note(body: Object, struct: Struct) -> None:
    """What is about to be decoded; its lists and maps are not changed from now on. It is kept where it may matter."""
    is_kept = _fields_with_lists(struct) and (_holds_texts(struct) or members.has_empty(body))
    found = body if is_kept else _NOTHING
    if found is not _sent.get():
        _sent.set(found)


def as_compared(live: Object, new: Object, struct: Struct) -> Object:
    """The live object with other lists in the place of those that Go tells from the new ones; itself where there are
    none."""
    sent = _sent.get()
    return _mark(live, new, sent, struct) if sent else live


def _mark(live: Any, new: Any, sent: Any, struct: Struct) -> Any:
    if not (isinstance(live, dict) and isinstance(new, dict) and isinstance(sent, dict)):
        return live
    made: Object | None = None
    for name, field in _fields_with_lists(struct):
        if name in sent and name in live and name in new:
            known = live[name]
            member = _mark_member(known, new[name], sent[name], field)
            if member is not known:
                made = dict(live) if made is None else made
                made[name] = member
    return live if made is None else made


def _mark_member(live: Any, new: Any, sent: Any, field: Field) -> Any:
    if isinstance(field.type, Struct):
        return _mark(live, new, sent, field.type)
    assert isinstance(field.type, ListOf)
    if not (isinstance(live, list) and isinstance(new, list) and isinstance(sent, list) and len(new) == len(sent)):
        return live
    if field.list_keys:
        return _mark_items(live, new, sent, field.type.item, field.list_keys)
    # One item more: it is another list, whatever the new one has.
    return [*live, {}] if live == new and any(is_read_otherwise(item, field.type.item) for item in sent) else live


def _mark_items(live: list[Any], new: list[Any], sent: list[Any], item: Any, keys: tuple[str, ...]) -> list[Any]:
    """Of a list whose items are owned one by one."""
    places = {_key_of(each, keys): place for place, each in enumerate(live)}
    made: list[Any] | None = None
    for each, as_sent in zip(new, sent, strict=True):
        place = places.get(_key_of(each, keys))
        if place is not None and (marked := _mark(live[place], each, as_sent, item)) is not live[place]:
            made = list(live) if made is None else made
            made[place] = marked
    return live if made is None else made


def _key_of(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(repr(item.get(name)) for name in keys) if isinstance(item, dict) else ()


@cache
def _fields_with_lists(struct: Struct) -> tuple[tuple[str, Field], ...]:
    """The members in which there are lists of structs."""
    return tuple((name, field) for name, field in struct.fields.items() if _holds_lists(field, frozenset({struct})))


def _holds_lists(field: Field, above: frozenset[Struct]) -> bool:
    if isinstance(field.type, ListOf):
        return isinstance(field.type.item, Struct)
    if isinstance(field.type, Struct) and field.type not in above:
        return any(_holds_lists(each, above | {field.type}) for each in field.type.fields.values())
    return False


@cache
def _holds_texts(struct: Struct) -> bool:
    """Whether some list that is owned as a whole has members that Go reads and keeps as more than their value."""
    return any(_has_texts(field, frozenset({struct}), is_owned_whole=False) for field in struct.fields.values())


def _has_texts(field: Field, above: frozenset[Struct], *, is_owned_whole: bool) -> bool:
    go_type = field.type
    while isinstance(go_type, (ListOf, MapOf)):
        is_owned_whole = is_owned_whole or (isinstance(go_type, ListOf) and not field.list_keys)
        go_type = go_type.item if isinstance(go_type, ListOf) else go_type.value
    if isinstance(go_type, Scalar):
        return is_owned_whole and go_type.kind in KINDS_WITH_TEXTS
    if not isinstance(go_type, Struct) or go_type in above:
        return False
    inner = above | {go_type}
    return any(_has_texts(each, inner, is_owned_whole=is_owned_whole) for each in go_type.fields.values())
