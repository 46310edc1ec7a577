"""The schema engine written to be read, not to be fast: what ext/schema.pyx is compared with.

Plain recursion over the CRD's JSONSchemaProps, one function a rule, nothing compiled or cached. Each function follows
one algorithm of upstream: pruning/algorithm.go, defaulting/{algorithm,prunenulls}.go, listtype/validation.go,
validation/{validation,ratcheting}.go of apiextensions-apiserver, kube-openapi pkg/validation/validate.
Findings are the records of quarterdeck.schema.findings, in the order in which they are met.
"""

from __future__ import annotations

import copy
import math
from typing import Any

from quarterdeck.apimachinery import gofmt, patterns
from quarterdeck.schema import findings as f
from quarterdeck.schema import formats

Props = dict[str, Any]
META_FIELDS = ("apiVersion", "kind", "metadata")
JSON_SAFE_MAX = float(2**53 - 1)
FLOAT32_MAX = 3.4028235677973366e38  # what still rounds to a float32


# --- the schema ---------------------------------------------------------------------------------


def is_true(schema: Props, name: str) -> bool:
    return schema.get(name) is True


def child_schema(schema: Props | None, key: str) -> Props | None:
    """Properties first, then additionalProperties; None where the schema says nothing of the key."""
    if schema is None:
        return None
    if key in (schema.get("properties") or {}):
        return schema["properties"][key]
    more = schema.get("additionalProperties")
    return more if isinstance(more, dict) else None


def types_of(schema: Props) -> list[str]:
    if is_true(schema, "x-kubernetes-int-or-string"):
        return ["integer", "string"]
    return [schema["type"]] if schema.get("type") else []


def format_of(schema: Props) -> str:
    """Formats that the type does not know are as if absent."""
    types = types_of(schema)
    name = schema.get("format") or ""
    return name if name and formats.is_recognized(types[0] if len(types) == 1 else "", name) else ""


# --- pruning and defaulting ---------------------------------------------------------------------


class Pruner:
    """`unknown` collects the paths of what was dropped because the schema does not know it."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def prune(self, value: Any, schema: Props | None, path: str, is_root: bool) -> None:
        if schema is not None and is_true(schema, "x-kubernetes-preserve-unknown-fields"):
            self.skip(value, schema, path, is_root)
        elif isinstance(value, dict):
            self.prune_object(value, schema, path, is_root, drop=True)
        elif isinstance(value, list):
            items = (schema or {}).get("items")
            for i, item in enumerate(value):
                self.prune(item, items, f"{path}[{i}]", False)

    def skip(self, value: Any, schema: Props | None, path: str, is_root: bool) -> None:
        """Under preserve-unknown-fields only the known fields are looked into."""
        if schema is None:
            return
        if isinstance(value, dict):
            self.prune_object(value, schema, path, is_root, drop=False)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                self.skip(item, schema.get("items"), f"{path}[{i}]", False)

    def prune_object(self, value: dict, schema: Props | None, path: str, is_root: bool, drop: bool) -> None:
        is_resource = is_root or (schema is not None and is_true(schema, "x-kubernetes-embedded-resource"))
        for key in list(value):
            if is_resource and key in META_FIELDS:
                continue
            child_path = f"{path}.{key}" if path else key
            known = schema is not None and key in (schema.get("properties") or {})
            more = None if schema is None else schema.get("additionalProperties")
            if known or more is not None:
                self.prune(value[key], child_schema(schema, key), child_path, False)
            elif drop:
                self.unknown.append(child_path)
                del value[key]


def drop_nulls(value: Any, schema: Props | None) -> None:
    """Nulls that are not allowed vanish, unless a default will take their place."""
    if isinstance(value, dict):
        for key in list(value):
            child = child_schema(schema, key)
            if (
                value[key] is None
                and child is not None
                and not is_true(child, "nullable")
                and child.get("default") is None
            ):
                del value[key]
            else:
                drop_nulls(value[key], child)
    elif isinstance(value, list):
        for item in value:
            drop_nulls(item, (schema or {}).get("items"))


def apply_defaults(value: Any, schema: Props | None) -> None:
    if schema is None:
        return
    if isinstance(value, dict):
        for key, child in (schema.get("properties") or {}).items():
            default = child.get("default")
            if default is not None and (key not in value or is_disallowed_null(value[key], child)):
                value[key] = copy.deepcopy(default)
        for key in value:
            child = child_schema(schema, key)
            if key not in (schema.get("properties") or {}) and is_disallowed_null(value[key], child):
                value[key] = copy.deepcopy(child.get("default"))
            apply_defaults(value[key], child)
    elif isinstance(value, list):
        items = schema.get("items")
        for i, item in enumerate(value):
            if is_disallowed_null(item, items):
                value[i] = copy.deepcopy(items.get("default"))
            apply_defaults(value[i], items)


def is_disallowed_null(value: Any, schema: Props | None) -> bool:
    return value is None and schema is not None and not is_true(schema, "nullable")


def prune_and_default(obj: dict, schema: Props, is_resource_root: bool = True) -> list[str]:
    drop_nulls(obj, schema)
    apply_defaults(obj, schema)
    pruner = Pruner()
    pruner.prune(obj, schema, "", is_resource_root)
    drop_nulls(obj, schema)
    return sorted(pruner.unknown)


def default(obj: dict, schema: Props) -> None:
    drop_nulls(obj, schema)
    apply_defaults(obj, schema)


# --- equality as Go's reflect.DeepEqual has it ----------------------------------------------------


def deep_equal(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(k in b and deep_equal(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(deep_equal, a, b))
    return a == b


def enum_allows(value: Any, allowed: Any) -> bool:
    """The value is converted to the allowed value's Go type, where Go has a conversion."""
    if type(value) is int and type(allowed) is float:
        return float(value) == allowed
    if type(value) is float and type(allowed) is int:
        return to_int64(value) == allowed
    if type(value) is int and type(allowed) is str:
        is_rune = 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF
        return (chr(value) if is_rune else "\ufffd") == allowed
    return value is not None and deep_equal(value, allowed)


