"""Admission policies over the plugins' own interface: what they refuse, warn of, change, and leave alone."""

from __future__ import annotations

import asyncio
import copy
from functools import partial
from typing import Any

import pytest

from quarterdeck.admission.attributes import CREATE, Attributes, MergeError
from quarterdeck.admission.policy import checks
from quarterdeck.admission.policy.compiled import Binding, MutatingPolicy, Policy, ValidatingPolicy
from quarterdeck.admission.policy.concerned import Concerned
from quarterdeck.admission.policy.lookups import Lookups
from quarterdeck.admission.policy.plugins import MutatingPolicies, ValidatingPolicies
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.apimachinery.labels import Selector
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.cel.lib_authz import Check, Decision
from quarterdeck.fieldmanager import overlay, types
from quarterdeck.metrics.registry import Registry
from support.plain_interfaces import CreateOptions, PlainInterfaces

Object = dict[str, Any]
RESOURCE = APIResource("a.dev", "v1", "things", "thing", "Thing", "ThingList", namespaced=True)
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "s": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        }
    },
}
MATCH = {
    "resourceRules": [{"operations": ["*"], "apiGroups": ["a.dev"], "apiVersions": ["*"], "resources": ["things"]}],
    "matchPolicy": "Equivalent",
}
COSTLY = "[1, 2, 3, 4, 5, 6, 7, 8, 9].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9].all(b, " * 2 + "a + b > 0" + "))" * 2


class Interfaces(PlainInterfaces):
    """Merges by a schema."""

    def __init__(self) -> None:
        super().__init__(GroupVersionKind("a.dev", "v1", "Thing"), "things")

    def merge(self, live: Object, patch: Object) -> Object:
        try:
            return overlay.lay_over(types.from_open_api(SCHEMA), live, patch)
        except ValueError as error:
            raise MergeError(str(error)) from error


class Params:
    namespaced = True

    def __init__(self, *objects: Object) -> None:
        self._objects = objects

    def get(self, namespace: str, name: str) -> Object | None:
        found = [each for each in self._objects if each["metadata"]["name"] == name]
        return found[0] if found else None

    def select(self, namespace: str, selector: Selector) -> list[Object]:
        return [each for each in self._objects if selector.matches(each["metadata"].get("labels") or {})]


def authorize(user: User, check: Check) -> Decision:
    return Decision(check.verb == "get", "", None)


def lookups(*params: Object) -> Lookups:
    store = Params(*params)
    return Lookups(
        lambda name: {"name": name},
        lambda name: {"metadata": {"name": name, "labels": {"name": name}}},
        lambda api_version, kind: store if kind == "ConfigMap" else None,
        authorize,
    )


def attributes_of(spec: Object, **more: Any) -> Attributes:
    obj = {"apiVersion": "a.dev/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": "n"}, "spec": spec}
    given: dict[str, Any] = {"operation": CREATE, "obj": obj, "old": None, **more}
    return Attributes(
        given["operation"],
        RESOURCE,
        "",
        "n",
        "t",
        given["obj"],
        given["old"],
        User("u"),
        CreateOptions(),
        Interfaces(),
        [],
        {},
        False,
    )


