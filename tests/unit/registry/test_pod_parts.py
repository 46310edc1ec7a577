"""Ephemeral containers of pods, and what containers may use later."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.core import resources
from support.builtin_kind import BuiltinKind, Object

POD = BuiltinKind(next(each for each in resources.definitions() if each.resource.kind == "Pod"))
DEBUGGER = {"name": "d", "image": "i"}


def pod(*ephemeral: Object, **container: Any) -> Object:
    found = {"ephemeralContainers": list(ephemeral)} if ephemeral else {}
    return {"spec": {"containers": [{"name": "c", "image": "i", **container}], **found}}


def using(**requests: str) -> Object:
    return pod(resources={"requests": requests})


def test_only_ephemeral_containers_are_taken() -> None:
    new = POD.update(pod(DEBUGGER, image="other"), pod(), "ephemeralcontainers")
    assert [each["name"] for each in new["spec"]["ephemeralContainers"]] == ["d"]
    assert new["spec"]["containers"][0]["image"] == "i"


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (pod(DEBUGGER), pod(), ""),
        (pod(), pod(DEBUGGER), 'existing ephemeral containers "d" may not be removed\n'),
        (pod({**DEBUGGER, "tty": True}), pod(DEBUGGER), 'existing ephemeral containers "d" may not be changed\n@@'),
    ],
)
def test_ephemeral_containers_stay(new: Object, old: Object, expected: str) -> None:
    found = POD.refusals_of_update(new, old, "ephemeralcontainers")
    assert [each.partition("Forbidden: ")[2][: len(expected)] for each in found] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (using(cpu="2"), using(cpu="1"), []),
        (using(memory="1Gi"), using(cpu="1"), ["spec.containers[0].resources.requests: Forbidden: resource requests"]),
        (pod(), using(cpu="1"), ["spec: Invalid value: ", "spec.containers[0].resources.requests: Forbidden"]),
        (using(cpu="1", **{"ephemeral-storage": "1Gi"}), using(cpu="1"), ["spec: Forbidden: only cpu and memory"]),
    ],
)
def test_what_a_resize_may_not_do_is_told(new: Object, old: Object, expected: list[str]) -> None:
    found = POD.refusals_of_update(new, old, "resize")
    assert len(found) == len(expected)
    assert all(one.startswith(start) for one, start in zip(found, expected, strict=True))


@pytest.mark.parametrize(("new", "old"), [({"resources": {}}, {}), ({}, {"resources": {}})])
def test_a_resize_makes_no_amounts_of_the_pod_that_are_none(new: Object, old: Object) -> None:
    before, after = ({"spec": {"containers": [{"name": "c", "image": "i"}], **each}} for each in (old, new))
    assert POD.refusals_of_update(after, before, "resize") == [
        "spec: Forbidden: only cpu and memory resources are mutable"
    ]
    assert POD.refusals_of_update(after, after, "resize") == []


def test_what_is_written_down_empty_of_what_is_not_taken_does_not_count() -> None:
    """A body of the whole pod may tell of hooks and volumes otherwise than the stored pod."""
    hooks = {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}
    empty = {"lifecycle": {"preStop": {"exec": {}}}}
    for subresource in ("resize", "ephemeralcontainers"):
        assert POD.refusals_of_update(pod(**empty), pod(**hooks), subresource) == []
    assert POD.refusals_of_update(pod({**DEBUGGER, "ports": []}), pod(), "ephemeralcontainers") == [
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container"
    ]
    claiming = {"spec": {**pod()["spec"], "resources": {"requests": {"cpu": "1"}, "claims": []}}}
    assert "claims may not be set" in POD.refusals_of_update(claiming, pod(), "resize")[0]


def test_what_a_resize_takes_away_is_told_before_what_it_changes() -> None:
    def asking(first: Object, second: Object) -> Object:
        containers = [{"name": "c", "image": "i", "resources": {"requests": first}}]
        return {
            "spec": {
                "containers": containers,
                "initContainers": [{"name": "d", "image": "i", "resources": {"requests": second}}],
            }
        }

    new = asking({"cpu": "1", "ephemeral-storage": "2"}, {})
    old = asking({"cpu": "1", "memory": "1"}, {"cpu": "1"})
    assert [each.partition(": ")[0] for each in POD.refusals_of_update(new, old, "resize")] == [
        "spec.initContainers[0].resources.requests",
        "spec.containers[0].resources.requests",
        "spec",
    ]


def test_a_resize_takes_nothing_else() -> None:
    resized = pod(image="other", resources={"requests": {"cpu": "2"}})
    container = POD.update(resized, using(cpu="1"), "resize")["spec"]["containers"][0]
    assert (container["image"], container["resources"]) == ("i", {"requests": {"cpu": "2"}})


def test_amounts_of_a_status_are_rounded() -> None:
    amounts = {"allocatedResources": {"cpu": "0.5m"}, "resources": {"limits": {"cpu": "0.5m"}, "requests": {"a": "1"}}}
    rounded = {"allocatedResources": {"cpu": "1m"}, "resources": {"limits": {"cpu": "1m"}, "requests": {"a": "1"}}}
    members = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    made = POD.decode({**pod(), "status": {**amounts, **{name: [{"name": "c", **amounts}] for name in members}}})
    for told in (made["status"], *(made["status"][name][0] for name in members)):
        assert {name: told[name] for name in amounts} == rounded


COST = "controller.kubernetes.io/pod-deletion-cost"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"


def annotated(name: str, value: str) -> Object:
    return {"metadata": {"annotations": {name: value}}, **pod()}


@pytest.mark.parametrize("subresource", ["", "status", "ephemeralcontainers", "resize"])
def test_a_wrong_deletion_cost_stays_where_a_binding_has_brought_it(subresource: str) -> None:
    wrong = annotated(COST, "x")
    assert POD.refusals_of_update(wrong, wrong, subresource) == []
    assert POD.refusals_of_update(annotated(COST, "y"), wrong, subresource) == []


def test_a_wrong_annotation_is_told_twice_of_a_pod_that_is_debugged() -> None:
    wrong = annotated(TOLERATIONS, "x")
    found = POD.refusals_of_update(wrong, wrong, "ephemeralcontainers")
    assert len(found) == 2
    assert found[0] == found[1]
