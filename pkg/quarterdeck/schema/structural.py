"""Structural schemas: which JSONSchemaProps are one, and what is wrong with those that are not.

A structural schema is kept as the decoded JSONSchemaProps (v1) that it was written as; nothing is copied, and what is
compiled from it is compiled in engine.py. The worklists here take the place of recursion, since a schema may be nested
as deep as JSON may. Sources: apiextensions-apiserver pkg/apiserver/schema/{convert,validation}.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, patterns
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import completeness

Props = dict[str, Any]

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
VALIDATIONS: Final = "x-kubernetes-validations"

_ROOT, _ITEM, _FIELD = "at the root", "for specified array items", "for specified object fields"
_UNSUPPORTED: Final = ("id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions")
_UNSUPPORTED_SET: Final = frozenset(_UNSUPPORTED)
_INT_OR_STRING_ANY_OF: Final = [{"type": "integer"}, {"type": "string"}]
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
# What a schema under a junctor must not say, and how the objection is worded.
_FORBIDDEN_WHEN_NESTED: Final = (
    ("type", "must be empty to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (PRESERVE, "must be false to be structural"),
    (EMBEDDED, "must be false to be structural"),
    (INT_OR_STRING, "must be false to be structural"),
    (LIST_MAP_KEYS, "must be empty to be structural"),
    (VALIDATIONS, "must be empty to be structural"),
)
# The same, where a value that is empty or false says something too.
_FORBIDDEN_EVEN_EMPTY: Final = ("additionalProperties", "default", LIST_TYPE, MAP_TYPE)
# Members that Go's structural schema holds as if they were absent: empty texts, false, and lists that it copies item by
# item.
_TEXTS: Final = frozenset(("id", "$schema", "$ref", "description", "type", "format", "title", "pattern"))
_FLAGS: Final = frozenset(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable", EMBEDDED, INT_OR_STRING))
_COPIED: Final = frozenset(("enum", *_JUNCTORS, "definitions", "patternProperties", "dependencies"))
# Most schemas are leaves: of one of these types, with no more than these keywords. No rule has anything to say to them,
# so that all walks leave them out before their path is made.
PLAIN_KEYWORDS: Final = frozenset((
    "description", "type", "format", "title", "enum", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "multipleOf", "maxProperties", "minProperties", "example", "externalDocs",
))  # fmt: skip
PLAIN_TYPES: Final = frozenset(("string", "integer", "number", "boolean", "object"))
# Below the root no invariant concerns a schema with none of these and a type that is there.
_SPECIAL: Final = frozenset((PRESERVE, EMBEDDED, INT_OR_STRING, "pattern", "not", *_JUNCTORS))


@dataclass(frozen=True, slots=True)
class Structural:
    """A schema that has been found structural. `props` is the CRD's own and must not be changed."""

    props: Props


def parse(props: Props, path: str) -> tuple[Structural | None, list[FieldError]]:
    """The structural schema, or why there is none; `path` is that of the schema (`spec.versions[0].schema…`)."""
    if text := conversion_error(props):
        return None, [field.invalid(path, "", text)]
    errors = find_errors(props, path)
    return (None, errors) if errors else (Structural(props), [])


def find_errors(props: Props, path: str) -> list[FieldError]:
    """Why a schema that can be read as structural is none."""
    found = [*_invariant_errors(props, path), *completeness.errors(props, path)]
    return [found[place] for _, place in longsteps.sort((str(each), place) for place, each in enumerate(found))]


def is_structural(props: Props) -> bool:
    return not conversion_error(props) and not find_errors(props, "")


def is_root_right(props: Props) -> bool:
    """Whether the root fulfils what it has to by itself, whatever stands in it."""
    return not any(_schema_errors(props, _ROOT, ""))


def conversion_error(props: Props) -> str:
    """Why the schema cannot be read as structural (upstream: NewStructural), empty when it can. Of several reasons the
    one that upstream meets first: what stands under junctors is read before the rest of a schema."""
    stack = [(props, False)]
    while stack:
        schema, is_begun = stack.pop()
        longsteps.pause()
        if not is_begun:
            if text := _unsupported(schema):
                return text
            if junctors := _under_junctors(schema):
                stack.append((schema, True))
                stack += [(each, False) for each in reversed(junctors)]
                continue
        if schema.get(PRESERVE) is False:
            return f"internal error: '{PRESERVE}' must be true or undefined"
        if isinstance(schema.get("items"), list) and schema["items"]:
            return "OpenAPIV3Schema 'items' must be a schema, but is an array"
        stack += [(each, False) for each in reversed(_parts(schema))]
    return ""