def binding_of(**spec: Any) -> Binding:
    return Binding({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"], **spec}})


def concerning(policy: Policy, *bindings: Binding) -> Any:
    return partial(_found, Concerned([(policy, list(bindings))]))


def _found(concerned: Concerned[Any], operation: str, resource: str) -> Concerned[Any]:
    return concerned


def validating(attributes: Attributes, *params: Object, binding: Object | None = None, **spec: Any) -> None:
    """Raises what refuses."""
    policy = ValidatingPolicy({"metadata": {"name": "p"}, "spec": {"matchConstraints": MATCH, **spec}})
    bound = concerning(policy, binding_of(**(binding or {})))
    plugin = ValidatingPolicies(bound, lookups(*params), checks.of_validating(Registry()))
    waiting = plugin.validate(attributes)
    if waiting is not None:
        asyncio.run(_wait(waiting))


async def _wait(waiting: Any) -> None:
    await waiting


def mutating(attributes: Attributes, *mutations: Object, **spec: Any) -> None:
    policy = MutatingPolicy(
        {
            "metadata": {"name": "p"},
            "spec": {"matchConstraints": MATCH, "mutations": list(mutations), "reinvocationPolicy": "Never", **spec},
        }
    )
    plugin = MutatingPolicies(concerning(policy, binding_of()), lookups(), checks.of_mutating(Registry()))
    waiting = plugin.admit(attributes)
    if waiting is not None:
        asyncio.run(_wait(waiting))


def json_patch(expression: str) -> Object:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


def configuration(expression: str) -> Object:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


DENIED = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "


@pytest.mark.parametrize(
    ("validation", "code", "text"),
    [
        ({"expression": "object.spec.n < 3"}, 422, "failed expression: object.spec.n < 3"),
        ({"expression": "false", "message": " m "}, 422, "m"),
        ({"expression": "false", "messageExpression": "'n is ' + string(object.spec.n)"}, 422, "n is 5"),
        ({"expression": "false", "message": "m", "messageExpression": "object.absent"}, 422, "m"),
        ({"expression": "false", "message": "m", "reason": "Forbidden"}, 403, "m"),
        (
            {"expression": "object.absent == 1"},
            422,
            "expression 'object.absent == 1' resulted in error: no such key: absent",
        ),
        (
            {"expression": "variables.bad"},
            422,
            "expression 'variables.bad' resulted in error: composited variable \"bad\" fails to evaluate: "
            "no such key: nothing",
        ),
    ],
)
def test_refusals(validation: Object, code: int, text: str) -> None:
    variables = [{"name": "bad", "expression": "object.nothing"}]
    if validation["expression"] == "variables.bad":
        validation = {"expression": "variables.bad == true"}
        text = text.replace("'variables.bad'", "'variables.bad == true'")
    with pytest.raises(APIStatus) as refused:
        validating(attributes_of({"n": 5}), validations=[validation], variables=variables)
    status = refused.value.to_status()
    assert (refused.value.http_code, status["message"]) == (code, f'things.a.dev "t" is forbidden: {DENIED}{text}')
    assert status["details"] == {
        "name": "t",
        "group": "a.dev",
        "kind": "things",
        "causes": [{"message": f"{DENIED}{text}"}],
    }


@pytest.mark.parametrize(
    "expression",
    [
        "request.operation == 'CREATE' && request.namespace == 'n' && request.userInfo.username == 'u'",
        "oldObject == null && !request.dryRun && request.options.kind == 'CreateOptions'",
        "namespaceObject.metadata.labels.name == 'n'",
        "authorizer.group('a.dev').resource('things').check('get').allowed()",
        "!authorizer.requestResource.check('delete').allowed()",
        "params == null",
    ],
)
def test_what_expressions_see(expression: str) -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    validating(attributes_of({}), validations=[{"expression": expression}], paramKind=kind)


def test_warnings_and_audit_annotations() -> None:
    attributes = attributes_of({"n": 5})
    validating(
        attributes,
        binding={"validationActions": ["Warn", "Audit"]},
        validations=[{"expression": "false", "message": "m"}],
        auditAnnotations=[{"key": "k", "valueExpression": "'n' + string(object.spec.n)"}],
    )
    assert attributes.warnings == ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m"]
    assert attributes.annotations == {
        "validation.policy.admission.k8s.io/validation_failure": (
            '[{"message":"m","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Warn","Audit"]}]'
        ),
        "p/k": "n5",
    }


def test_conditions_and_failures_that_are_ignored() -> None:
    refusing = [{"expression": "false"}]
    validating(
        attributes_of({}), validations=refusing, matchConditions=[{"name": "c", "expression": "request.name != 't'"}]
    )
    failing = [{"name": "c", "expression": "object.absent == 1"}]
    validating(attributes_of({}), validations=refusing, matchConditions=failing, failurePolicy="Ignore")
    with pytest.raises(APIStatus, match="no such key: absent"):
        validating(attributes_of({}), validations=refusing, matchConditions=failing)


def test_each_parameter_is_one_evaluation() -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    low, high = ({"metadata": {"name": name, "labels": {"a": "b"}}, "data": {"max": name}} for name in ("3", "9"))
    validations = [
        {"expression": "object.spec.n <= int(params.data.max)", "messageExpression": "string(params.data.max)"}
    ]
    judged = partial(validating, attributes_of({"n": 5}), low, high, validations=validations, paramKind=kind)
    judged(binding={"paramRef": {"name": "9", "parameterNotFoundAction": "Deny"}})
    with pytest.raises(APIStatus, match=r"denied request: 3$"):
        judged(binding={"paramRef": {"selector": {"matchLabels": {"a": "b"}}, "parameterNotFoundAction": "Deny"}})
    judged(binding={"paramRef": {"name": "absent", "parameterNotFoundAction": "Allow"}})
    with pytest.raises(APIStatus, match="no params found for policy binding with `Deny` parameterNotFoundAction"):
        judged(binding={"paramRef": {"name": "absent", "parameterNotFoundAction": "Deny"}})


def test_a_kind_of_parameters_that_is_not_served_refuses() -> None:
    kind = {"apiVersion": "b.dev/v1", "kind": "Nothing"}
    with pytest.raises(APIStatus, match=r"referenced by paramKind: 'b.dev/v1, Kind=Nothing'"):
        validating(attributes_of({}), validations=[{"expression": "true"}], paramKind=kind)


def test_what_takes_long_is_awaited_and_judged_alike() -> None:
    validating(attributes_of({}), validations=[{"expression": COSTLY}])
    with pytest.raises(APIStatus, match="denied request: m"):
        validating(attributes_of({}), validations=[{"expression": f"!({COSTLY})", "message": "m"}])


def test_mutations_follow_each_other_and_leave_the_old_object_alone() -> None:
    spec = {"n": 5, "tags": ["a"]}
    before = copy.deepcopy(spec)
    attributes = attributes_of(spec)
    mutating(
        attributes,
        configuration("Object{spec: Object.spec{s: 'made'}, metadata: Object.metadata{labels: {'l': 'v'}}}"),
        json_patch("[JSONPatch{op: 'add', path: '/spec/tags/-', value: object.spec.s}]"),
        json_patch("[JSONPatch{op: 'test', path: '/spec/n', value: 6}, JSONPatch{op: 'remove', path: '/spec'}]"),
    )
    assert attributes.obj is not None
    assert attributes.obj["spec"] == {"n": 5, "s": "made", "tags": ["a", "made"]}
    assert attributes.obj["metadata"]["labels"] == {"l": "v"}
    assert spec == before
    assert attributes.reinvocation.is_requested


@pytest.mark.parametrize(
    ("mutation", "text"),
    [
        (json_patch("[JSONPatch{op: 'remove', path: '/spec/x'}]"), "JSON Patch: error in remove for path: '/spec/x'"),
        (configuration("Object{spec: Object.spec{n: 'x'}}"), "error applying patch: failed to convert patch object to"),
        (configuration("Object{spec: Object.spec{tags: ['x']}}"), "may not mutate atomic arrays, maps or structs: .sp"),
        (
            configuration("Object{spec: Object.wrong{n: 1}}"),
            'type mismatch: unexpected type name "Object.wrong", expec',
        ),
        (
            configuration("optional.of(Object{}).optMap(made, made).value()"),
            "denied request: unsupported return type from ApplyConfiguration expression: map(dyn, dyn)",
        ),
    ],
)
def test_mutations_that_cannot_be_made(mutation: Object, text: str) -> None:
    with pytest.raises(APIStatus) as refused:
        mutating(attributes_of({"n": 5}), mutation)
    status = refused.value.to_status()
    assert (refused.value.http_code, status["reason"]) == (403, "Invalid")
    assert text in refused.value.message
    mutating(attributes_of({"n": 5}), mutation, failurePolicy="Ignore")


NOT_TYPED = "error applying patch: failed to convert patch object to typed object: "
NO_STRING = f"{NOT_TYPED}.spec.s: expected string, got &value.valueUnstructured{{Value:"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ("s: null", f"{NO_STRING}0}}"),
        ("n: null", f"{NOT_TYPED}.spec.n: expected numeric (int or float), got structpb.NullValue"),
        ("n: 5u", f"{NOT_TYPED}.spec.n: expected numeric (int or float), got uint64"),
        (
            "s: duration('3661s')",
            f"{NO_STRING}3661000000000}}",
        ),
        (
            "s: b'ab'",
            f"{NO_STRING}[]uint8{{0x61, 0x62}}}}",
        ),
        (
            "s: timestamp('2020-01-01T00:00:00.5Z')",
            f"{NO_STRING}time.Date(2020, time.January, 1, 0, 0, 0, 500000000, time.UTC)}}",
        ),
        ("n: quantity('1')", f"{NOT_TYPED}.spec.n: expected numeric (int or float), got *resource.Quantity"),
        ("tags: null", f"{NOT_TYPED}.spec.tags: expected list, got &{{NULL_VALUE}}"),
        ("tags: {1: 'x'}", f"{NOT_TYPED}.spec: expected map, got &{{fail to convert field \"tags\": map key '\\x01'"),
    ],
)
def test_what_an_object_of_an_expression_holds_is_no_json(fields: str, text: str) -> None:
    with pytest.raises(APIStatus) as refused:
        mutating(attributes_of({"n": 5}), configuration(f"Object{{spec: Object.spec{{{fields}}}}}"))
    assert text in refused.value.message


