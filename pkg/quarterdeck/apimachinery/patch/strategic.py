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

from quarterdeck.apimachinery import errors, gofmt, meta, offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.patch import listitems, listorder, mergekeys
from quarterdeck.apimachinery.patch.mergekeys import PatchType, Strategy

Object = dict[str, Any]

# Differs from upstream: there the stack grows. No built-in type nests as deep; a schema inside a definition might.
DEPTH_MAX: Final = 200

_RETAIN_KEYS: Final = "$retainKeys"
_DELETION: Final = "$deleteFromPrimitiveList"
_DELETE_PREFIX: Final = f"{_DELETION}/"
_ORDER: Final = "$setElementOrder"
_ORDER_PREFIX: Final = f"{_ORDER}/"


def decode(data: bytes, *, is_validated: bool = True) -> tuple[Object, list[str]]:
    """The patch of a request body, and the members that it gives twice. Raises BadRequest."""
    try:
        decoded = json_codec.decode(data, keeps_huge=True)
    except json_codec.DecodeError as error:
        raise errors.BadRequest(error.message) from error
    patch = decoded.value if decoded.value is not None else {}
    if not isinstance(patch, dict):
        target = "Go value of type map[string]interface {}"
        raise errors.BadRequest(f"json: cannot unmarshal {gofmt.json_type(patch)} into {target}")
    if decoded.huge:
        raise errors.BadRequest(json_codec.huge_number(decoded.huge).message)
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


def _refuse_directive(directive: object, item: object) -> NoReturn:
    raise errors.Unreasoned(f"unknown patch type: {gofmt.format_as_text(directive)} in map: {gofmt.format_value(item)}")


# ---- maps ----------------------------------------------------------------------------------------------------


def _merge_map(original: Object, patch: Object, type_: PatchType) -> Object:
    if type_.depth > DEPTH_MAX:
        raise errors.BadRequest(f"exceeded max depth of {DEPTH_MAX}")
    if listitems.DIRECTIVE in patch:
        return _follow_directive(patch)
    if _RETAIN_KEYS in patch:
        _retain_keys(original, patch)
    for name in [name for name in patch if name.startswith(_ORDER)]:
        listitems.need_list(patch[name])
        if not name.startswith(_ORDER_PREFIX):
            raise errors.BadRequest("invalid patch format of setElementOrder list")
        _merge_ordered_list(original, patch, name, type_)
    for name, value in patch.items():
        is_deletion = name.startswith(_DELETION)
        if is_deletion and not name.startswith(_DELETE_PREFIX):
            raise errors.BadRequest("invalid patch format of primitive list")
        field_name = name.removeprefix(_DELETE_PREFIX)
        if value is None:
            original.pop(field_name, None)
            continue
        current = original.get(field_name)
        if current is None or listitems.go_type(current) != listitems.go_type(value):
            if not is_deletion:
                _add(original, field_name, value)
        elif isinstance(value, dict):
            child_type, strategy = mergekeys.lookup(type_, field_name)
            original[field_name] = value if strategy.replaces_maps else _merge_map(current, value, child_type)
        elif isinstance(value, list):
            child_type, strategy = mergekeys.lookup_list(type_, field_name)
            original[field_name] = _merge_list(current, value, child_type, strategy, is_deletion=is_deletion)
        else:
            original[field_name] = value
    return original


def _follow_directive(patch: Object) -> Object:
    directive = patch[listitems.DIRECTIVE]
    if directive == "replace":
        del patch[listitems.DIRECTIVE]
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
        is_directive = name.startswith((_DELETION, _ORDER))
        if value is not None and not is_directive and name not in retained:
            _refuse_retain_keys()
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
    return isinstance(value, dict) and listitems.DIRECTIVE in value


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
            return listitems.without(original, listitems.index(patch, ""), "")
        return listorder.sort(_deduplicate(original + patch), patch, original, "")
    if not merge_key:
        raise errors.Unreasoned("cannot merge lists without merge key for struct")
    original, patch = _follow_item_directives(original, patch, merge_key)
    merged = list(original)
    positions = listitems.index(merged, merge_key)
    for item in patch:
        if merge_key not in item:
            listitems.refuse_missing_key(item, merge_key)
        position = positions.setdefault(listitems.identity(item, merge_key), len(merged))
        if position == len(merged):
            merged.append(item)
        else:
            merged[position] = _merge_map(merged[position], item, type_)
    return listorder.sort(merged, patch, original, merge_key)


def _holds_maps(original: list[Any], patch: list[Any]) -> bool:
    kinds = list(dict.fromkeys(listitems.go_type(item) for item in (*original, *patch)))
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
    offload.hold(unwanted)
    replaces = False
    for item in patch:
        directive = item.get(listitems.DIRECTIVE)
        if listitems.DIRECTIVE not in item:
            plain.append(item)
        elif directive == "delete":
            listitems.key_of(item, merge_key)
            if not unwanted:
                for each in original:
                    listitems.need_map(each)
            unwanted.add(listitems.identity(item, merge_key))
        elif directive == "replace":
            replaces = True
        elif directive == "merge":
            raise errors.Unreasoned("merging lists cannot yet be specified in the patch")
        else:
            _refuse_directive(directive, item)
    if unwanted:
        original = listitems.without(original, unwanted, merge_key)
    return (plain, []) if replaces else (original, plain)


def _merge_ordered_list(original: Object, patch: Object, name: str, type_: PatchType) -> None:
    """`$setElementOrder/LIST`, together with the patch's LIST."""
    order = listitems.need_list(patch.pop(name))
    field_name = name.removeprefix(_ORDER_PREFIX)
    has_original, has_patch = field_name in original, field_name in patch
    server_list = listitems.need_list(original[field_name]) if has_original else []
    patch_list = listitems.need_list(patch.pop(field_name)) if has_patch else []
    child_type, strategy = mergekeys.lookup_list(type_, field_name)
    listorder.check(patch_list, order, strategy.merge_key)
    if not has_original and not has_patch:
        return
    merged = server_list
    if has_original and has_patch:
        merged = _merge_list(server_list, patch_list, child_type, strategy, is_deletion=False)
    elif has_patch:
        merged = _without_directed(patch_list)
    if strategy.merge_key:
        listorder.check_order(merged, order, strategy.merge_key)
    if _holds_maps(server_list, patch_list):
        if not strategy.merge_key:
            first = (*order, *server_list, *patch_list)[0]
            listitems.refuse_missing_key(listitems.need_map(first), strategy.merge_key)
        server_list = listorder.left_behind(server_list, patch_list, strategy.merge_key)
    original[field_name] = listorder.sort(merged, order, server_list, strategy.merge_key)