def _unsupported(schema: Props) -> str:
    if not _UNSUPPORTED_SET.isdisjoint(schema):
        for name in _UNSUPPORTED:
            value = schema.get(name)
            if value not in (None, "", {}) or (name == "additionalItems" and value is not None):
                shown = name.removeprefix("$") if name == "$schema" else name
                return f"OpenAPIV3Schema '{shown}' is not supported"
    return ""


def _under_junctors(schema: Props) -> list[Props]:
    found = [schema["not"]] if isinstance(schema.get("not"), dict) else []
    for name in _JUNCTORS:
        if name in schema:
            found += schema[name] or ()
    return found


def _parts(schema: Props) -> list[Props]:
    """The schemas of items and members that are not plain."""
    found = [schema["items"]] if isinstance(schema.get("items"), dict) else []
    if properties := schema.get("properties"):
        found += [
            child
            for child in properties.values()
            if not (child.keys() <= PLAIN_KEYWORDS and child.get("type") in PLAIN_TYPES)
        ]
    if isinstance(schema.get("additionalProperties"), dict):
        found.append(schema["additionalProperties"])
    return found


def _invariant_errors(props: Props, path: str) -> Iterator[FieldError]:
    """What each schema outside of junctors must fulfil, and through it everything under them."""
    stack = [(props, _ROOT, path)]
    while stack:
        schema, level, at = stack.pop()
        longsteps.pause()
        if level is _ROOT or not _SPECIAL.isdisjoint(schema) or not _has_plain_type(schema):
            yield from _schema_errors(schema, level, at)
            yield from _junctor_errors(schema, at)
        if isinstance(schema.get("items"), dict):
            stack.append((schema["items"], _ITEM, f"{at}.items"))
        if isinstance(schema.get("additionalProperties"), dict):
            stack.append((schema["additionalProperties"], _FIELD, f"{at}.additionalProperties"))
        for key, child in (schema.get("properties") or {}).items():
            longsteps.pause()
            if not (child.keys() <= PLAIN_KEYWORDS and child.get("type") in PLAIN_TYPES):
                stack.append((child, _FIELD, f"{at}.properties[{key}]"))


def _has_plain_type(schema: Props) -> bool:
    kind = schema.get("type")
    return kind in PLAIN_TYPES or (kind == "array" and isinstance(schema.get("items"), dict))


def _schema_errors(schema: Props, level: str, path: str) -> Iterator[FieldError]:
    kind, is_embedded = schema.get("type") or "", bool(schema.get(EMBEDDED))
    properties = schema.get("properties") or {}
    if kind == "array" and not isinstance(schema.get("items"), dict):
        yield field.required(f"{path}.items", "must be specified")
    if schema.get("additionalProperties") is not None:
        if level == _ROOT:
            yield field.forbidden(f"{path}.additionalProperties", "must not be used at the root")
        if is_embedded:
            detail = f"must not be used if {EMBEDDED} is set"
            yield field.forbidden(f"{path}.additionalProperties", detail)
    if schema.get(INT_OR_STRING):
        for name in (PRESERVE, EMBEDDED):
            if schema.get(name):
                yield field.invalid(f"{path}.{name}", True, f"must be false if {INT_OR_STRING} is true")
    yield from _type_errors(schema, kind, level, path)
    if level == _ROOT or is_embedded:
        for name in ("kind", "apiVersion"):
            if name in properties and (properties[name].get("type") or "") != "string":
                at = f"{path}.properties[{name}].type"
                yield field.invalid(at, properties[name].get("type") or "", "must be string")
    if "metadata" in properties:
        yield from _metadata_errors(properties["metadata"], level, is_embedded, f"{path}.properties[metadata]")
    if is_embedded and not schema.get(PRESERVE) and not properties:
        detail = f"must not be empty if {EMBEDDED} is true without {PRESERVE}"
        yield field.required(f"{path}.properties", detail)
    yield from _pattern_errors(schema, path)