def test_maps_of_an_expression_within_its_lists_are_no_json() -> None:
    attributes = attributes_of({"n": 5})
    with pytest.raises(APIStatus) as refused:
        mutating(attributes, configuration("Object{metadata: Object.metadata{labels: {'a': {'b': 'c'}}}}"))
    assert "labels.a: expected string, got " in refused.value.message
    with pytest.raises(APIStatus, match=r"invalid return type: \*dynamic.ObjectVal"):
        mutating(attributes, configuration("Object{spec: {1: 'a'}}"))


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ("{'b': {'c': 1}, 'd': {'c': 2}}", "map[b:{c: 1} d:{c: 2}]"),
        ("dyn({'b': 'c'})", "map[b:c]"),
        ("dyn(dyn([[1, 2], [3]]))", "[[1, 2] [3]]"),
        ("dyn([{'b': 'c'}])", "[{b: c}]"),
        ("object.spec.n == 5 ? {'b': 'c'} : {'b': 'd'}", "map[b:c]"),
        ("['b'].map(x, x + 'c')", "[bc]"),
        ("['b'].filter(x, true)", "[b]"),
        ("'b,c'.split(',')", "[b c]"),
    ],
)
def test_lists_and_maps_that_an_expression_makes_are_no_json_within_maps(item: str, shown: str) -> None:
    attributes = attributes_of({"n": 5})
    for fields in (f"{{'a': {item}}}", f"dyn({{'a': {item}}})", f"object.spec.n == 5 ? {{'a': {item}}} : {{}}"):
        with pytest.raises(APIStatus) as refused:
            mutating(attributes, configuration(f"Object{{metadata: Object.metadata{{labels: {fields}}}}}"))
        assert "labels.a: expected string, got " in refused.value.message
        assert shown in refused.value.message


