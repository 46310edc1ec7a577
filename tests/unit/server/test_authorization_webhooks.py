"""A webhook decides who may do what: in the filter, in reviews, and wherever else the server asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.authorization.configuration import AuthorizerConfiguration, Webhook
from quarterdeck.server.config import ConfigError
from quarterdeck.server.reload import FileWatch
from support import authorization_hook
from support.authorization_hook import AuthorizationHook
from support.in_process import InProcess, running

USERS = 'bob-token,bob,b1,"devs"\n'
MAPS = "/api/v1/namespaces/default/configmaps"
BOB = {"authorization": "Bearer bob-token"}
Object = dict[str, Any]


def webhook(hook: AuthorizationHook, **changed: Any) -> AuthorizerConfiguration:
    return AuthorizerConfiguration("Webhook", "default", Webhook(hook.kubeconfig, "v1")._replace(**changed))


async def ask(server: InProcess, method: str, address: str, body: Any = None, **headers: str) -> tuple[int, Object]:
    answer = await server.call(method, address, body, **{**BOB, **headers})
    return answer.status, json.loads(b"".join([answer.body]) if answer.body else b"{}")


def configmap(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def review(**resource: Any) -> Object:
    api_version = "authorization.k8s.io/v1"
    spec = {"resourceAttributes": resource}
    return {"apiVersion": api_version, "kind": "SelfSubjectAccessReview", "spec": spec}


SECRETS = "authorizer.group('').resource('secrets')"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_what_a_webhook_is_asked_and_what_it_answers(tmp_path: Path, version: str) -> None:
    async with (
        authorization_hook.running(tmp_path, token="hook-token") as hook,
        running(tmp_path, USERS, authorizers=(webhook(hook, version=version),)) as server,
    ):
        code, refused = await ask(server, "GET", f"{MAPS}/a")
        assert code == 403
        assert refused["message"].endswith(
            'cannot get resource "configmaps" in API group "" in the namespace "default"'
        )
        hook.decide = lambda _spec: {"allowed": False, "reason": "too late"}
        code, refused = await ask(server, "GET", f"{MAPS}/b")
        assert refused["message"].endswith('in the namespace "default": too late')
        hook.decide = lambda _spec: {"allowed": True}
        code, _ = await ask(server, "GET", f"{MAPS}?labelSelector=a+in+(x,y),!b&fieldSelector=metadata.name!%3Dc")
        assert code == 200
        groups = "groups" if version == "v1" else "group"
        assert hook.asked[0] == {
            "kind": "SubjectAccessReview",
            "apiVersion": f"authorization.k8s.io/{version}",
            "metadata": {},
            "spec": {
                "resourceAttributes": {
                    "namespace": "default",
                    "verb": "get",
                    "version": "v1",
                    "resource": "configmaps",
                    "name": "a",
                },
                "user": "bob",
                groups: ["devs", "system:authenticated"],
                "uid": "b1",
            },
            "status": {"allowed": False},
        }
        selectors = hook.specs[2]["resourceAttributes"]
        assert selectors["fieldSelector"] == {
            "requirements": [{"key": "metadata.name", "operator": "NotIn", "values": ["c"]}]
        }
        assert selectors["labelSelector"] == {
            "requirements": [
                {"key": "a", "operator": "In", "values": ["x", "y"]},
                {"key": "b", "operator": "DoesNotExist"},
            ]
        }
        assert b"POST /authorize?timeout=30s HTTP/1.1" in hook.heads[0]
        assert b"Authorization: Bearer hook-token" in hook.heads[0]


async def test_decisions_are_remembered_as_long_as_they_live(tmp_path: Path) -> None:
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda _spec: {"allowed": True}
        authorizers = (webhook(hook, unauthorized_ttl_s=0.0),)
        async with running(tmp_path, USERS, authorizers=authorizers) as server:
            for _ in range(2):
                assert (await ask(server, "GET", MAPS))[0] == 200
            assert len(hook.asked) == 1
            hook.decide = lambda _spec: {"allowed": False}
            for _ in range(2):
                assert (await ask(server, "GET", f"{MAPS}/a"))[0] == 403
            assert len(hook.asked) == 3
            assert (await ask(server, "GET", "/version"))[0] == 403
            assert hook.specs[-1]["nonResourceAttributes"] == {"path": "/version", "verb": "get"}


async def test_reviews_go_through_all_authorizers(tmp_path: Path) -> None:
    rbac = AuthorizerConfiguration("RBAC", "rbac")
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda _spec: {"allowed": False, "denied": True, "reason": "never"}
        deny = AuthorizerConfiguration("AlwaysDeny", "alwaysdeny")
        async with running(tmp_path, USERS, authorizers=(rbac, deny, webhook(hook))) as server:
            _, told = await ask(server, "POST", REVIEWS, review(verb="get", resource="pods"))
            assert told["status"] == {"allowed": False, "denied": True, "reason": "never"}
            hook.decide = lambda _spec: {"allowed": False, "reason": "not you"}
            _, told = await ask(server, "POST", REVIEWS, review(verb="list", resource="pods"))
            assert told["status"] == {"allowed": False, "reason": "Everything is forbidden.\nnot you"}
            selector = {"rawSelector": "a=b"}
            question = review(verb="list", resource="secrets", labelSelector=selector)
            await ask(server, "POST", REVIEWS, question)
            assert hook.specs[-1]["resourceAttributes"]["labelSelector"] == {
                "requirements": [{"key": "a", "operator": "In", "values": ["b"]}]
            }
            rules = {"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1"}
            address = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
            _, told = await ask(server, "POST", address, {**rules, "spec": {"namespace": "default"}})
            assert told["status"]["incomplete"] is True
            assert told["status"]["evaluationError"] == "webhook authorizer does not support user rule resolution"


@pytest.mark.parametrize("is_denied", [False, True])
async def test_who_cannot_be_asked(tmp_path: Path, is_denied: bool) -> None:
    allow = AuthorizerConfiguration("AlwaysAllow", "alwaysallow")
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda _spec: b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
        settings = webhook(hook, is_denied_on_failure=is_denied)
        async with running(tmp_path, USERS, authorizers=(settings, allow)) as server:
            answer = await server.call("GET", f"{MAPS}?limit=1", **BOB)
            assert answer.status == (500 if is_denied else 200)
            if is_denied:
                begin = b'Internal Server Error: "/api/v1/namespaces/default/configmaps?limit=1": unknown\n'
                assert answer.body == begin
            text = b"".join([(await server.call("GET", "/metrics")).body]).decode()
            result = 'name="default",result="error"'
            assert f"apiserver_authorization_webhook_evaluations_total{{{result}}} 1" in text
            passed = f"apiserver_authorization_webhook_evaluations_fail_open_total{{{result}}} 1"
            assert (passed in text) is not is_denied


async def test_what_else_asks(tmp_path: Path) -> None:
    """An update that creates, impersonation, a role, a policy's expression: all wait for the webhook."""
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
                ]
            },
            "validations": [{"expression": f"{SECRETS}.name(object.metadata.name).check('use').allowed()"}],
        },
    }
    binding = {
        **policy,
        "kind": "ValidatingAdmissionPolicyBinding",
        "spec": {"policyName": "p", "validationActions": ["Deny"]},
    }
    registration = "/apis/admissionregistration.k8s.io/v1"
    async with authorization_hook.running(tmp_path) as hook:
        allowed = {"create configmaps", "use secrets good", "update configmaps good", "create configmaps good"}
        hook.decide = lambda _spec: {"allowed": hook.resources()[-1] in allowed}
        async with running(tmp_path, USERS, authorizers=(webhook(hook),)) as server:
            for resource, obj in (("policies", policy), ("policybindings", binding)):
                answer = await server.call("POST", f"{registration}/validatingadmission{resource}", obj)
                assert answer.status == 201
            code, refused = await ask(server, "POST", MAPS, configmap("bad"))
            assert (code, hook.resources()[-1]) == (422, "use secrets bad"), refused
            code, _ = await ask(server, "PUT", f"{MAPS}/good", configmap("good"))
            assert code == 404  # a configmap is not created by an update: nothing is asked for
            code, _ = await ask(server, "POST", MAPS, configmap("good"))
            assert code == 201
            apply = {"content_type": "application/apply-patch+yaml"}
            address = f"{MAPS}/new?fieldManager=m"
            allowed |= {"patch configmaps new", "use secrets new"}
            answer = await server.call("PATCH", address, configmap("new"), **apply, **BOB)
            assert (answer.status, hook.resources()[-1]) == (403, "create configmaps new")
            allowed |= {"create configmaps new"}
            hook.asked.clear()
            # What was forbidden is remembered for a while.
            answer = await server.call("PATCH", address, configmap("new"), **apply, **BOB)
            assert answer.status == 403
            code, refused = await ask(server, "GET", MAPS, impersonate_user="eve")
            assert (code, "impersonate users eve" in hook.resources()) == (403, True)
            roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
            role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
            rules = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]
            allowed |= {"create clusterroles"}
            code, refused = await ask(server, "POST", roles, {**role, "rules": rules})
            assert (code, hook.resources()[-1]) == (403, "escalate clusterroles"), refused


