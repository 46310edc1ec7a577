"""Strategic merge patch: a merge patch that knows which lists of the built-in types are merged, and by what key.

Directives in a patch:

    $patch: replace | delete | merge       of the map, or list item, that it stands in
    $retainKeys: [a, b]                    the map keeps these members only
    $setElementOrder/LIST: [...]           the order of a merged list
    $deleteFromPrimitiveList/LIST: [...]   items to take out of a list of scalars

The walk recurses along what the patch and the object have in common, to a fixed depth.

Source: apimachinery/pkg/util/strategicpatch/patch.go, apimachinery/pkg/util/mergepatch; apiserver/pkg/endpoints/
handlers/patch.go (strategicPatchObject, interpretStrategicMergePatchError).
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from quarterdeck._kernels import json as kernel
from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.patch import mergekeys
from quarterdeck.apimachinery.patch.mergekeys import PatchType, Strategy

Object = dict[str, Any]

# Differs from upstream: there the stack grows. No built-in type nests as deep; a schema inside a definition might.
DEPTH_MAX: Final = 200

_DIRECTIVE: Final = "$patch"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_PREFIX: Final = "$deleteFromPrimitiveList/"
_ORDER_PREFIX: Final = "$setElementOrder/"


def decode(data: bytes, *, is_validated: bool = True) -> tuple[Object, list[str]]:
    """The patch of a request body, and the members that it gives twice. Raises BadRequest."""
    try:
        decoded = json_codec.decode(data)
    except json_codec.DecodeError as error:
        raise errors.BadRequest(error.message) from error
    patch = decoded.value if decoded.value is not None else {}
    if not isinstance(patch, dict):
        target = "Go value of type map[string]interface {}"
        raise errors.BadRequest(f"json: cannot unmarshal {gofmt.json_type(patch)} into {target}")
    return patch, decoded.strict_errors if is_validated else []


def apply(document: Object, patch: Object, gvk: tuple[str, str, str]) -> Object:
    """The patched document, which is changed in place. The patch is used up: what is left of it is what upstream shows
    in a refusal. Raises GenericServerResponse, BadRequest, Unreasoned."""
    group, version, kind = gvk
    type_ = mergekeys.type_of_kind(meta.join_api_version(group, version), kind)
    return _merge_map(document, patch, type_)


# ---- refusals ------------------------------------------------------------------------------------------------


def _refuse_retain_keys() -> NoReturn:
    raise errors.BadRequest("invalid patch format of retainKeys")


def _refuse_missing_key(item: object, merge_key: str) -> NoReturn:
    raise errors.Unreasoned(f"map: {gofmt.format_value(item)} does not contain declared merge key: {merge_key}")


def _refuse_directive(directive: object, item: object) -> NoReturn:
    shown = directive if isinstance(directive, str) else f"%!s({gofmt.format_value(directive)})"
    raise errors.Unreasoned(f"unknown patch type: {shown} in map: {gofmt.format_value(item)}")


def _refuse_kind(expected: str, value: object) -> NoReturn:
    raise errors.Unreasoned(f"expected a {expected}, but received a {_go_type(value)}")


def _go_type(value: object) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    if isinstance(value, float):
        return "float64"
    return "string" if isinstance(value, str) else "<nil>"


def _need_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        _refuse_kind("[]interface {}", value)
    return value


# ---- maps ----------------------------------------------------------------------------------------------------


def _merge_map(original: Object, patch: Object, type_: PatchType) -> Object:
    if type_.depth > DEPTH_MAX:
        raise errors.BadRequest(f"exceeded max depth of {DEPTH_MAX}")
    if _DIRECTIVE in patch:
        return _follow_directive(patch)
    if _RETAIN_KEYS in patch:
        _retain_keys(original, patch)
    for name in [name for name in patch if name.startswith(_ORDER_PREFIX)]:
        _merge_ordered_list(original, patch, name, type_)
    for name, value in patch.items():
        is_deletion = name.startswith(_DELETE_PREFIX)
        field_name = name.removeprefix(_DELETE_PREFIX)
        if value is None:
            original.pop(field_name, None)
            continue
        current = original.get(field_name)
        if current is None or _go_type(current) != _go_type(value):
            if not is_deletion:
                _add(original, field_name, value)
        elif isinstance(value, dict):
            child_type, _ = mergekeys.lookup(type_, field_name)
            original[field_name] = _merge_map(current, value, child_type)
        elif isinstance(value, list):
            child_type, strategy = mergekeys.lookup(type_, field_name)
            original[field_name] = _merge_list(current, value, child_type, strategy, is_deletion=is_deletion)
        else:
            original[field_name] = value
    return original


def _follow_directive(patch: Object) -> Object:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        del patch[_DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    _refuse_directive(directive, patch)


def _retain_keys(original: Object, patch: Object) -> None:
    """Members that are not named go; the patch may set no other ones."""
    listed = patch.pop(_RETAIN_KEYS)
    if not isinstance(listed, list):
        _refuse_retain_keys()
    retained = {name for name in listed if isinstance(name, str)}
    for name, value in patch.items():
        is_directive = name.startswith((_DELETE_PREFIX, _ORDER_PREFIX))
        if value is not None and not is_directive and name not in retained:
            raise errors.GenericServerResponse  # patch content doesn't match retainKeys list
    for name in [name for name in original if name not in retained]:
        del original[name]


def _add(original: Object, name: str, value: Any) -> None:
    """A member that the patch adds as it is, but for its nulls, and for maps with a directive, whichever that is."""
    _discard_nulls(value)
    if _is_directed(value):
        original.pop(name, None)
    else:
        original[name] = _without_directed(value)


def _is_directed(value: Any) -> bool:
    return isinstance(value, dict) and _DIRECTIVE in value


def _discard_nulls(value: Any) -> None:
    """Take nulls out of all maps in a value, in place; those in lists stay."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            for name in [name for name, inner in item.items() if inner is None]:
                del item[name]
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def _without_directed(value: Any) -> Any:
    """A value without the maps in it that have a directive. Maps are changed in place, lists are copied: so does
    upstream, which may show the patch afterwards."""
    if isinstance(value, list):
        value = [item for item in value if not _is_directed(item)]
    pending = [value]
    while pending:
        item = pending.pop()
        if not isinstance(item, dict | list):
            continue
        if isinstance(item, dict):
            for name in [name for name, inner in item.items() if _is_directed(inner)]:
                del item[name]
        places = list(item) if isinstance(item, dict) else range(len(item))
        for place in places:
            if isinstance(item[place], list):
                item[place] = [inner for inner in item[place] if not _is_directed(inner)]
            pending.append(item[place])
    return value