def test_a_number_that_json_does_not_have_is_no_value() -> None:
    with pytest.raises(APIStatus, match=r"\Ajson: unsupported value: -Inf\Z") as refused:
        mutating(attributes_of({"n": 5}), configuration("Object{spec: Object.spec{n: -1.0 / 0.0}}"))
    assert refused.value.http_code == 500


@pytest.mark.parametrize(
    ("fields", "s"),
    [
        ("?s: optional.of('a')", "a"),
        ("?s: optional.none()", None),
        ("?s: object.spec.?none", None),
        ("s: optional.of('a')", "a"),
        ("s: type(1)", "int"),
        ("s: optional.ofNonZeroValue(Object.spec{}).hasValue() ? 'some' : 'none'", "none"),
        ("?s: optional.of(Object.spec{s: 'a'}).optMap(made, made.s)", "a"),
    ],
)
def test_fields_of_an_object_may_be_optional(fields: str, s: str | None) -> None:
    attributes = attributes_of({"n": 5})
    mutating(attributes, configuration(f"Object{{spec: Object.spec{{{fields}}}}}"))
    assert attributes.obj is not None
    assert attributes.obj["spec"].get("s") == s


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("null", "proto: invalid type: structpb.NullValue"),
        ("duration('1h')", "proto: invalid type: time.Duration"),
        ("[[1]]", "proto: invalid type: []ref.Val"),
        ("[{'a': 1}]", "proto: invalid type: map[ref.Val]ref.Val"),
        ("{true: 1}", 'fail to convert field "s": map key %!q(types.Bool=true) is of type types.Bool, not string'),
    ],
)
def test_values_of_a_patch_that_an_object_holds_are_no_json(value: str, text: str) -> None:
    expression = f"[JSONPatch{{op: 'add', path: '/spec', value: Object.spec{{s: {value}}}}}]"
    with pytest.raises(APIStatus) as refused:
        mutating(attributes_of({"n": 5}), json_patch(expression))
    assert refused.value.message.endswith(f"evaluated to a type that could not marshal to JSON: {text}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("int", "type conversion not supported for 'type'"),
        ("quantity('5')", "type conversion error from 'Quantity' to '*structpb.Value'"),
        ("ip('10.0.0.1')", "type conversion error from 'IP' to '*structpb.Value'"),
        ("cidr('10.0.0.0/8')", "type conversion error from 'CIDR' to '*structpb.Value'"),
        ("url('https://a.dev')", "type conversion error from 'URL' to '*structpb.Value'"),
        ("format.dns1123Label()", "type conversion error from 'Format' to '*structpb.Value'"),
        ("authorizer", "type conversion error from 'kubernetes.authorization.Authorizer' to '*structpb.Value'"),
        ("optional.none()", "optional.none() dereference"),
        ("optional.of(int)", "type conversion not supported for 'type'"),
        ("{1: 'a'}", "unsupported type conversion from 'int' to string"),
        ("{1u: 'a'}", "unsupported type conversion from 'uint' to string"),
        ("{true: 'a'}", "type conversion error from bool to 'string'"),
        ("[{'a': {1: 'a'}}]", "unsupported type conversion from 'int' to string"),
    ],
)
def test_values_of_patches_that_are_no_json(value: str, text: str) -> None:
    with pytest.raises(APIStatus) as refused:
        mutating(attributes_of({}), json_patch(f'[JSONPatch{{op: "add", path: "/spec/x", value: {value}}}]'))
    told = "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "
    assert refused.value.message.endswith(f"denied request: {told}{text}")