def to_int64(value: float) -> int:
    """Go's conversion on amd64: out of range gives the smallest integer."""
    return int(value) if -(2.0**63) <= value < 2.0**63 else -(2**63)


# --- validation -----------------------------------------------------------------------------------


class Old:
    """The old value that belongs to a new one, with the schema by which their children are matched."""

    def __init__(self, new: Any, old: Any, schema: Props) -> None:
        self.new, self.old, self.schema = new, old, schema

    def key(self, name: str) -> Old | None:
        if (
            not isinstance(self.old, dict)
            or not isinstance(self.new, dict)
            or name not in self.old
            or name not in self.new
        ):
            return None
        child = child_schema(self.schema, name)
        return None if child is None else Old(self.new[name], self.old[name], child)

    def index(self, i: int) -> Old | None:
        items = self.schema.get("items")
        old = self.old_item(i)
        return None if old is None or items is None else Old(self.new[i], old, items)

    def old_item(self, i: int) -> Any:
        if not isinstance(self.old, list) or not isinstance(self.new, list):
            return None
        if self.schema.get("x-kubernetes-list-type") != "map":
            return None
        keys = self.schema.get("x-kubernetes-list-map-keys") or []
        wanted = composite_key(self.new[i], keys)
        if wanted is None or self.schema.get("type") != "array":
            return None
        return next((item for item in self.old if composite_key(item, keys) == wanted), None)

    @property
    def has_map_list(self) -> bool:
        return self.schema.get("x-kubernetes-list-type") == "map"

    def is_equal(self) -> bool:
        if self.new is None or self.old is None:
            return self.new is self.old
        if isinstance(self.new, list) and isinstance(self.old, list):
            return len(self.new) == len(self.old) and self.are_items_equal()
        if isinstance(self.new, dict) and isinstance(self.old, dict):
            children = (self.key(name) for name in self.new)
            return len(self.new) == len(self.old) and all(c is not None and c.is_equal() for c in children)
        return deep_equal(self.new, self.old)

    def are_items_equal(self) -> bool:
        for i in range(len(self.new)):
            child = self.index(i)
            if child is None:
                return False if self.has_map_list else deep_equal(self.old, self.new)
            if not child.is_equal():
                return False
        return True


def composite_key(item: Any, keys: list[str]) -> tuple | None:
    if not isinstance(item, dict) or not keys:
        return None
    parts = []
    for key in keys:
        value = item.get(key)
        if value is None or isinstance(value, (dict, list)):
            return None
        # Several keys are compared as text: floats with six digits.
        shown = f"{value:f}" if isinstance(value, float) and len(keys) > 1 else value
        parts.append((type(value), shown))
    return tuple(parts)


