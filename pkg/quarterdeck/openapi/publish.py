"""A structural schema as the documents publish it: what a CRD's author wrote, in each OpenAPI version's words.

Version 3 keeps all that structural schemas know; int-or-string is spelled out, embedded resources get their metadata.
Version 2 has no nullable and no junctors, and leaves out what kubectl would misread: properties of nullable or
preserving objects, arrays without items. Nodes are copied with an explicit stack, for schemas of any depth; values
(defaults, enums, rules) are shared with the input, not copied.

Sources: apiextensions-apiserver/pkg/apiserver/schema/{unfold,kubeopenapi,convert}.go, pkg/controller/openapi/v2/
conversion.go, pkg/controller/openapi/builder/builder.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.openapi import names

Schema = dict[str, Any]

OBJECT_META: Final = names.META_PREFIX + "ObjectMeta"
LIST_META: Final = names.META_PREFIX + "ListMeta"

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_VALIDATIONS: Final = "x-kubernetes-validations"
_GVK: Final = "x-kubernetes-group-version-kind"
_SELECTABLE: Final = "x-kubernetes-selectable-fields"

# Keywords that are left out when they say nothing: null, false, "", and empty lists.
_WORDS: Final = frozenset((
    "description", "type", "title", "format", "exclusiveMaximum", "exclusiveMinimum", "pattern", "enum", "required",
    "externalDocs", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    _PRESERVE, _EMBEDDED, _INT_OR_STRING,
))  # fmt: skip
# Keywords that say something unless they are null.
_VALUES: Final = frozenset((
    "default", "example", "maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems", "multipleOf",
    "maxProperties", "minProperties",
))  # fmt: skip
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
_RULE_WORDS: Final = ("rule", "message", "messageExpression", "reason", "fieldPath")

_EITHER: Final = [{"type": "integer"}, {"type": "string"}]

API_VERSION: Final = {
    "description": "Group and version of this object's schema; servers convert from and to it.",
    "type": "string",
}
KIND: Final = {
    "description": "The REST resource that this object stands for, in CamelCase; it cannot be changed.",
    "type": "string",
}
_METADATA: Final = "Standard object's metadata."
_LIST_METADATA: Final = "Standard list metadata."


def publish(schema: Schema | None, gvk: Schema, selectable: list[Schema], *, is_v2: bool) -> Schema:
    """The definition of a custom resource. `schema` None: a version that has none, of which nothing is known."""
    if schema is None or (is_v2 and schema.get(_PRESERVE)):
        # kubectl takes known properties for the only ones: so there are none.
        published: Schema = {"type": "object"}
    else:
        published = _copy(schema, is_v2=is_v2)
        properties = published.setdefault("properties", {})
        properties["metadata"] = reference(OBJECT_META, _METADATA, is_v2=is_v2)
        properties["apiVersion"] = API_VERSION
        properties["kind"] = KIND
    published[_GVK] = [gvk]
    if selectable:
        published[_SELECTABLE] = selectable
    return published


def publish_list(item: str, gvk: Schema, plural: str, selectable: list[Schema], *, is_v2: bool) -> Schema:
    """The definition of a custom resource's list; `item` names the resource's definition."""
    list_kind, kind = gvk["kind"], item.rpartition(".")[2]
    items = {"description": f"List of {plural}.", "items": _pointer(item, is_v2=is_v2), "type": "array"}
    published = {
        "description": f"{list_kind} is a list of {kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": API_VERSION,
            "items": items,
            "kind": KIND,
            "metadata": reference(LIST_META, _LIST_METADATA, is_v2=is_v2),
        },
        _GVK: [gvk],
    }
    if selectable:
        published[_SELECTABLE] = selectable
    return published


def _pointer(name: str, *, is_v2: bool) -> Schema:
    return {"$ref": ("#/definitions/" if is_v2 else "#/components/schemas/") + name}


def reference(name: str, description: str, *, is_v2: bool, default: object = None) -> Schema:
    """A property of another definition's type. In version 3 nothing may stand beside `$ref`."""
    pointer = _pointer(name, is_v2=is_v2)
    words = {"description": description} if description else {}
    if default is not None:
        words["default"] = default  # type: ignore[assignment]
    if not words:
        return pointer
    return words | pointer if is_v2 else words | {"allOf": [pointer]}


