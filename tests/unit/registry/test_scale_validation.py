"""What an object must be like for its scale subresource to show it."""

from __future__ import annotations

import pytest

from quarterdeck.registry.customresource.scale import ScalePaths, validate_scale

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


def test_an_update_of_status_does_not_look_at_spec():
    wrong = {"spec": {"replicas": "text"}, "status": {"replicas": -1}}
    assert [problem.path for problem in validate_scale(wrong, PATHS, status_only=True)] == [".status.replicas"]