class Validator:
    """Each method appends to `findings` and returns the match count by which anyOf and oneOf choose what to show."""

    def __init__(self) -> None:
        self.findings: list[f.Finding] = []

    def add(self, code: int, path: str, value: Any = None, limit: Any = None) -> None:
        self.findings.append((code, path, value, limit))

    def run(self, schema: Props, value: Any, path: str, old: Old | None = None) -> int:
        """Validates; what an unchanged value does wrong is forgiven."""
        mark = len(self.findings)
        count = self.validate(schema, value, path, old)
        if old is not None and len(self.findings) > mark and old.is_equal():
            del self.findings[mark:]
        return count

    def validate(self, schema: Props, value: Any, path: str, old: Old | None) -> int:
        if value is None:
            count = self.check_null(schema, path)
            self.check_enum(schema, value, path)
            return count
        count = 1
        if types_of(schema) or format_of(schema):
            count += 1 + self.check_type(schema, value, path)
        count += 1 + self.check_combinators(schema, value, path)
        if isinstance(value, str):
            count += 1
            self.check_string(schema, value, path)
            if formats.checker(format_of(schema)):
                count += 1
                self.check_format(schema, value, path)
        elif is_number(value):
            count += 1 + self.check_number(schema, value, path)
        elif isinstance(value, list):
            count += 1 + self.check_list(schema, value, path, old)
        count += 1
        self.check_enum(schema, value, path)
        if isinstance(value, dict):
            count += 1 + self.check_object(schema, value, path, old)
        return count

    def check_null(self, schema: Props, path: str) -> int:
        types = types_of(schema)
        if types and not is_true(schema, "nullable"):
            self.add(f.TYPE, path, "null", ",".join(types))
            return 0
        return 1

    def check_type(self, schema: Props, value: Any, path: str) -> int:
        types, form = types_of(schema), format_of(schema)
        actual, actual_format = go_type(value)
        is_float_int = actual == "number" and "integer" in types and is_json_integer(value)
        is_int_float = actual == "integer" and "number" in types
        is_text = isinstance(value, (str, list))
        matches = actual in types or is_float_int or is_int_float
        if not is_text and form and not (matches or actual_format == form):
            self.add(f.TYPE, path, actual_format, form)
            return 0
        if is_text and form and "number" not in types and "integer" not in types:
            return 1
        if not matches:
            self.add(f.TYPE, path, actual, ",".join(types))
            return 0
        return 1

    def check_enum(self, schema: Props, value: Any, path: str) -> None:
        allowed = schema.get("enum")
        if allowed and not any(enum_allows(value, a) for a in allowed):
            self.add(f.ENUM, path, value, allowed)

    def check_string(self, schema: Props, value: str, path: str) -> None:
        """The first of the three that fails is the one reported."""
        longest, shortest, pattern = schema.get("maxLength"), schema.get("minLength"), schema.get("pattern")
        if longest is not None and len(value) > longest:
            self.add(f.TOO_LONG, path, value, longest)
        elif shortest is not None and len(value) < shortest:
            self.add(f.TOO_SHORT, path, value, shortest)
        elif pattern and not matches_pattern(pattern, value):
            self.add(f.PATTERN, path, value, pattern)

    def check_format(self, schema: Props, value: str, path: str) -> None:
        form = format_of(schema)
        check = formats.checker(form)
        if check is not None and not check(value):
            self.add(f.FORMAT, path, value, form)

    def check_number(self, schema: Props, value: float, path: str) -> int:
        self.is_in_range(schema, value, "Checked", path)
        if (factor := schema.get("multipleOf")) is not None:
            native = self.is_in_range(schema, factor, "MultipleOf", path)
            self.check_multiple(value if native else float(value), factor, path)
        if (bound := schema.get("minimum")) is not None:
            native = self.is_in_range(schema, bound, "Minimum boundary", path)
            self.check_minimum(value if native else float(value), bound, is_true(schema, "exclusiveMinimum"), path)
        if (bound := schema.get("maximum")) is not None:
            native = self.is_in_range(schema, bound, "Maximum boundary", path)
            self.check_maximum(value if native else float(value), bound, is_true(schema, "exclusiveMaximum"), path)
        return 1

    def is_in_range(self, schema: Props, value: float, what: str, path: str) -> bool:
        types, form = types_of(schema), format_of(schema)
        first = types[0] if len(types) == 1 else ""
        if first == "integer":
            bits = 31 if form == "int32" else 63
            good = float(value).is_integer() and -(2**bits) <= int(value) < 2**bits
        else:
            good = form != "float" or abs(value) < FLOAT32_MAX
        if not good:
            self.add(f.RANGE, path, what, (first, form))
        return good

    def check_multiple(self, value: float, factor: float, path: str) -> None:
        if isinstance(value, int):
            factor = to_int64(float(factor))
        else:
            value, factor = float(value), float(factor)
        if factor <= 0:
            self.add(f.MULTIPLE_NOT_POSITIVE, path, factor)
        elif isinstance(value, int):
            if value % factor:
                self.add(f.MULTIPLE_OF, path, value, factor)
        elif not is_json_integer(1 / factor * value if factor < 1 else value / factor):
            self.add(f.MULTIPLE_OF, path, value, factor)

    def check_minimum(self, value: float, bound: float, exclusive: bool, path: str) -> None:
        bound = to_int64(float(bound)) if isinstance(value, int) else float(bound)
        if value < bound or (exclusive and value == bound):
            self.add(f.MINIMUM_EXCLUSIVE if exclusive else f.MINIMUM, path, value, bound)

    def check_maximum(self, value: float, bound: float, exclusive: bool, path: str) -> None:
        bound = to_int64(float(bound)) if isinstance(value, int) else float(bound)
        if value > bound or (exclusive and value == bound):
            self.add(f.MAXIMUM_EXCLUSIVE if exclusive else f.MAXIMUM, path, value, bound)

    def check_list(self, schema: Props, value: list, path: str, old: Old | None) -> int:
        count = 1
        items = schema.get("items")
        if items is not None:
            for i, item in enumerate(value):
                count += self.run(items, item, f"{path}[{i}]", old and old.index(i))
        if (least := schema.get("minItems")) is not None and len(value) < least:
            self.add(f.MIN_ITEMS, path, len(value), least)
        if (most := schema.get("maxItems")) is not None and len(value) > most:
            self.add(f.MAX_ITEMS, path, len(value), most)
        if is_true(schema, "uniqueItems") and any(deep_equal(a, b) for i, a in enumerate(value) for b in value[:i]):
            self.add(f.UNIQUE_ITEMS, path)
        return count

    def check_object(self, schema: Props, value: dict, path: str, old: Old | None) -> int:
        count = 0
        if (least := schema.get("minProperties")) is not None and len(value) < least:
            self.add(f.MIN_PROPERTIES, path, len(value), least)
        if (most := schema.get("maxProperties")) is not None and len(value) > most:
            self.add(f.MAX_PROPERTIES, path, len(value), most)
        known, more = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, item in value.items():
            if key in known:
                child_path = f"{path}.{key}" if path else key
            elif isinstance(more, dict):
                child_path = f"{path}.{key}"
            else:
                if more is False:
                    self.add(f.FORBIDDEN_PROPERTY, path, key)
                continue
            is_type_meta = path == "" and key in ("apiVersion", "kind")
            child_old = None if old is None or is_type_meta else old.key(key)
            count += self.run(known.get(key, more), item, child_path, child_old)
        for key in schema.get("required") or []:
            if key not in value:
                self.add(f.REQUIRED, path, key)
        return count

    def check_combinators(self, schema: Props, value: Any, path: str) -> int:
        """Nothing below a combinator is ratcheted."""
        return (
            1
            + self.check_any_of(schema.get("anyOf") or [], value, path)
            + self.check_one_of(schema.get("oneOf") or [], value, path)
            + self.check_all_of(schema.get("allOf") or [], value, path)
            + self.check_not(schema.get("not"), value, path)
        )

    def attempt(self, schema: Props, value: Any, path: str) -> tuple[int, list[f.Finding]]:
        trial = Validator()
        return trial.run(schema, value, path), trial.findings

    def check_any_of(self, clauses: list[Props], value: Any, path: str) -> int:
        best: tuple[int, list[f.Finding]] | None = None
        for clause in clauses:
            count, found = self.attempt(clause, value, path)
            if not found:
                return count
            if best is None or count > best[0]:
                best = count, found
        if best is None:
            return 0
        self.add(f.ANY_OF, path)
        self.findings += best[1]
        return best[0]

    def check_one_of(self, clauses: list[Props], value: Any, path: str) -> int:
        best: tuple[int, list[f.Finding]] | None = None
        first, valid = 0, 0
        for clause in clauses:
            count, found = self.attempt(clause, value, path)
            if not found:
                valid += 1
                first = first if valid > 1 else count
            elif best is None or count > best[0]:
                best = count, found
        if not clauses or valid == 1:
            return first
        self.add(f.ONE_OF, path, valid)
        if valid or best is None:
            return 0
        self.findings += best[1]
        return best[0]

    def check_all_of(self, clauses: list[Props], value: Any, path: str) -> int:
        total, valid = 0, 0
        for clause in clauses:
            count, found = self.attempt(clause, value, path)
            self.findings += found
            total += count
            valid += not found
        if valid != len(clauses):
            self.add(f.ALL_OF, path, valid == 0)
        return total

    def check_not(self, clause: Props | None, value: Any, path: str) -> int:
        if clause is not None and not self.attempt(clause, value, path)[1]:
            self.add(f.NOT, path)
        return 0


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def go_type(value: Any) -> tuple[str, str]:
    """The JSON type, and the format that Go's own type of the value stands for."""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int):
        return "integer", "int64"
    if isinstance(value, float):
        return "number", "float64"
    return {str: "string", list: "array", dict: "object"}[type(value)], ""


