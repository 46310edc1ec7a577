"""Random structural schemas, and objects that nearly fit them, from a seed.

Hypothesis draws the seed alone: building a schema from thousands of its draws takes it a hundred times as long as
checking the object does.
"""

from __future__ import annotations

import copy
import random
from typing import Any

from reference import schema_reference

NAMES = ("a", "b", "c", "apiVersion", "kind", "metadata", "ä", "x.y")
FORMATS = ("date-time", "ipv4", "int32", "int64", "float", "double", "uuid", "password", "quantity", "nonsense", "byte")
PATTERNS = ("^a", "b$", "^[a-z]+$", "c|d", "(a|b){2,3}", "", "(")
TEXTS = ("", "a", "b", "ab", "abab", "zz", "ü", "日本語", "2024-01-02T03:04:05Z", "1.2.3.4", "a" * 9, "YQ==", "A")
INTEGERS = (0, 1, 2, -1, 5, 7, 97, 2**31, -(2**31) - 1, 2**53, 2**63 - 1)
FLOATS = (0.0, 1.0, 1.5, -0.5, 2.0, 1e10, 1e39, 1e300, 1.0000000001, -3.0)
BOUNDS = (0, 1, 2, 5, 9.5, 0.1, -1, 2**31, 1e20, 9223372036854775000)
KINDS = ("object", "object", "array", "string", "integer", "number", "boolean", "int-or-string", "", "map")
LEAVES = ("string", "integer", "number", "boolean", "int-or-string", "")

Schema = dict[str, Any]


class Maker(random.Random):
    def chance(self, one_in: int) -> bool:
        return self.randrange(one_in) == 0

    def names(self, most: int) -> list[str]:
        return self.sample(NAMES, self.randint(0, most))

    # --- values -----------------------------------------------------------------------------------

    def scalar(self) -> Any:
        return self.choice((None, True, False, self.choice(INTEGERS), self.choice(FLOATS), self.choice(TEXTS)))

    def value(self, depth: int = 3) -> Any:
        kind = self.randrange(6) if depth else 5
        if kind == 0:
            return [self.value(depth - 1) for _ in range(self.randint(0, 3))]
        if kind == 1:
            return {name: self.value(depth - 1) for name in self.names(3)}
        return self.scalar()

    def near(self, schema: Schema, depth: int = 5) -> Any:
        """A value of the schema's shape, with some things wrong."""
        if depth == 0 or self.chance(12):
            return self.value(2)
        kind = schema.get("type")
        if kind == "object":
            return self.near_object(schema, depth)
        if kind == "array":
            made = [self.near(schema.get("items") or {}, depth - 1) for _ in range(self.randint(0, 3))]
            return [*made, copy.deepcopy(self.choice(made))] if made and self.chance(4) else made
        if kind == "string":
            return self.choice(TEXTS)
        if kind == "integer":
            return self.choice(INTEGERS)
        return self.choice(INTEGERS + FLOATS) if kind == "number" else self.scalar()

    def near_object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
        made = {key: self.near(child, depth - 1) for key, child in properties.items() if not self.chance(4)}
        if isinstance(more, dict):
            made.update({key: self.near(more, depth - 1) for key in self.names(3)})
        elif self.chance(4):
            made[self.choice(NAMES)] = self.value(2)
        return made

    # --- schemas ----------------------------------------------------------------------------------

    def rules(self, depth: int) -> Schema:
        """What may stand under a combinator too."""
        schema: Schema = {}
        parts = {
            "format": lambda: self.choice(FORMATS),
            "minimum": lambda: self.choice(BOUNDS),
            "maximum": lambda: self.choice(BOUNDS),
            "exclusiveMinimum": lambda: self.chance(2),
            "exclusiveMaximum": lambda: self.chance(2),
            "multipleOf": lambda: self.choice((1, 2, 0.1, 2.5, 0, -1)),
            "minLength": lambda: self.randint(0, 3),
            "maxLength": lambda: self.randint(0, 5),
            "pattern": lambda: self.choice(PATTERNS),
            "minItems": lambda: self.randint(0, 2),
            "maxItems": lambda: self.randint(0, 3),
            "minProperties": lambda: self.randint(0, 2),
            "maxProperties": lambda: self.randint(0, 3),
            "required": lambda: self.names(2),
            "enum": lambda: [self.value(2) for _ in range(self.randint(0, 3))],
            "uniqueItems": lambda: self.chance(2),
        }
        for name, make in parts.items():
            if self.chance(14):
                schema[name] = make()
        if depth > 0:
            for name in ("allOf", "anyOf", "oneOf"):
                if self.chance(12):
                    schema[name] = [self.nested(depth - 1) for _ in range(self.randint(0, 3))]
            if self.chance(20):
                schema["not"] = self.nested(depth - 1)
        return schema

    def nested(self, depth: int) -> Schema:
        schema = self.rules(depth)
        if depth > 0:
            if self.chance(4):
                schema["items"] = self.nested(depth - 1)
            if self.chance(3):
                schema["properties"] = {name: self.nested(depth - 1) for name in self.names(2)}
        if self.chance(8):
            schema["type"] = self.choice(("integer", "string"))
        return schema

    def structural(self, depth: int = 3, kind: str | None = None) -> Schema:
        schema = self.rules(2 if depth > 1 else depth)
        kind = self.choice(KINDS if depth else LEAVES) if kind is None else kind
        if kind == "int-or-string":
            schema["x-kubernetes-int-or-string"] = True
        elif kind == "map":
            schema["type"] = "object"
            schema["additionalProperties"] = (
                self.choice((True, False)) if self.chance(4) else self.structural(depth - 1)
            )
        elif kind:
            schema["type"] = kind
        if not kind or self.chance(8):
            schema["x-kubernetes-preserve-unknown-fields"] = True
        if kind == "object":
            schema["properties"] = {name: self.structural(max(depth - 1, 0)) for name in self.names(5)}
        if kind == "array":
            self.array(schema, depth)
        if self.chance(6):
            schema["nullable"] = self.chance(2)
        if self.chance(6):
            # A definition whose defaults hold unknown fields is refused.
            schema["default"] = self.near(schema, 2)
            schema_reference.Pruner().prune(schema["default"], schema, "", False)
        return schema

    def array(self, schema: Schema, depth: int) -> None:
        list_type = self.choice((None, None, "atomic", "set", "map"))
        schema["items"] = self.structural(max(depth - 1, 0), "object" if list_type == "map" else None)
        if list_type:
            schema["x-kubernetes-list-type"] = list_type
        if list_type == "map":
            schema["x-kubernetes-list-map-keys"] = self.sample(NAMES, self.randint(1, 2))

    # --- cases ------------------------------------------------------------------------------------

    def object_of(self, schema: Schema) -> dict[str, Any]:
        made = self.near(schema)
        return made if isinstance(made, dict) else {"a": made}

    def case(self) -> tuple[Schema, dict[str, Any], dict[str, Any]]:
        """(schema, object, older object, most of which is the same)."""
        schema = self.structural(kind="object")
        new, other = self.object_of(schema), self.object_of(schema)
        old = copy.deepcopy(new)
        for key, value in other.items():
            if self.chance(3):
                old[key] = value
        return schema, new, old
