"""Field management, slow and obvious: a set of fields is a Python set of paths, a type is the OpenAPI schema itself.

A path is a tuple of labels in the form of FieldsV1 (`f:name`, `k:{"name":"x"}`, `v:"x"`). Everything recurses; nothing
is shared; lists are searched. Written from the rules of structured-merge-diff, not from the kernels.
"""

import json

DEDUCED = {"deduced": True}
ATOMIC = {"atomic": True}


def label(schema, item):
    keys = schema.get("x-kubernetes-list-map-keys")
    if not keys:
        return "v:" + go_json(item)
    found = {key: schema["items"]["properties"][key].get("default") for key in sorted(keys)}
    found = {key: default for key, default in found.items() if default is not None}
    found.update({key: item[key] for key in keys if key in item})
    return "k:" + go_json({key: found[key] for key in sorted(found)})


def go_json(value):
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def kind(schema, value):
    """scalar, atomic, map, list (of a set or a map) of a present value."""
    if schema is ATOMIC:
        return "atomic"
    if schema is DEDUCED:
        return "map" if isinstance(value, dict) else "atomic" if isinstance(value, list) else "scalar"
    if schema.get("type") == "object":
        return "atomic" if schema.get("x-kubernetes-map-type") == "atomic" else "map"
    if schema.get("type") == "array":
        return "list" if schema.get("x-kubernetes-list-type") in ("set", "map") else "atomic"
    return "scalar"


def below(schema, name):
    if schema is DEDUCED:
        return DEDUCED
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    if "additionalProperties" in schema:
        return schema["additionalProperties"]
    assert schema.get("x-kubernetes-preserve-unknown-fields"), name
    return DEDUCED


def children(schema, value):
    """label → (schema, values); a list may hold several items with one label."""
    if not value:
        return {}
    if isinstance(value, dict):
        return {f"f:{name}": (below(schema, name), [item]) for name, item in value.items()}
    out = {}
    for item in value:
        out.setdefault(label(schema, item), (schema["items"], []))[1].append(item)
    return out


def all_fields(schema, value, path=()):
    """Everything that appears with a value: the value itself and all below it."""
    out = {path}
    if kind(schema, value) in ("map", "list"):
        for name, (inner, items) in children(schema, value).items():
            out |= {(*path, name)} if len(items) > 1 else all_fields(inner, items[0], (*path, name))
    return out


def applied_fields(schema, value, path=()):
    out = set()
    what = kind(schema, value)
    if what in ("scalar", "atomic"):
        return {path}
    for name, (inner, items) in children(schema, value).items():
        here = (*path, name)
        if len(items) > 1:
            out.add(here)
            continue
        out |= applied_fields(inner, items[0], here)
        declared = what == "map" and schema is not DEDUCED and name[2:] in schema.get("properties", {})
        if not declared or items[0] is None or items[0] == {}:
            out.add(here)
    return out


def compare(schema, live, new, path=()):
    """(added, modified, removed) of two values that are there."""
    added, modified, removed = set(), set(), set()
    kinds = {kind(schema, live), kind(schema, new)}
    for what in kinds:
        if what in ("scalar", "atomic"):
            if not same(live, new):
                modified.add(path)
            continue
        want = dict if what == "map" else list
        left, right = (value if isinstance(value, want) else None for value in (live, new))
        if not left and not right:
            if not same(live, new):
                modified.add(path)
            continue
        lefts, rights = children(schema, left), children(schema, right)
        for name in lefts | rights:
            here = (*path, name)
            inner = (lefts.get(name) or rights.get(name))[0]
            a, b = lefts.get(name, (None, []))[1], rights.get(name, (None, []))[1]
            if len(a) == 1 and len(b) == 1:
                more = compare(inner, a[0], b[0], here)
                added |= more[0]
                modified |= more[1]
                removed |= more[2]
            elif len(a) > 1 and len(b) > 1:
                if not same(a, b):
                    modified.add(here)
            else:
                if b:
                    added |= {here} if len(b) > 1 else all_fields(inner, b[0], here)
                if a:
                    removed |= {here} if len(a) > 1 else all_fields(inner, a[0], here)
    return added - {()}, modified - {()}, removed - {()}


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def recursive_difference(left, right):
    return {path for path in left if not any(path[: len(gone)] == gone for gone in right)}