def configuration(hook: AuthorizationHook, **changed: Any) -> Object:
    settings = {
        "timeout": "3s",
        "subjectAccessReviewVersion": "v1",
        "failurePolicy": "Deny",
        "authorizedTTL": "1h",
        "unauthorizedTTL": "1h",
        "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": str(hook.kubeconfig)},
        **changed,
    }
    authorizers = [{"type": "Webhook", "name": "a.example", "webhook": settings}, {"type": "RBAC", "name": "rbac"}]
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthorizationConfiguration",
        "authorizers": authorizers,
    }


CONDITION = "has(request.resourceAttributes) && request.resourceAttributes.resource == 'configmaps'"


async def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "authorization.json"
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda spec: {"allowed": spec["resourceAttributes"].get("name") == "a"}
        conditions = {
            "matchConditions": [{"expression": CONDITION}],
            "matchConditionSubjectAccessReviewVersion": "v1",
        }
        file.write_text(json.dumps(configuration(hook, **conditions)))
        async with running(tmp_path, USERS, authorization_config=file) as server:
            assert (await ask(server, "GET", f"{MAPS}/a"))[0] == 404
            assert (await ask(server, "GET", f"{MAPS}/b"))[0] == 403
            assert (await ask(server, "GET", "/version"))[0] == 200  # the condition leaves it to RBAC
            assert len(hook.asked) == 2
            watch = next(each for each in server.server.file_watches if _watches(each, file))
            # What comes to the same changes nothing: decisions are remembered on.
            file.write_text(json.dumps(configuration(hook, **conditions), indent=4))
            watch.check()
            assert (await ask(server, "GET", f"{MAPS}/b"))[0] == 403
            assert len(hook.asked) == 2
            # The cache is gone with the webhook, and nothing is remembered now.
            file.write_text(json.dumps(configuration(hook, cacheAuthorizedRequests=False)))
            watch.check()
            for _ in range(2):
                assert (await ask(server, "GET", f"{MAPS}/a"))[0] == 404
            assert len(hook.asked) == 4
            rbac_gone = configuration(hook)
            del rbac_gone["authorizers"][1]
            new_type = configuration(hook)
            new_type["authorizers"].append({"type": "Node", "name": "node"})
            wrong = (rbac_gone, new_type, configuration(hook, timeout="31s"))
            for broken in ("{", *map(json.dumps, wrong)):
                file.write_text(broken)
                watch.check()
                assert (await ask(server, "GET", f"{MAPS}/a"))[0] == 404
            text = b"".join([(await server.call("GET", "/metrics")).body]).decode()
            name = "apiserver_authorization_config_controller_automatic_reloads_total"
            reloads = [line for line in text.splitlines() if line.startswith(f"{name}{{")]
            assert [line.partition("status=")[2] for line in reloads] == ['"failure"} 4', '"success"} 1']
            assert 'match_condition_exclusions_total{name="a.example",type="Webhook"} 1' in text


