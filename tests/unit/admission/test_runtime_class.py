"""The class that a new pod names: what it is refused for, and what running it costs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.runtimeclass import RuntimeClass
from quarterdeck.apimachinery import errors

CLASSES = {
    "free": b'{"handler":"h"}',
    "tolerant": b'{"handler":"h","scheduling":{"tolerations":[{"key":"a","operator":"Equal","value":"v"}]}}',
    "cheap": b'{"handler":"h","overhead":{"podFixed":{}}}',
    "dear": b'{"handler":"h","overhead":{"podFixed":{"cpu":"1"}}}',
}


def ask(spec: dict[str, Any], *, has_empty_overhead: bool = False) -> tuple[RuntimeClass, Any]:
    def get(_namespace: str, name: str) -> Any:
        return SimpleNamespace(data=CLASSES[name]) if name in CLASSES else None

    classes: Any = SimpleNamespace(get=get)
    resource = SimpleNamespace(group="", name="pods")
    asked: Any = SimpleNamespace(operation="CREATE", subresource="", resource=resource, obj={"spec": spec}, name="p")
    return RuntimeClass(classes, lambda: has_empty_overhead), asked


def validate(spec: dict[str, Any], *, has_empty_overhead: bool = False) -> None:
    plugin, asked = ask(spec, has_empty_overhead=has_empty_overhead)
    plugin.validate(asked)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "resource name may not be empty"),
        ("a/b%", "invalid resource name \"a/b%\": [may not contain '/' may not contain '%']"),
        ("..", "invalid resource name \"..\": [may not be '..']"),
    ],
)
def test_what_is_no_name_is_not_asked_for(name: str, text: str) -> None:
    with pytest.raises(errors.Unreasoned) as caught:
        validate({"runtimeClassName": name})
    assert caught.value.message == text


@pytest.mark.parametrize(
    ("spec", "has_empty_overhead", "is_refused"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"overhead": {"cpu": "1"}}, False, True),
        ({"runtimeClassName": "free"}, True, True),
        ({"runtimeClassName": "dear", "overhead": {"cpu": "1000m"}}, False, False),
        ({"runtimeClassName": "dear"}, True, True),
    ],
)
def test_what_running_a_pod_costs_is_said_by_its_class(
    spec: dict[str, Any], has_empty_overhead: bool, is_refused: bool
) -> None:
    if not is_refused:
        validate(spec, has_empty_overhead=has_empty_overhead)
        return
    with pytest.raises(errors.Forbidden):
        validate(spec, has_empty_overhead=has_empty_overhead)


@pytest.mark.parametrize(
    ("spec", "has_empty_overhead", "overhead"),
    [
        ({"runtimeClassName": "dear"}, False, {"cpu": "1"}),
        ({"runtimeClassName": "dear"}, True, {"cpu": "1"}),
        ({"runtimeClassName": "dear", "overhead": {}}, True, {"cpu": "1"}),
        ({"runtimeClassName": "cheap"}, False, None),
        ({"runtimeClassName": "cheap"}, True, None),
        ({"runtimeClassName": "free"}, False, None),
    ],
)
def test_a_pod_gets_the_overhead_of_its_class(spec: dict[str, Any], has_empty_overhead: bool, overhead: Any) -> None:
    plugin, asked = ask(spec, has_empty_overhead=has_empty_overhead)
    plugin.admit(asked)
    assert asked.obj["spec"].get("overhead") == overhead
    assert overhead is not None or "overhead" not in asked.obj["spec"]
    plugin.validate(asked)


def test_another_overhead_than_that_of_the_class_is_refused() -> None:
    plugin, asked = ask({"runtimeClassName": "dear", "overhead": {"cpu": "2"}})
    with pytest.raises(errors.Forbidden):
        plugin.admit(asked)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"key": "a", "value": "v"}, ["given"]),  # which covers the class's; the other way round it does not
        ({"key": "a", "operator": "Equal", "value": "v"}, ["given"]),
        ({"key": "a", "operator": "Equal", "value": "w"}, ["given", "class's"]),
        ({"key": "a", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, ["class's"]),
        ({"operator": "Exists"}, ["given"]),
    ],
)
def test_tolerations_that_another_covers_are_left_out(given: dict[str, Any], kept: list[str]) -> None:
    other = {"key": "b", "operator": "Equal", "value": "v"}
    plugin, asked = ask({"runtimeClassName": "tolerant", "tolerations": [given, other]})
    plugin.admit(asked)
    found = [each for each in asked.obj["spec"]["tolerations"] if each != other]
    assert ["given" if each == given else "class's" for each in found] == kept