def to_tree(paths):
    """FieldsV1, by inserting one path after the other in canonical order."""
    tree = {}
    members = set(paths)
    for path in sorted(paths, key=lambda path: [order(name) for name in path]):
        node = tree
        for depth, name in enumerate(path, 1):
            if name not in node:
                node[name] = {}
            if depth < len(path) and path[:depth] in members and not node[name]:
                node[name]["."] = {}
            node = node[name]
    return tree


def order(name):
    if name[0] == "f":
        return (0, name)
    value = json.loads(name[2:])
    if name[0] == "k":
        return (1, [(key, value_order(value[key])) for key in sorted(value)])
    return (2, value_order(value))


def value_order(value):
    if isinstance(value, bool):
        return (2, value)
    return (1, value) if isinstance(value, str) else (0, value)


def from_tree(tree, path=()):
    out = set()
    for name, node in tree.items():
        if name == ".":
            out.add(path)
            continue
        if not node:
            out.add((*path, name))
        out |= from_tree(node, (*path, name))
    return out


def merge(schema, live, config):
    """What only one side has stays as it is; what both have is merged, or is the applied value."""
    what = kind(schema, config)
    if what in ("scalar", "atomic"):
        return config
    want = dict if what == "map" else list
    left, right = (value if isinstance(value, want) else None for value in (live, config))
    if not left and not right:
        return config
    if what == "map":
        out = dict(left or {})
        for name, value in (right or {}).items():
            out[name] = merge(below(schema, name), out[name], value) if name in out else value
        return out
    return merge_lists(schema, left or [], right or [])


def merge_lists(schema, left, right):
    """Applied items in their order; before each come the live items that stand before it and are not applied."""
    left_names = [label(schema, item) for item in left]
    right_names = [label(schema, item) for item in right]
    out = []
    at = 0

    def merged(name):
        item = right[right_names.index(name)]
        if name not in left_names:
            return item
        own = left[left_names.index(name)] if left_names.count(name) == 1 else None
        return merge(schema["items"], own, item)

    shared = [name for name in right_names if name in left_names]
    for name in right_names:
        if name not in shared:
            # A new item: after the live items that are not applied and come before the next shared one.
            while at < len(left) and left_names[at] not in right_names:
                out.append(left[at])
                at += 1
            out.append(merged(name))
            continue
        while at < len(left) and left_names[at] != name:
            if left_names[at] not in right_names:
                out.append(left[at])
            at += 1
        out.append(merged(name))
        at += 1
    return out + [item for item, name in zip(left[at:], left_names[at:], strict=True) if name not in right_names]


def remove(schema, value, paths, path=()):
    """Without the members of `paths`. A map or list that lost all of its members stays, empty."""
    what = kind(schema, value)
    if what in ("scalar", "atomic") or not value:
        return value
    if what == "map":
        return {
            name: remove(below(schema, name), item, paths, (*path, f"f:{name}"))
            for name, item in value.items()
            if (*path, f"f:{name}") not in paths
        }
    return [
        remove(schema["items"], item, paths, (*path, label(schema, item)))
        for item in value
        if (*path, label(schema, item)) not in paths
    ]


def with_named(schema, paths):
    """With every declared field above a member as a member itself."""
    out = set(paths)
    for path in paths:
        node = schema
        for depth, name in enumerate(path[:-1], 1):
            if node is not None and node is not DEDUCED and name[0] == "f" and name[2:] in node.get("properties", {}):
                out.add(path[:depth])
            node = schema_below(node, name)
    return out


def schema_below(schema, name):
    if schema is None or schema is DEDUCED:
        return schema
    if name[0] == "k":
        return schema.get("items")
    return below(schema, name[2:]) if schema.get("type") == "object" else None


def prune(schema, merged, last, owned):
    """`merged` without what was in the applier's `last` set and is in nobody's now (`owned`: the union of all sets)."""

    def fields_of(value):
        return with_named(schema, applied_fields(schema, value) - {()})

    last, owned = with_named(schema, last), with_named(schema, owned)
    pruned = remove(schema, merged, last)
    kept = remove(schema, merged, fields_of(merged) - (fields_of(pruned) | owned))
    return remove(schema, merged, (fields_of(merged) - fields_of(kept)) & last)
