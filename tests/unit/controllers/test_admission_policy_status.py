"""What the status of a validating admission policy tells of its expressions."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.controllers import names
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, kept, start

GROUP = "admissionregistration.k8s.io"
WORKLOADS = {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets", "deployments", "*/scale"]}
THINGS = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["things"]}


def validation(expression: str, **members: Any) -> Object:
    return {"expression": expression, **members}


async def policy_of(*validations: Object, rule: Object = WORKLOADS, **spec: Any) -> tuple[World, Object]:
    world = await start(names.POLICY_STATUS)
    properties = {"spec": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    await world.define("things", versions=[{"name": "v1", "served": True, "storage": True, "schema": schema}])
    await world.settle()
    match = {"resourceRules": [{"operations": ["CREATE"], **rule}]}
    spec = {"failurePolicy": "Fail", "matchConstraints": match, "validations": list(validations), **spec}
    about = {"apiVersion": f"{GROUP}/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"}}
    await add(world, "validatingadmissionpolicies", GROUP, **about, spec=spec)
    await world.settle(1)
    return world, kept(world, "validatingadmissionpolicies", "", "p", GROUP)


async def warnings_of(*validations: Object, rule: Object = WORKLOADS, **spec: Any) -> list[tuple[str, str]]:
    _, policy = await policy_of(*validations, rule=rule, **spec)
    assert policy["status"]["observedGeneration"] == 1
    found = policy["status"]["typeChecking"].get("expressionWarnings") or []
    return [(each["fieldRef"].removeprefix("spec.validations"), each["warning"]) for each in found]


async def test_unknown_fields_are_told_of_each_kind() -> None:
    _, policy = await policy_of(validation("object.replicas > 1", messageExpression="string(object.spec.odd)"))
    told = (
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n"
    )
    of_message = "ERROR: <input>:1:19: undefined field 'odd'\n | string(object.spec.odd)\n | ..................^\n"
    assert policy["status"] == {
        "observedGeneration": 1,
        "typeChecking": {
            "expressionWarnings": [
                {
                    "fieldRef": "spec.validations[0].expression",
                    "warning": f"{told}\n{told.replace('Deployment', 'ReplicaSet')}",
                },
                {
                    "fieldRef": "spec.validations[0].messageExpression",
                    "warning": f"apps/v1, Kind=Deployment: {of_message}\napps/v1, Kind=ReplicaSet: {of_message}",
                },
            ]
        },
    }
    entry = policy["metadata"]["managedFields"][0]
    assert (entry["manager"], entry["operation"], entry["subresource"]) == (
        "validatingadmissionpolicy-status",
        "Apply",
        "status",
    )


async def test_what_fits_is_not_warned_of() -> None:
    assert (
        await warnings_of(
            validation("object.spec.replicas < 5 && object.metadata.labels['a'] == variables.name"),
            validation("object.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z') && has(oldObject.spec)"),
            validation("object.spec.template.spec.containers.all(c, c.ports.all(p, p.containerPort > 0))"),
            validation("authorizer.group('').resource('pods').check('get').allowed()"),
            variables=[{"name": "name", "expression": "object.metadata.name"}],
        )
        == []
    )


async def test_a_custom_resource_is_known_by_its_schema() -> None:
    ((place, told),) = await warnings_of(
        validation("object.spec.n > 1 && object.metadata.name != ''"), validation("object.spec.m > 1"), rule=THINGS
    )
    assert (place, told.splitlines()[0]) == (
        "[1].expression",
        "example.com/v1, Kind=Thing: ERROR: <input>:1:12: undefined field 'm'",
    )


async def test_variables_have_the_types_of_their_expressions() -> None:
    ((_, told),) = await warnings_of(
        validation("variables.n == 'a'"),
        rule={**WORKLOADS, "resources": ["deployments"]},
        variables=[{"name": "n", "expression": "object.spec.replicas"}],
    )
    assert "found no matching overload for '_==_' applied to '(int, string)'" in told


async def test_parameters_have_the_type_of_their_kind() -> None:
    ((_, told),) = await warnings_of(
        validation("params.data['x'] == 'y'"),
        validation("params.odd == 'y'"),
        rule={**WORKLOADS, "resources": ["deployments"]},
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
    )
    assert "undefined field 'odd'" in told


@pytest.mark.parametrize("changed", [{"apiVersions": ["*"]}, {"resources": ["*"]}, {"resources": ["absent"]}])
async def test_nothing_is_checked_where_no_kind_is_named(changed: Object) -> None:
    assert await warnings_of(validation("object.odd == 1"), rule={**WORKLOADS, **changed}) == []


async def test_a_new_generation_is_looked_at_again() -> None:
    world, _ = await policy_of(validation("object.odd == 1"))

    def mend(obj: Object) -> None:
        obj["spec"]["validations"][0]["expression"] = "object.spec.replicas == 1"

    await world.change(world.builtin[GROUP, "v1", "validatingadmissionpolicies"][""], "", "p", mend)
    await world.settle(1)
    policy = kept(world, "validatingadmissionpolicies", "", "p", GROUP)
    assert policy["status"] == {"observedGeneration": 2, "typeChecking": {}}


async def test_it_has_to_be_named() -> None:
    world = await start("*")
    assert "validatingadmissionpolicy-status" not in [each.name for each in world.queues()]
