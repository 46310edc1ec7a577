"""Nobody has a policy read what they may not read."""

from __future__ import annotations

from typing import Any, cast

import pytest

from quarterdeck.admission.attributes import CREATE, DELETE, UPDATE
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer, Decision
from quarterdeck.registry.builtin.admissionregistration import resources
from quarterdeck.registry.builtin.admissionregistration.paramaccess import ParamAccess

BOB = User("bob", "7", ("devs", "ops"), {"b": ("1", "2"), "a": ()})
SHOWN = "&{bob 7 [devs ops] map[a:[] b:[1 2]]}"
SECRETS = {"apiVersion": "v1", "kind": "Secret"}
BOATS = {"apiVersion": "example.com/v1", "kind": "Boat"}
KINDS = {definition.resource.name: definition.resource for definition in resources.definitions()}
REFERENCE = {"name": "p", "namespace": "ns", "parameterNotFoundAction": "Deny"}
ALL_SECRETS = ("get", "", "v1", "secrets", "*", "*")
FLAVOURS = ("validating", "mutating")


class Guard:
    """Bob may do what is in `allowed`: verb, group, version, resource, namespace and name."""

    def __init__(self, *allowed: tuple[str, ...]) -> None:
        self.allowed = allowed
        self.asked: list[tuple[str, ...]] = []
        self.policies: dict[tuple[str, str], dict[str, Any]] = {}
        self.access = ParamAccess(lambda: cast(Authorizer, self), self.find_policy, self.find_resource)

    def find_policy(self, resource: str, name: str) -> dict[str, Any] | None:
        return self.policies.get((resource, name))

    def find_resource(self, api_version: str, kind: str) -> str | None:
        return "secrets" if (api_version, kind) == ("v1", "Secret") else None

    def authorize(self, _user: User, asked: Attributes) -> Decision:
        self.asked.append((asked.verb, asked.group, asked.version, asked.resource, asked.namespace, asked.name))
        return Decision(self.asked[-1] in self.allowed)

    def write(
        self, resource: str, spec: dict[str, Any], old: dict[str, Any] | None = None, user: User = BOB, **other: str
    ) -> str:
        """What is wrong with it; "" where nothing is."""
        obj, before = ({"metadata": {"name": "x"}, "spec": each} if each is not None else None for each in (spec, old))
        operation = other.get("operation", CREATE if old is None else UPDATE)
        address = (KINDS[resource], other.get("subresource", ""), "", "x")
        write: Any = (operation, *address, obj, before, user, None, None, [], {}, False)
        try:
            self.access.validate(Write(*write))
        except errors.Invalid as refusal:
            return refusal.message.removeprefix(f'{KINDS[resource].kind}.{resources.GROUP} "x" is invalid: ')
        return ""


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_who_names_a_kind_may_get_all_objects_of_it(flavour: str) -> None:
    policies, guard = f"{flavour}admissionpolicies", Guard()
    assert guard.write(policies, {}) == ""
    text = (
        f'spec.paramKind: Forbidden: user {SHOWN} must have "get" permission on all objects of the referenced paramKind'
    )
    assert guard.write(policies, {"paramKind": SECRETS}) == f"{text} (kind=Secret, apiVersion=v1)"
    assert guard.write(policies, {"paramKind": BOATS}, {}) == f"{text} (kind=Boat, apiVersion=example.com/v1)"
    assert guard.asked == [ALL_SECRETS, ("get", "example.com", "v1", "*", "*", "*")]
    assert Guard(ALL_SECRETS).write(policies, {"paramKind": SECRETS}) == ""


def test_a_kind_that_was_named_before_is_not_asked_for_again() -> None:
    guard = Guard()
    assert guard.write("validatingadmissionpolicies", {"paramKind": SECRETS}, {"paramKind": dict(SECRETS)}) == ""
    assert guard.write("validatingadmissionpolicies", {"paramKind": SECRETS}, {"paramKind": BOATS}) != ""


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    "reference, verb", [(REFERENCE, "get"), ({"selector": {}, "parameterNotFoundAction": "Deny"}, "list")]
)
def test_who_binds_a_policy_may_read_its_parameters(flavour: str, reference: dict[str, Any], verb: str) -> None:
    bindings, guard = f"{flavour}admissionpolicybindings", Guard()
    guard.policies[f"{flavour}admissionpolicies", "secrets"] = {"spec": {"paramKind": SECRETS}}
    guard.policies[f"{flavour}admissionpolicies", "boats"] = {"spec": {"paramKind": BOATS}}
    guard.policies[f"{flavour}admissionpolicies", "none"] = {"spec": {}}
    place = (reference.get("namespace", ""), reference.get("name", ""))
    shown, quoted = (verb, SHOWN) if flavour == "mutating" else (SHOWN, verb)  # as upstream mixes them up
    plain = f'user {shown} does not have "{quoted}" permission on the object referenced by paramRef'
    needed = f'user {SHOWN} does not have "{verb}" permission for all groups, versions and resources'
    known = f"determine minimum required permissions and {needed}"
    for policy, target, text in (
        ("secrets", ("", "v1", "secrets"), plain),
        ("boats", ("example.com", "v1", "*"), f"unable to resolve paramKind &{{example.com/v1 Boat}} to {known}"),
        ("none", ("*", "*", "*"), plain),
        ("absent", ("*", "*", "*"), f"unable to get policy absent to {known}"),
    ):
        spec = {"policyName": policy, "paramRef": reference}
        assert guard.write(bindings, spec) == f"spec.paramRef: Forbidden: {text}"
        assert guard.asked[-1] == (verb, *target, *place)
        guard.allowed = (guard.asked[-1],)
        assert guard.write(bindings, spec, spec) == ""
        guard.allowed = ()
        assert guard.write(bindings, spec, spec) != ""
    assert guard.write(bindings, {"policyName": "secrets"}) == ""


def test_nobody_else_is_asked() -> None:
    guard, spec = Guard(), {"paramKind": SECRETS}
    assert guard.write("validatingadmissionpolicies", spec, user=User("a", groups=("system:masters",))) == ""
    assert guard.write("validatingadmissionpolicies", spec, {}, subresource="status") == ""
    assert guard.write("validatingadmissionpolicies", spec, operation=DELETE) == ""
    assert guard.asked == []