def judged_together(*policies: Object) -> ValidatingPolicies:
    """A plugin with policies of these specs, each with a binding of its own."""
    hooks = []
    for position, spec in enumerate(policies):
        obj = {"metadata": {"name": f"p{position}"}, "spec": {"matchConstraints": MATCH, **spec}}
        hooks.append((ValidatingPolicy(obj), [binding_of()]))
    return ValidatingPolicies(partial(_found, Concerned(hooks)), lookups(), checks.of_validating(Registry()))


def _bound(policy: Policy, *bindings: Binding) -> ValidatingPolicies:
    return ValidatingPolicies(concerning(policy, *bindings), lookups(), checks.of_validating(Registry()))


def refusal_of(plugin: ValidatingPolicies, attributes: Attributes) -> str:
    """ "" where nothing is refused, else by which policy and why."""
    try:
        waiting = plugin.validate(attributes)
        if waiting is not None:
            asyncio.run(_wait(waiting))
    except APIStatus as error:
        return error.message.partition("ValidatingAdmissionPolicy ")[2]
    return ""


def validations(*expressions: str) -> Object:
    return {"validations": [{"expression": expression} for expression in expressions]}


def test_each_of_many_policies_decides_by_itself() -> None:
    plugin = judged_together(
        validations("object.spec.n < 10", "has(object.spec)"),
        {**validations("object.spec.n < 8"), "matchConditions": [{"name": "c", "expression": "object.spec.n != 9"}]},
        {**validations("variables.n < 6"), "variables": [{"name": "n", "expression": "object.spec.n"}]},
        {**validations("object.spec.m == 1"), "failurePolicy": "Ignore"},
    )
    told = [refusal_of(plugin, attributes_of({"n": n})) for n in (5, 7, 8, 9, 10)]
    assert told == [
        "",
        "'p2' with binding 'b' denied request: failed expression: variables.n < 6",
        "'p1' with binding 'b' denied request: failed expression: object.spec.n < 8",
        "'p2' with binding 'b' denied request: failed expression: variables.n < 6",
        "'p0' with binding 'b' denied request: failed expression: object.spec.n < 10",
    ]


