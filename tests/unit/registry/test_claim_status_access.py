"""Who may write which part of a claim's status."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from quarterdeck.admission.attributes import UPDATE
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.registry.builtin.resource.statusaccess import StatusAccess, take_refusals

Object = dict[str, Any]
BOB = User("bob", groups=("devs",))
DRIVER = User("system:serviceaccount:n:d", extra={"authentication.kubernetes.io/node-name": ("one",)})
CLAIMS = APIResource(
    "resource.k8s.io", "v1", "resourceclaims", "resourceclaim", "ResourceClaim", "ResourceClaimList", True
)
ON_ONE = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["one"]}]}]}


def allocated(**members: Any) -> Object:
    return {"allocation": {"devices": {"results": [device("a"), device("b")]}, **members}}


def device(driver: str, **members: Any) -> Object:
    return {"driver": driver, "pool": "p", "device": "d", **members}


RESERVED = {**allocated(), "reservedFor": [{"uid": "u"}]}


def refusals(
    status: Object, before: Object, *allowed: str, user: User = BOB, subresource: str = "status", verb: str = "update"
) -> tuple[list[str], list[str]]:
    """What is refused, and what was asked, where these verbs are allowed: of `binding`, and `verb driver`."""
    asked: list[str] = []

    def refuse(_user: User, found: Attributes) -> str:
        parts = (found.verb, found.subresource, found.namespace, found.name)
        asked.append(" ".join(part for part in parts if part))
        return "" if asked[-1] in allowed else "no"

    write = Write(
        UPDATE,
        CLAIMS,
        subresource,
        "n",
        "c",
        {"status": status},
        {"status": before},
        user,
        Mock(),
        Mock(),
        [],
        {},
        False,
    )
    write.verb = verb
    StatusAccess(refuse).admit(write)
    found = [str(each) for each in take_refusals()]
    assert take_refusals() == []
    return found, asked


@pytest.mark.parametrize("verb", ["update", "patch"])
@pytest.mark.parametrize(
    ("status", "before"),
    [(allocated(), {}), ({}, allocated()), ({**allocated(), "reservedFor": [{"uid": "u"}]}, allocated())],
)
def test_who_gives_or_reserves_devices_may_bind_claims_everywhere(status: Object, before: Object, verb: str) -> None:
    found, asked = refusals(status, before, verb=verb)
    assert asked == [f"{verb} binding"]
    assert found == [
        "status.allocation: Forbidden: changing status.allocation or status.reservedFor requires "
        f'resource="resourceclaims/binding", verb="{verb}" permission: no'
    ]
    assert refusals(status, before, f"{verb} binding", verb=verb)[0] == []


def test_each_driver_whose_devices_change_is_asked_about() -> None:
    before = {**allocated(), "devices": [device("a"), device("b", data={"x": 1}), device("c")]}
    status = {**allocated(), "devices": [device("a"), device("b", data={"x": 2}), device("d")]}
    found, asked = refusals(status, before, "arbitrary-node:update driver n c")
    assert asked == [f"arbitrary-node:update driver n {name}" for name in "bcd"]
    assert found == 2 * [
        'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", '
        'verb="[arbitrary-node:update]" permission: no'
    ]


def test_a_driver_on_the_node_of_the_devices_needs_less() -> None:
    before, status = allocated(nodeSelector=ON_ONE), {**allocated(nodeSelector=ON_ONE), "devices": [device("a")]}
    near, far = "associated-node:update driver n a", "arbitrary-node:update driver n a"
    assert refusals(status, before, near, user=DRIVER) == ([], [near])
    assert refusals(status, before, far, user=DRIVER) == ([], [near, far])
    found, _ = refusals(status, before, user=DRIVER)
    assert 'verb="[associated-node:update arbitrary-node:update]" permission: no' in found[0]


@pytest.mark.parametrize(
    ("user", "selector"),
    [
        (BOB, ON_ONE),
        (User("bob", extra=DRIVER.extra), ON_ONE),
        (User(DRIVER.name, extra={"authentication.kubernetes.io/node-name": ("two",)}), ON_ONE),
        (User(DRIVER.name, extra={"authentication.kubernetes.io/node-name": ("one", "one")}), ON_ONE),
        (User("system:serviceaccount:n", extra=DRIVER.extra), ON_ONE),
        (User("system:serviceaccount:N:d", extra=DRIVER.extra), ON_ONE),
        (DRIVER, {"nodeSelectorTerms": ON_ONE["nodeSelectorTerms"] * 2}),
        (DRIVER, {"nodeSelectorTerms": [{**ON_ONE["nodeSelectorTerms"][0], "matchExpressions": [{"key": "k"}]}]}),
        (DRIVER, None),
    ],
)
def test_anybody_else_needs_the_right_for_any_node(user: User, selector: Object | None) -> None:
    more = {} if selector is None else {"nodeSelector": selector}
    status = {**allocated(**more), "devices": [device("a")]}
    assert refusals(status, allocated(**more), user=user)[1] == ["arbitrary-node:update driver n a"]


def test_nobody_is_asked_of_what_does_not_change_or_goes_with_the_allocation() -> None:
    status = {**allocated(), "devices": [device("a")]}
    assert refusals(status, status) == ([], [])
    assert refusals({**status, "reservedFor": []}, status) == ([], [])
    assert refusals({}, status, "update binding") == ([], ["update binding"])
    assert refusals({}, status, subresource="") == ([], [])
    assert refusals({}, status, user=User("root", groups=("system:masters",))) == ([], [])
