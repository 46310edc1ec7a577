"""Names of fields that come as values: in JSON's spelling or as rules write them, where escapes are read."""

import pytest

from quarterdeck._kernels import celcompare, celvalue
from quarterdeck.cel import environment, readers, schema, types

TEXT = {"type": "string"}
NAMES = ["x-y", "if", "a__b", "é", "a.b", "__odd__", "plain"]
SCHEMA = {"type": "object", "properties": dict.fromkeys(NAMES, TEXT)}
ODD = {name: f"of {name}" for name in NAMES}
OBJECT = {name: value for name, value in ODD.items() if name != "__odd__"}


def run(expression: str, old: dict[str, str] = OBJECT, new: dict[str, str] = OBJECT):
    declared = schema.declare(SCHEMA, False)
    schema.name_types(declared, "selfType1")
    names = {"self": declared.type, "oldSelf": types.optional_of(declared.type)}
    program = environment.compile_expression(expression, environment.Environment(names, sizes=declared.size_at))
    assert not isinstance(program, environment.Failure), program
    reader = readers.reader_of(SCHEMA, False)
    before = celvalue.Optional(celvalue.read_value(old, reader))
    return program.evaluate({"self": celvalue.read_value(new, reader), "oldSelf": before})


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("dyn(self)['x-y']", "of x-y"),
        ("dyn(self)['x__dash__y']", "of x-y"),
        ("dyn(self)['if'] == dyn(self)['__if__']", True),
        ("dyn(self)['a__b']", "of a__b"),
        ("dyn(self).a__b", "of a__b"),
        ("has(dyn(self).a__b)", True),
        ("[dyn(self)].map(x, x.a__b)[0]", "of a__b"),
        ("dyn(self)[?'x-y'].hasValue()", True),
        ("dyn(self)['é']", "of é"),
        ("'x-y' in dyn(self) && 'é' in dyn(self)", True),
        # What only looks like an escape leads to nothing.
        ("'a__dash__' in dyn(self)", False),
        ("'x__if__y' in dyn(self)", False),
        # What cannot be written as a name is its own key.
        ("dyn(self).exists(k, k == 'é') && dyn(self).exists(k, k == 'x__dash__y')", True),
        ("dyn(self).exists(k, k == 'x-y' || k == null)", False),
        # An optional gives what was sent, with the names as they are.
        ("oldSelf.value() == self && self == oldSelf.value()", True),
        ("oldSelf.value() == dyn(self)", True),
    ],
)
def test_a_name_is_found(expression, wanted):
    outcome = run(expression)
    assert (outcome.value, outcome.error) == (wanted, None)


def test_fields_differ_by_their_values() -> None:
    assert run("self == oldSelf.value()", {**OBJECT, "x-y": "other"}).value is False
    assert run("oldSelf.value() == self", {**OBJECT, "é": "other"}).value is False


def test_a_name_that_looks_like_an_escape_is_found_escaped_alone() -> None:
    assert run("'__odd__' in dyn(self)", new=ODD).value is False
    assert run("dyn(self)['__underscores__odd__underscores__']", new=ODD).value == "of __odd__"


def test_a_field_whose_name_looks_like_an_escape_does_not_count() -> None:
    reader = readers.reader_of(SCHEMA, False)
    one, other = celvalue.read_value(ODD, reader), celvalue.read_value({**ODD, "__odd__": "other"}, reader)
    assert celcompare.cel_equals(one, other)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a", "a"),
        ("x__dash__y", "x-y"),
        ("__if__", "if"),
        ("x__if__", None),
        ("__x__", None),
        ("___", "___"),
        ("a__slash____dot__b", "a/.b"),
        ("a__underscores__b__underscores__c", "a__b__c"),
    ],
)
def test_escapes_in_names_are_read(name: str, wanted: str | None) -> None:
    assert schema.unescape(name) == wanted
