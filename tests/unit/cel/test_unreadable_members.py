"""Members of a type that their schema does not have, as objects have them that were stored before it."""

import pytest

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, readers, schema, types

LISTS = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
SCHEMA = {"type": "object", "properties": {"lists": LISTS, "count": {"type": "integer"}}}
OBJECT = {"lists": {"a": 0, "b": []}, "count": "many"}


def error_of(expression: str) -> str | None:
    declared = schema.declare(SCHEMA, False)
    schema.name_types(declared, "selfType1")
    names = {"self": declared.type, "key": types.STRING}
    program = environment.compile_expression(expression, environment.Environment(names, sizes=declared.size_at))
    assert not isinstance(program, environment.Failure), program
    value = celvalue.read_value(OBJECT, readers.reader_of(SCHEMA, False))
    return program.evaluate({"self": value, "key": "a"}).error


NO_ARRAY = "invalid data, expected an array for the provided schema with type=array"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("'a' in self.lists", NO_ARRAY),
        ("key in self.lists", NO_ARRAY),
        ("self.lists.all(k, k in self.lists)", NO_ARRAY),
        ("'count' in dyn(self)", "invalid data, expected int, got string"),
        ("'b' in self.lists", None),
        ("'c' in self.lists", None),
    ],
)
def test_asking_whether_such_a_member_is_there_is_an_error(expression: str, error: str | None) -> None:
    assert error_of(expression) == error
