"""Environments as values: admission's variables, authorizers, computed variables, object types."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from quarterdeck.cel import environment, lib_authz, types
from quarterdeck.cel.environment import Environment, Failure, compile_expression


@dataclass
class Answer:
    allowed: bool
    reason: str = ""
    error: str | None = None


def test_admission_variables_are_dynamic_and_plain_json():
    request = types.struct("kubernetes.AdmissionRequest", {"operation": types.STRING})
    env = Environment({"object": types.DYN, "oldObject": types.DYN, "request": request, "params": types.DYN})
    program = compile_expression("object.spec.replicas <= params.max && oldObject == null", env)
    outcome = program.evaluate({"object": {"spec": {"replicas": 3}}, "params": {"max": 5}, "oldObject": None})
    assert outcome.value is True
    assert program.references == {"object", "oldObject", "params"}
    unknown = compile_expression("request.nope == 1", env)
    assert isinstance(unknown, Failure)
    assert "undefined field 'nope'" in str(unknown)


def test_the_namespace_of_an_object_is_typed():
    meta = types.struct(
        "kubernetes.NamespaceMetadata", {"name": types.STRING, "labels": types.map_of(types.STRING, types.STRING)}
    )
    namespace = types.struct("kubernetes.Namespace", {"metadata": meta})
    env = Environment({"object": types.DYN, "namespaceObject": namespace})
    rule = "namespaceObject.metadata.labels['tier'] == object.tier && namespaceObject.metadata.name.startsWith('p')"
    program = compile_expression(rule, env)
    bindings = {"object": {"tier": "web"}, "namespaceObject": {"metadata": {"name": "prod", "labels": {"tier": "web"}}}}
    assert program.evaluate(bindings).value is True
    assert program.references == {"object", "namespaceObject"}
    bindings["namespaceObject"] = {"metadata": {"name": "prod", "labels": {}}}
    assert program.evaluate(bindings).error == "no such key: tier"
    assert "undefined field 'spec'" in str(compile_expression("namespaceObject.spec == null", env))
    # Objects of the cluster have none: a rule that asks for it first goes on.
    cautious = compile_expression("namespaceObject == null || namespaceObject.metadata.name != 'x'", env)
    assert cautious.evaluate({"namespaceObject": None}).value is True
    assert cautious.evaluate(bindings).value is True


def test_an_authorizer_is_a_value_that_answers_checks():
    asked = []

    def authorize(check):
        asked.append(check)
        return Answer(check.verb == "create", reason="because")

    env = Environment({"authorizer": types.AUTHORIZER})
    rule = "authorizer.group('apps').resource('deployments').namespace('ns').check('create').allowed()"
    program = compile_expression(rule, env)
    outcome = program.evaluate({"authorizer": lib_authz.Authorizer(authorize)})
    assert outcome.value is True
    assert asked[0].group == "apps"
    assert asked[0].resource == "deployments"
    assert asked[0].namespace == "ns"
    assert outcome.cost > 350_000
    third = compile_expression(" && ".join([rule] * 3), env)
    assert third.evaluate({"authorizer": lib_authz.Authorizer(authorize)}).exceeded


def test_an_authorizer_asks_for_paths_and_service_accounts():
    asked = []

    def authorize(check):
        asked.append(check)
        return Answer(False, error="down")

    env = Environment({"authorizer": types.AUTHORIZER})
    program = compile_expression("authorizer.serviceAccount('ns', 'sa').path('/healthz').check('get').errored()", env)
    assert program.evaluate({"authorizer": lib_authz.Authorizer(authorize)}).value is True
    assert asked[0].service_account == ("ns", "sa")
    assert asked[0].path == "/healthz"


def test_variables_can_be_computed_field_by_field():
    class Variables:
        cel_type = "kubernetes.variables"

        def cel_get(self, key):
            return {"n": 5}.get(key, NotImplemented)

    declared = types.struct("kubernetes.variables", {"n": types.INT})
    env = Environment({"variables": declared})
    assert compile_expression("variables.n > 4", env).evaluate({"variables": Variables()}).value is True


def test_objects_of_declared_types_can_be_made():
    patch = types.struct("JSONPatch", {"op": types.STRING, "path": types.STRING})
    env = Environment({}, structs={"JSONPatch": patch})
    made = compile_expression("[JSONPatch{op: 'add', path: '/a'}]", env).evaluate({}).value
    assert made[0].fields == {"op": "add", "path": "/a"}
    wrong = compile_expression("[JSONPatch{op: 1}]", env)
    assert "expected type of field 'op' is 'string' but provided type is 'int'" in str(wrong)


def test_faults_found_late_are_named_so():
    env = Environment({"s": types.STRING})
    assert str(compile_expression("s.find(')') == ''", env)) == (
        "program instantiation failed: error parsing regexp: unexpected ): `)`"
    )
    assert environment.PER_CALL_LIMIT == 1_000_000


def test_a_variable_may_have_a_qualified_name():
    declared = {"authorizer": types.AUTHORIZER, "authorizer.requestResource": types.RESOURCE_CHECK}
    program = compile_expression("authorizer.requestResource.check('get').allowed()", Environment(declared))
    check = lib_authz.ResourceCheck(
        lambda check: Answer(check.resource == "pods"), lib_authz.Check("", resource="pods")
    )
    assert program.evaluate({"authorizer.requestResource": check}).value is True


def test_the_same_program_serves_several_threads():
    program = compile_expression("[1, 2, 3].map(i, i + n) == [1 + n, 2 + n, 3 + n]", Environment({"n": types.INT}))
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda n: program.evaluate({"n": n}).value, range(200)))
    assert all(outcomes)
