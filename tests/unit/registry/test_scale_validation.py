"""What an object must be like for its scale subresource to show it."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.errors import Unreasoned
from quarterdeck.registry.customresource.scale import ScalePaths, validate_scale
from quarterdeck.registry.scale import with_replicas

PATHS = ScalePaths(".spec.replicas", ".status.replicas", ".status.selector")


def test_counts_and_a_selector_of_the_right_types_pass():
    assert validate_scale({"spec": {"replicas": 0}, "status": {"replicas": 3, "selector": "a=b"}}, PATHS) == []
    assert validate_scale({}, PATHS) == []


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ({"spec": {"replicas": "text"}}, ".spec.replicas accessor error: text is of the type string, expected int64"),
        ({"spec": {"replicas": 1.0}}, ".spec.replicas accessor error: 1 is of the type float64, expected int64"),
        ({"spec": [1]}, ".spec.replicas accessor error: [1] is of the type []interface {}, expected map"),
    ],
)
def test_a_wrong_type_is_shown_as_zero_with_what_was_found(obj, message):
    (problem,) = validate_scale(obj, PATHS)
    assert (problem.path, problem.bad_value) == (".spec.replicas", 0)
    assert message in str(problem)


@pytest.mark.parametrize(
    ("obj", "place"), [({"a": {"b": None}}, ".a.b"), ({"a": None}, ".a"), ({"a": {"b": [1]}}, ".a.b"), ({"a": 1}, ".a")]
)
def test_replicas_are_not_set_through_what_is_no_object(obj, place):
    with pytest.raises(Unreasoned) as raised:
        with_replicas(obj, ScalePaths(".a.b.replicas", ".status.replicas"), 4)
    assert raised.value.message == f"value cannot be set because {place} is not a map[string]interface{{}}"


def test_replicas_are_set_through_what_is_not_there():
    paths = ScalePaths(".a.b.replicas", ".status.replicas")
    live = {"a": {"c": 1}}
    assert with_replicas(live, paths, 4) == {"a": {"c": 1, "b": {"replicas": 4}}}
    assert with_replicas({}, paths, 4) == {"a": {"b": {"replicas": 4}}}
    assert live == {"a": {"c": 1}}


def test_an_update_of_status_does_not_look_at_spec():
    wrong = {"spec": {"replicas": "text"}, "status": {"replicas": -1}}
    assert [problem.path for problem in validate_scale(wrong, PATHS, status_only=True)] == [".status.replicas"]
