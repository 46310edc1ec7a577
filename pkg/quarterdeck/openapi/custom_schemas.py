"""A structural schema as the documents publish it: what a CRD's author wrote, in each OpenAPI version's words.

Version 3 keeps all that structural schemas know; int-or-string is spelled out, embedded resources get their metadata.
Version 2 has no nullable, no defaults and no junctors, and leaves out what kubectl would misread: properties of
nullable or preserving objects, arrays without items. Nodes are copied with an explicit stack, for schemas of any depth;
values (defaults, enums, rules) are shared with the input, not copied.

Sources: apiextensions-apiserver/pkg/apiserver/schema/{unfold,kubeopenapi,convert}.go, pkg/controller/openapi/v2/
conversion.go, pkg/controller/openapi/{controller,builder/builder}.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.openapi import names

Schema = dict[str, Any]

# Schemas within schemas, and objects and lists within values.
DEPTH_MAX: Final = 100

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
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", _PRESERVE, _EMBEDDED,
    _INT_OR_STRING,
))  # fmt: skip
# Keywords that say something unless they are null.
_VALUES: Final = frozenset((
    "default", "example", "externalDocs", "maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems",
    "multipleOf", "maxProperties", "minProperties",
))  # fmt: skip
# Words with values of any type.
_ANY: Final = frozenset(("default", "example", "enum"))
# A node of these words alone is published as it stands, if each of them says something.
_LEAF: Final = (_WORDS | _VALUES) - {_EMBEDDED, _INT_OR_STRING} - _ANY
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
_RULE_WORDS: Final = ("rule", "message", "messageExpression", "reason", "fieldPath")

_FLOAT64_EXACT: Final = 1 << 53  # float64 has all integers up to here

_EITHER: Final = [{"type": "integer"}, {"type": "string"}]

API_VERSION: Final = {
    "description": "APIVersion defines group and version of this object's schema; servers convert from and to it.",
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
    # In version 2 kubectl takes known properties for the only ones: where others are preserved there are none.
    is_open = schema is None or (is_v2 and bool(schema.get(_PRESERVE)))
    published = None if schema is None or is_open else _Copier(is_v2=is_v2).copy(schema)
    if published is None:
        published = {"type": "object"}
    else:
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
    list_kind, kind = gvk["kind"], item.rpartition(".")[2].partition("_")[0]  # no kind has a _
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


class _Copier:
    """Copies one schema. A node that is published as it stands is shared with the input: most are such leaves."""

    __slots__ = ("_depth", "_is_v2", "_stack")

    def __init__(self, *, is_v2: bool) -> None:
        self._is_v2 = is_v2
        self._depth = 0  # of the node that is being copied
        # What to copy, where to, whether it is below a junctor, how deep it lies.
        self._stack: list[tuple[Schema, Schema, bool, int]] = []

    def copy(self, root: Schema) -> Schema | None:
        """None for a schema that is too deep."""
        published: Schema = {}
        self._stack.append((root, published, False, 0))
        while self._stack:
            schema, out, is_nested, self._depth = self._stack.pop()
            # Differs from upstream: of a schema that is deeper nothing is told, so that it cannot make the documents of
            # all others unreadable: writers and clients have limits of their own.
            if self._depth > DEPTH_MAX or (not _ANY.isdisjoint(schema) and _has_deep_values(schema)):
                return None
            self._copy_node(schema, out, is_nested)
        return published

    def _place(self, schema: Schema | None, is_nested: bool) -> Schema:
        """What stands for `schema` in the copy: itself, or a new node that is filled later."""
        if not schema:
            return {}
        is_read_otherwise = schema.get("type") == "array" or (self._is_v2 and _PRESERVE in schema)
        if schema.keys() <= _LEAF and all(schema.values()) and not is_read_otherwise:
            return schema
        copy: Schema = {}
        self._stack.append((schema, copy, is_nested, self._depth + 1))
        return copy

    def _copy_node(self, schema: Schema, out: Schema, is_nested: bool) -> None:
        has_more = False
        for word, value in schema.items():
            if word in _WORDS:
                if value:
                    out[word] = _with_float64(value) if word == "enum" and self._is_v2 else value
            elif word in _VALUES:
                if value is not None and not self._is_left_out(word, value):
                    out[word] = _with_float64(value) if word == "example" and self._is_v2 else value
            else:
                has_more = True
        if has_more:
            self._copy_rest(schema, out, is_nested)
        if self._is_v2 and out.get("type") == "array" and "items" not in out:
            del out["type"]  # kubectl cannot read a list of which nothing is known
        if self._is_v2 and out.get("type") == "object" and out.get(_PRESERVE):
            del out["type"]  # nor take the members of such an object for others than those that are known
        if not is_nested:
            if not self._is_v2 and out.get(_INT_OR_STRING):
                _spell_out(schema, out)
            if out.get(_EMBEDDED) and not (self._is_v2 and out.get(_PRESERVE)):
                _embed(out, is_v2=self._is_v2)

    def _is_left_out(self, word: str, value: object) -> bool:
        """Version 2 tells no defaults, neither of built-in types."""
        return (word == "default" and self._is_v2) or (word == "example" and value in ("", [], {}))

    def _copy_rest(self, schema: Schema, out: Schema, is_nested: bool) -> None:
        """What is below the node, and the words that the versions treat differently."""
        if self._is_v2:
            _drop_for_v2(schema, out)
        if not (self._is_v2 and (schema.get("nullable") or schema.get(_PRESERVE))):
            if properties := schema.get("properties"):
                place = self._place
                out["properties"] = {name: place(child, is_nested) for name, child in properties.items()}
            if isinstance(items := schema.get("items"), dict):
                out["items"] = self._place(items, is_nested)
        values = schema.get("additionalProperties")
        if values is not None:
            out["additionalProperties"] = self._place(values, is_nested) if isinstance(values, dict) else values
        if rules := schema.get(_VALIDATIONS):
            out[_VALIDATIONS] = [_publish_rule(rule) for rule in rules]
        if not self._is_v2:
            self._copy_junctors(schema, out)

    def _copy_junctors(self, schema: Schema, out: Schema) -> None:
        if schema.get("nullable"):
            out["nullable"] = True
        for junctor in _JUNCTORS:
            if parts := schema.get(junctor):
                out[junctor] = [self._place(part, True) for part in parts]
        if isinstance(schema.get("not"), dict):
            out["not"] = self._place(schema["not"], True)


def _with_float64(value: Any) -> Any:
    """A value of any type as the document of version 2 tells it, to which every number is a float64. Its depth is
    bounded by DEPTH_MAX."""
    if isinstance(value, dict):
        return {name: _with_float64(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_float64(each) for each in value]
    return float(value) if type(value) is int and abs(value) > _FLOAT64_EXACT else value


def _has_deep_values(schema: Schema) -> bool:
    return any(_is_deep(schema[word]) for word in _ANY if word in schema)


def _is_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEPTH_MAX):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _publish_rule(rule: Schema) -> Schema:
    published = {word: rule[word] for word in _RULE_WORDS if rule.get(word)}
    published.setdefault("rule", "")
    if rule.get("optionalOldSelf") is not None:
        published["optionalOldSelf"] = rule["optionalOldSelf"]
    return published


def _drop_for_v2(schema: Schema, out: Schema) -> None:
    """Version 2 has no null: what may be null has no type, and is not required."""
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