# ---- lists ---------------------------------------------------------------------------------------------------


def _merge_list(
    original: list[Any], patch: list[Any], type_: PatchType, strategy: Strategy, *, is_deletion: bool
) -> list[Any]:
    if not strategy.merges and not is_deletion:
        return patch
    if not original and not patch:
        return original
    merge_key = strategy.merge_key
    if not _holds_maps(original, patch):
        if is_deletion:
            unwanted = _index(patch, "")
            return [item for item in original if _identity(item, "") not in unwanted]
        return _order(_deduplicate(original + patch), patch, original, "")
    if not merge_key:
        raise errors.Unreasoned(f"cannot merge lists without merge key for {type_.name}")
    original, patch = _follow_item_directives(original, patch, merge_key)
    merged = list(original)
    positions = _index(merged, merge_key)
    for item in patch:
        if merge_key not in item:
            _refuse_missing_key(item, merge_key)
        position = positions.setdefault(_identity(item, merge_key), len(merged))
        if position == len(merged):
            merged.append(item)
        else:
            merged[position] = _merge_map(merged[position], item, type_)
    return _order(merged, patch, original, merge_key)


def _holds_maps(original: list[Any], patch: list[Any]) -> bool:
    kinds = list(dict.fromkeys(_go_type(item) for item in (*original, *patch)))
    if not kinds:
        raise errors.Unreasoned("no elements in any of the given slices")
    if kinds[0] == "[]interface {}":
        raise errors.GenericServerResponse  # lists of lists are not supported
    if len(kinds) > 1:
        raise errors.Unreasoned(f"list element types are not identical: {gofmt.format_value([original, patch])}")
    return kinds[0] == "map[string]interface {}"


def _deduplicate(items: list[Any]) -> list[Any]:
    kept: dict[tuple[type, Any], Any] = {}
    for item in items:
        kept.setdefault((type(item), item), item)
    return list(kept.values())


def _follow_item_directives(original: list[Any], patch: list[Any], merge_key: str) -> tuple[list[Any], list[Any]]:
    plain = []
    unwanted: set[tuple[str, Any]] = set()
    replaces = False
    for item in patch:
        directive = item.get(_DIRECTIVE)
        if _DIRECTIVE not in item:
            plain.append(item)
        elif directive == "delete":
            _key_of(item, merge_key)
            if not unwanted:
                for each in original:
                    _need_map(each)
            unwanted.add(_identity(item, merge_key))
        elif directive == "replace":
            replaces = True
        elif directive == "merge":
            raise errors.Unreasoned("merging lists cannot yet be specified in the patch")
        else:
            _refuse_directive(directive, item)
    if unwanted:
        original = [each for each in original if merge_key not in each or _identity(each, merge_key) not in unwanted]
    return (plain, []) if replaces else (original, plain)