def test_what_fails_after_others_that_hold_is_told_as_alone() -> None:
    plugin = judged_together(validations("true"), validations("object.spec.n > 0", "object.absent == 1"))
    problem = "expression 'object.absent == 1' resulted in error: no such key: absent"
    assert refusal_of(plugin, attributes_of({"n": 5})) == f"'p1' with binding 'b' denied request: {problem}"


def test_policies_share_what_they_see_of_one_request_alone() -> None:
    plugin = judged_together(
        validations("request.name == object.metadata.name"), validations("oldObject == null || oldObject.n == 1")
    )
    for name, old, told in (
        ("t", None, ""),
        ("u", None, "'p0' with binding 'b' denied request: failed expression: request.name == object.metadata.name"),
        ("t", {"n": 1}, ""),
        (
            "t",
            {"n": 2},
            "'p1' with binding 'b' denied request: failed expression: oldObject == null || oldObject.n == 1",
        ),
    ):
        attributes = attributes_of({}, old=old)
        attributes.name = name
        assert refusal_of(plugin, attributes) == told


def test_many_policies_that_are_cheap_alone_are_judged_alike() -> None:
    plugin = judged_together(*[validations("object.spec.tags.all(tag, tag != '')")] * 40)
    tags = ["x"] * 300
    assert refusal_of(plugin, attributes_of({"tags": tags})) == ""
    assert refusal_of(plugin, attributes_of({"tags": [*tags, ""]})).startswith("'p0' with binding 'b' denied request: ")


def test_rules_of_other_operations_and_bindings_are_not_asked() -> None:
    only_updates = {"resourceRules": [{**MATCH["resourceRules"][0], "operations": ["UPDATE"]}]}
    plugin = judged_together({**validations("false"), "matchConstraints": only_updates})
    assert refusal_of(plugin, attributes_of({})) == ""
    bound = [binding_of(matchResources=only_updates)]
    policy = ValidatingPolicy({"metadata": {"name": "p"}, "spec": {"matchConstraints": MATCH, **validations("false")}})
    assert refusal_of(_bound(policy, *bound), attributes_of({})) == ""
    assert refusal_of(_bound(policy, *bound, binding_of()), attributes_of({}))
