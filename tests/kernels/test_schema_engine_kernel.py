"""The crossing that nearly all objects take: nothing to say of them, and dicts of every internal form read alike."""

import pytest

from quarterdeck.schema.engine import Engine

TEXT = {"type": "string"}
TYPE_NAMES = {str: "string", list: "array", dict: "object"}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {f"name{i}": TEXT for i in range(40)} | {"größe": {"type": "integer"}, "x": TEXT},
            "required": ["x"],
        }
    },
}


def test_answers_do_not_share_a_list():
    engine = Engine(SCHEMA)
    obj = {"spec": {"x": "a"}}
    engine.prune_and_default(obj, report_unknown=True)
    first = engine.validate(obj)
    second = engine.validate(obj)
    assert first == second == []
    assert first is not second
    first.append("something")
    assert second == []
    assert engine.validate(obj) == []
    del first, second
    assert engine.validate(obj) == engine.prune_and_default(obj, report_unknown=True) == []


def shrunk(size):
    """A dict with holes in its table."""
    made = {f"name{i}": "a" for i in range(size)}
    for i in range(0, size, 2):
        del made[f"name{i}"]
    made["x"] = "b"
    return made


def unsorted_table():
    """A dict whose table is not one of texts alone, though its keys are."""
    made = {1: None, "x": "a", "name1": "b"}
    del made[1]
    return made


class Holder:
    def __init__(self):
        self.x = "a"
        self.name1 = "b"


SHAPES = {
    "small": lambda: {"x": "a"},
    "large": lambda: {"x": "a"} | {f"name{i}": "a" for i in range(40)},
    "holes": lambda: shrunk(40),
    "other keys": unsorted_table,
    "of an instance": lambda: Holder().__dict__,
    "copied": lambda: dict(shrunk(20)),
    "beyond ASCII": lambda: {"größe": 3, "x": "a"},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_entry_of_every_kind_of_dict_is_seen(shape):
    engine = Engine(SCHEMA)
    made = SHAPES[shape]
    assert engine.validate({"spec": made()}) == []
    for key in made():
        wrong = made()
        wrong[key] = [1]
        problems = engine.validate({"spec": wrong})
        assert [problem.path for problem in problems] == [f"spec.{key}"]
    more = made()
    more["unknown"] = 1
    obj = {"spec": more}
    assert engine.prune_and_default(obj, report_unknown=True) == ["spec.unknown"]
    assert obj == {"spec": made()}
    without = made()
    del without["x"]
    assert [problem.path for problem in engine.validate({"spec": without})] == ["spec.x"]


def test_a_choice_of_integer_and_string_asks_nothing_of_those_and_all_of_others():
    choice = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
    engine = Engine({"type": "object", "properties": {"a": choice, "b": {**choice, "pattern": "^x", "maxLength": 2}}})
    for good in ({"a": 1}, {"a": "1"}, {"a": 1.0}, {"a": -(2**40)}, {"b": "x"}, {"b": 7}):
        assert engine.validate(good) == []
    for bad in ({"a": True}, {"a": 1.5}, {"a": 1.0000000001}, {"a": []}, {"a": None}, {"b": "y"}, {"b": "xxx"}):
        assert engine.validate(bad) != []


@pytest.mark.parametrize(
    ("keyword", "value", "detail"),
    [
        ("maxLength", "", "value is too long"),
        ("maxItems", [], "has too many items"),
        ("maxProperties", {}, "has too many items"),
    ],
)
@pytest.mark.parametrize("limit", [-1, -7])
def test_a_negative_limit_refuses_even_the_empty_value(keyword, value, detail, limit):
    engine = Engine({"type": "object", "properties": {"a": {"type": TYPE_NAMES[type(value)], keyword: limit}}})
    assert [error.detail for error in engine.validate({"a": value})] == [detail]


@pytest.mark.parametrize(("keyword", "value"), [("minLength", ""), ("minItems", []), ("minProperties", {})])
def test_a_negative_least_number_asks_nothing(keyword, value):
    engine = Engine({"type": "object", "properties": {"a": {"type": TYPE_NAMES[type(value)], keyword: -1}}})
    assert engine.validate({"a": value}) == []
