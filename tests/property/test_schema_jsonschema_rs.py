"""jsonschema-rs as a further oracle, for the keywords that mean the same there.

Left out are those in which Kubernetes differs on purpose: enum and multipleOf (Go's conversions), formats, nullable,
bounds of the other number type, int-or-string, nulls, and integers beyond 2^53.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import schema_check
from quarterdeck.schema.engine import Engine
from support import schemas

DIFFERENT = (
    "enum", "multipleOf", "format", "nullable", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "x-kubernetes-int-or-string", "x-kubernetes-list-type", "uniqueItems", "default",
)  # fmt: skip
relaxed = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))


def plain(schema: Any) -> Any:
    made = {key: value for key, value in schema.items() if key not in DIFFERENT}
    if made.get("pattern") == "(":
        del made["pattern"]
    if "properties" in made:
        made["properties"] = {key: plain(child) for key, child in made["properties"].items()}
    for name in ("allOf", "anyOf", "oneOf"):
        if name in made:
            made[name] = [plain(clause) for clause in made[name]]
            if not made[name]:
                del made[name]
    for name in ("not", "items", "additionalProperties"):
        if isinstance(made.get(name), dict):
            made[name] = plain(made[name])
    return made


def means_the_same(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(means_the_same, value.values()))
    if isinstance(value, list):
        return all(map(means_the_same, value))
    if value is None:  # Kubernetes looks at nothing but a null's type
        return False
    # Close to an integer is an integer in Kubernetes, and a large float is none.
    return not isinstance(value, (int, float)) or (abs(value) < 2**53 and value != 1.0000000001)


@relaxed
@given(st.integers(0, 2**48))
def test_plain_keywords(seed: int) -> None:
    schema, obj, _ = schemas.Maker(seed).case()
    schema = plain(schema)
    if means_the_same(obj):
        expected = jsonschema_rs.Draft7Validator(schema).is_valid(obj)
        assert schema_check.is_valid(Engine(schema).program, obj) == expected