def _type_errors(schema: Props, kind: str, level: str, path: str) -> Iterator[FieldError]:
    if schema.get(EMBEDDED) and kind != "object":
        detail = f"must be object if {EMBEDDED} is true"
        yield field.invalid(f"{path}.type", kind, detail) if kind else field.required(f"{path}.type", detail)
    elif not kind and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
        yield field.required(f"{path}.type", f"must not be empty {level}")
    if level == _ROOT and kind not in ("", "object"):
        yield field.invalid(f"{path}.type", kind, "must be object at the root")


def _metadata_errors(schema: Props, level: str, is_embedded: bool, path: str) -> Iterator[FieldError]:
    kind = schema.get("type") or ""
    if (level == _ROOT or is_embedded) and kind != "object":
        yield field.invalid(f"{path}.type", kind, "must be object")
    if level != _ROOT:
        return
    # At the root, only the properties name and generateName may be restricted.
    rest = {key: value for key, value in schema.items() if key not in ("type", "default")}
    if set(rest.get("properties") or ()) <= {"name", "generateName"}:
        rest.pop("properties", None)
    if any(not (_is_unset(key, value) or (key == "properties" and not value)) for key, value in rest.items()):
        detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield field.forbidden(path, detail)


def _is_unset(name: str, value: Any) -> bool:
    """Whether a member of a schema leaves nothing in what Go makes of it."""
    if value is None:
        return True
    if name in _TEXTS or name in _FLAGS or name in _COPIED:
        return not value
    return name == "items" and value == []


def _pattern_errors(schema: Props, path: str) -> list[FieldError]:
    pattern = schema.get("pattern") or ""
    try:
        if pattern:
            patterns.compile_pattern(pattern)
    except patterns.PatternError as error:
        return [field.invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {error}")]
    return []


def is_pattern(text: str) -> bool:
    """Whether Go would compile it."""
    return not _pattern_errors({"pattern": text}, "")


def _is_int_or_string(clauses: Any) -> bool:
    if not isinstance(clauses, list) or len(clauses) != 2:
        return False
    plain = [
        {
            key: value
            for key, value in clause.items()
            if not (_is_unset(key, value) or (key == "additionalProperties" and value is False))
        }
        for clause in clauses
    ]
    return plain == _INT_OR_STRING_ANY_OF


def _junctor_errors(schema: Props, path: str) -> Iterator[FieldError]:
    """What the schemas under junctors must not say. The two ways of writing int-or-string are let through."""
    stack: list[tuple[Props, str]] = []
    _push_junctors(schema, path, stack, is_outermost=True)
    while stack:
        nested, at = stack.pop()
        longsteps.pause()
        yield from _pattern_errors(nested, at)
        for name, detail in _FORBIDDEN_WHEN_NESTED:
            if nested.get(name):
                yield field.forbidden(f"{at}.{name}", detail)
        for name in _FORBIDDEN_EVEN_EMPTY:
            value = nested.get(name)
            if value is not None and not (name == "additionalProperties" and value is False):
                yield field.forbidden(f"{at}.{name}", "must be undefined to be structural")
        if "metadata" in (nested.get("properties") or {}):
            yield field.forbidden(f"{at}.properties[metadata]", "must not be specified in a nested context")
        _push_junctors(nested, at, stack, is_outermost=False)
        if isinstance(nested.get("items"), dict):
            stack.append((nested["items"], f"{at}.items"))
        for key, child in (nested.get("properties") or {}).items():
            stack.append((child, f"{at}.properties[{key}]"))


def _push_junctors(schema: Props, path: str, stack: list[tuple[Props, str]], is_outermost: bool) -> None:
    for name in _JUNCTORS:
        clauses = schema.get(name) or ()
        if is_outermost and name == "anyOf" and _is_int_or_string(clauses):
            continue
        for position, clause in enumerate(clauses):
            if is_outermost and name == "allOf" and position == 0 and _is_int_or_string(clause.get("anyOf")):
                clause = {key: value for key, value in clause.items() if key != "anyOf"}
            stack.append((clause, f"{path}.{name}[{position}]"))
    if isinstance(schema.get("not"), dict):
        stack.append((schema["not"], f"{path}.not"))