def _watches(watch: FileWatch, file: Path) -> bool:
    return file in watch._paths


async def test_a_start_without_the_webhook_it_names_fails(tmp_path: Path) -> None:
    missing = AuthorizerConfiguration("Webhook", "default", Webhook(tmp_path / "absent"))
    with pytest.raises(ConfigError, match="no such file or directory"):
        async with running(tmp_path, authorizers=(missing,)):
            pass


async def test_a_webhook_is_counted_as_excluded_once_a_request(tmp_path: Path) -> None:
    """A request that another webhook has to be asked about is begun again with its answer."""
    file = tmp_path / "authorization.json"
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda spec: {"allowed": spec["resourceAttributes"].get("name") == "a"}
        conditions = {
            "matchConditions": [{"expression": CONDITION.replace("configmaps", "secrets")}],
            "matchConditionSubjectAccessReviewVersion": "v1",
        }
        configured = configuration(hook, **conditions)
        second = configuration(hook)["authorizers"][0]
        configured["authorizers"].insert(1, {**second, "name": "b.example"})
        file.write_text(json.dumps(configured))
        async with running(tmp_path, USERS, authorization_config=file) as server:
            for name, code, count in (("a", 404, 1), ("b", 403, 2), ("a", 404, 3)):
                assert (await ask(server, "GET", f"{MAPS}/{name}"))[0] == code
                text = b"".join([(await server.call("GET", "/metrics")).body]).decode()
                assert f'match_condition_exclusions_total{{name="a.example",type="Webhook"}} {count}\n' in text
