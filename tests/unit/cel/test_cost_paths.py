"""Estimates where upstream's paths share their room: a path ends with the name that was written there last."""

import pytest

from quarterdeck.cel import environment, schema


def text(most):
    return {"type": "string", "maxLength": most}


def estimate(rule, declared):
    found = schema.declare(declared, False)
    env = environment.Environment({"self": found.type}, sizes=found.size_at)
    return environment.compile_expression(rule, env).cost_max


def nested(name_most):
    inner = {"items": {"type": "array", "maxItems": 5, "items": text(3)}, "name": text(name_most)}
    outer = {"type": "array", "maxItems": 10, "items": {"type": "object", "properties": inner}}
    return {"type": "object", "properties": {"l": outer}}


@pytest.mark.parametrize(("name_most", "cost"), [(1, 343), (100, 32063), (1000, 320063)])
def test_a_list_is_as_long_as_the_member_that_is_named_after_it(name_most, cost):
    assert estimate("self.l.all(v, v.items.all(w, w == v.name))", nested(name_most)) == cost


@pytest.mark.parametrize(("name_most", "cost"), [(1, 414), (100, 464), (1000, 464)])
def test_paths_without_room_for_more_are_copied(name_most, cost):
    below = {"type": "object", "properties": {"p": nested(name_most)}}
    assert estimate("self.p.l.all(v, v.items.all(w, w == v.name))", below) == cost


@pytest.mark.parametrize(("name_most", "cost"), [(1, 83), (1000, 473)])
def test_arguments_are_measured_before_the_next_one_is_looked_at(name_most, cost):
    declared = nested(name_most)
    declared["properties"]["l"]["items"]["properties"]["other"] = text(100)
    assert estimate("self.l.all(v, v.name == v.other)", declared) == cost


def test_keys_are_as_long_as_values_where_both_paths_share_their_end():
    values = {"type": "object", "additionalProperties": text(300), "maxProperties": 10}
    declared = {"type": "object", "properties": {"m": values}}
    assert estimate("self.m.all(k, v, k.contains('x'))", declared) == 43
    below = {"type": "object", "properties": {"p": declared}}
    assert estimate("self.p.m.all(k, v, k.contains('x'))", below) == 1244