def _is_same(left: Any, right: Any, merge_key: str) -> bool:
    """Whether two items are the same one: by their key, or, for scalars, by themselves."""
    if merge_key:
        left, right = (_key_of(_need_map(item), merge_key) for item in (left, right))
    return kernel.equal(left, right)


def _need_map(item: Any) -> Object:
    if not isinstance(item, dict):
        _refuse_kind("map[string]interface {}", item)
    return item


def _key_of(item: Object, merge_key: str) -> Any:
    if merge_key not in item:
        _refuse_missing_key(item, merge_key)
    return item[merge_key]


def _index(items: list[Any], merge_key: str) -> dict[Any, int]:
    """Where each item stands; for lists of any length, since a lookup by comparing would be quadratic."""
    positions: dict[Any, int] = {}
    for position, item in enumerate(items):
        positions.setdefault(_identity(item, merge_key), position)
    return positions


def _identity(item: Any, merge_key: str) -> tuple[str, Any]:
    if merge_key:
        if not isinstance(item, dict):
            _refuse_kind("map[string]interface {}", item)
        item = item.get(merge_key)
    return _go_type(item), gofmt.format_json(item) if isinstance(item, (dict, list)) else item


def _order(merged: list[Any], patch_order: list[Any], server_order: list[Any], merge_key: str) -> list[Any]:
    """The items that the patch names in its order, the server's own in theirs, each server item before the first
    patched one that followed it on the server."""
    if merge_key:
        for item in (*merged, *patch_order, *server_order):
            _key_of(_need_map(item), merge_key)
    in_patch, on_server = _index(patch_order, merge_key), _index(server_order, merge_key)
    patched: list[Any] = []
    own: list[Any] = []
    for item in merged:
        (patched if _identity(item, merge_key) in in_patch else own).append(item)
    patched.sort(key=lambda item: in_patch[_identity(item, merge_key)])
    own.sort(key=lambda item: on_server.get(_identity(item, merge_key), len(server_order)))
    ordered: list[Any] = []
    position = 0
    for item in patched:
        place = on_server.get(_identity(item, merge_key))
        while place is not None and position < len(own):
            own_place = on_server.get(_identity(own[position], merge_key))
            if own_place is None or own_place >= place:
                break
            ordered.append(own[position])
            position += 1
        ordered.append(item)
    return ordered + own[position:]


def _merge_ordered_list(original: Object, patch: Object, name: str, type_: PatchType) -> None:
    """`$setElementOrder/LIST`, together with the patch's LIST."""
    order = _need_list(patch.pop(name))
    field_name = name.removeprefix(_ORDER_PREFIX)
    has_original, has_patch = field_name in original, field_name in patch
    if not has_original and not has_patch:
        return
    server_list = _need_list(original[field_name]) if has_original else []
    patch_list = _need_list(patch.pop(field_name)) if has_patch else []
    child_type, strategy = mergekeys.lookup(type_, field_name)
    _check_order(patch_list, order, strategy.merge_key)
    merged = server_list
    if has_original and has_patch:
        merged = _merge_list(server_list, patch_list, child_type, strategy, is_deletion=False)
    elif has_patch:
        merged = _without_directed(patch_list)
    _holds_maps(server_list, patch_list)
    original[field_name] = _order(merged, order, server_list, strategy.merge_key)


def _check_order(patch_list: list[Any], order: list[Any], merge_key: str) -> None:
    """The patch's items must stand in the order that it asks for."""
    if not patch_list or not order:
        return
    remaining = patch_list
    if merge_key:
        remaining = [item for item in patch_list if _need_map(item).get(_DIRECTIVE) != "delete"]
    position = place = 0
    while position < len(remaining) and place < len(order):
        if isinstance(remaining[position], dict) and _DIRECTIVE in remaining[position]:
            position += 1
            continue
        if _is_same(remaining[position], order[place], merge_key):
            position += 1
        place += 1
    if position < len(remaining):
        shown_patch, shown_order = gofmt.format_value(patch_list), gofmt.format_value(order)
        raise errors.Unreasoned(
            f"The order in patch list:\n{shown_patch}\n doesn't match $setElementOrder list:\n{shown_order}\n"
        )