def _copy(root: Schema, *, is_v2: bool) -> Schema:
    """A published copy of the structural part; its junctors with it."""
    published: Schema = {}
    # (what to copy, where to, is it below a junctor)
    stack: list[tuple[Schema, Schema, bool]] = [(root, published, False)]
    while stack:
        schema, out, is_nested = stack.pop()
        _copy_words(schema, out)
        if not is_nested and is_v2:
            _drop_for_v2(schema, out)
        is_open = is_v2 and bool(schema.get("nullable") or schema.get(_PRESERVE))
        if not is_open:
            _copy_children(schema, out, is_nested, stack)
        _copy_values(schema, out, is_nested, stack)
        if is_v2:
            if out.get("type") == "array" and "items" not in out:
                del out["type"]
        else:
            _copy_junctors(schema, out, stack)
            if schema.get(_INT_OR_STRING) and not is_nested:
                _spell_out(schema, out)
        if out.get(_EMBEDDED) and not is_nested and not (is_v2 and out.get(_PRESERVE)):
            _embed(out, is_v2=is_v2)
    return published


def _copy_words(schema: Schema, out: Schema) -> None:
    for word, value in schema.items():
        if (value and word in _WORDS) or (value is not None and word in _VALUES):
            out[word] = value
    if rules := schema.get(_VALIDATIONS):
        out[_VALIDATIONS] = [_publish_rule(rule) for rule in rules]


def _publish_rule(rule: Schema) -> Schema:
    published = {word: rule[word] for word in _RULE_WORDS if rule.get(word)}
    published.setdefault("rule", "")
    if rule.get("optionalOldSelf") is not None:
        published["optionalOldSelf"] = rule["optionalOldSelf"]
    return published


def _drop_for_v2(schema: Schema, out: Schema) -> None:
    if schema.get("nullable"):
        out.pop("type", None)
    if "required" not in out:
        return
    required = out["required"]
    if not (schema.get("nullable") or schema.get(_PRESERVE)):
        properties = schema.get("properties") or {}
        required = [name for name in required if not (properties.get(name) or {}).get("nullable")]
    values = schema.get("additionalProperties")
    if not required or (isinstance(values, dict) and values.get("nullable")):
        del out["required"]
    else:
        out["required"] = required


def _copy_children(schema: Schema, out: Schema, is_nested: bool, stack: list[tuple[Schema, Schema, bool]]) -> None:
    properties = schema.get("properties")
    if properties:
        children: Schema = {}
        out["properties"] = children
        for name, child in properties.items():
            copy: Schema = {}
            children[name] = copy
            stack.append((child or {}, copy, is_nested))
    items = schema.get("items")
    if isinstance(items, dict):
        out["items"] = {}
        stack.append((items, out["items"], is_nested))


def _copy_values(schema: Schema, out: Schema, is_nested: bool, stack: list[tuple[Schema, Schema, bool]]) -> None:
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        out["additionalProperties"] = {}
        stack.append((values, out["additionalProperties"], is_nested))
    elif values is not None:
        out["additionalProperties"] = values


def _copy_junctors(schema: Schema, out: Schema, stack: list[tuple[Schema, Schema, bool]]) -> None:
    if schema.get("nullable"):
        out["nullable"] = True
    for junctor in _JUNCTORS:
        if parts := schema.get(junctor):
            copies: list[Schema] = [{} for _ in parts]
            out[junctor] = copies
            stack.extend((part, copy, True) for part, copy in zip(parts, copies, strict=True))
    if isinstance(schema.get("not"), dict):
        out["not"] = {}
        stack.append((schema["not"], out["not"], True))


def _spell_out(schema: Schema, out: Schema) -> None:
    """An int-or-string without the two types in a junctor gets them."""
    if schema.get("anyOf") == _EITHER:
        return
    all_of = schema.get("allOf") or []
    if all_of and all_of[0].get("anyOf") == _EITHER:
        return
    if "anyOf" in out:
        out["allOf"] = [{"anyOf": _EITHER}, *out.get("allOf", [])]
    else:
        out["anyOf"] = _EITHER


def _embed(out: Schema, *, is_v2: bool) -> None:
    properties = out.setdefault("properties", {})
    properties["apiVersion"] = API_VERSION
    properties["kind"] = KIND
    properties["metadata"] = reference(OBJECT_META, _METADATA, is_v2=is_v2)
    required = out.get("required", [])
    out["required"] = [*required, *(name for name in ("kind", "apiVersion") if name not in required)]