def is_json_integer(value: float) -> bool:
    """go-openapi's test, which lets a relative error of 1e-9 pass."""
    if math.isnan(value) or math.isinf(value) or abs(value) > JSON_SAFE_MAX:
        return False
    rounded = math.copysign(math.floor(abs(value) + 0.5), value)
    return value == rounded or abs(value - rounded) < 1e-9 * abs(rounded)


def matches_pattern(pattern: str, value: str) -> bool:
    try:
        return patterns.search(patterns.compile_pattern(pattern), value)
    except patterns.PatternError:
        return False


# --- lists of type set and map ------------------------------------------------------------------


def check_list_types(schema: Props, value: Any, path: str) -> list[f.Finding]:
    found: list[f.Finding] = []
    if isinstance(value, dict):
        known, more = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, item in value.items():
            if isinstance(more, dict):
                found += check_list_types(more, item, f"{path}[{key}]")
            if key in known:
                found += check_list_types(known[key], item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        if schema.get("x-kubernetes-list-type") == "set":
            found += [(f.DUPLICATE, f"{path}[{i}]", value[i], None) for i in duplicates(value)]
        elif schema.get("x-kubernetes-list-type") == "map":
            found += check_list_map(schema, value, path)
        if schema.get("items") is not None:
            for i, item in enumerate(value):
                found += check_list_types(schema["items"], item, f"{path}[{i}]")
    return found


def check_list_map(schema: Props, value: list, path: str) -> list[f.Finding]:
    for i, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            return [(f.NOT_AN_OBJECT, f"{path}[{i}]", item, None)]
    names = schema.get("x-kubernetes-list-map-keys") or []
    keys = [{name: item[name] for name in names if name in item} if item is not None else {} for item in value]
    if len(names) == 1:
        # One key is compared as it is, several as their JSON text.
        found = duplicates([key[names[0]] if key else _ABSENT for key in keys])
    else:
        found = duplicates(keys)
    return [(f.DUPLICATE, f"{path}[{i}]", keys[i], None) for i in found]


_ABSENT = object()


def duplicates(values: list) -> list[int]:
    """Where each repeated value is met for the second time."""
    seen: dict[Any, int] = {}
    repeated = []
    for i, value in enumerate(values):
        key = ("json", gofmt.format_json(value)) if isinstance(value, (dict, list)) else (type(value), value)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            repeated.append(i)
    return repeated


# --- what the engine offers -----------------------------------------------------------------------


def validate(schema: Props, obj: Any, old: Any = None) -> list[f.Finding]:
    validator = Validator()
    validator.run(schema, obj, "", None if old is None else Old(obj, old, schema))
    if old is None or not check_list_types(schema, old, ""):
        validator.findings += check_list_types(schema, obj, "")
    return validator.findings
