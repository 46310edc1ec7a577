"""Roles of what was asked: they allow it, nothing else, and are as few and as short as that can be said."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.authorization.rbac import rules as rbac
from quarterdeck.coverage import roles, usage
from quarterdeck.coverage.roles import Choice
from quarterdeck.coverage.usage import Caller, RequestKey, Usage

ME = Caller("me", "operator/1")
USUAL = Choice()
Request = tuple[RequestKey, str]


def build(*requests: Request, choice: Choice = USUAL) -> list[dict[str, Any]]:
    noted = Usage()
    for asked, name in requests:
        noted.note(ME, asked, name)
    return roles.build([each for _, entries in noted.select() for each in entries.items()], choice)


def allows(objects: list[dict[str, Any]], asked: RequestKey, name: str) -> bool:
    """As RBAC would, by the rules that it reads."""
    for each in objects:
        namespace = each["metadata"].get("namespace", "")
        if namespace and namespace != asked.namespace:
            continue
        for rule in map(rbac.Rule, each["rules"]):
            resource, _, subresource = asked.resource.partition("/")
            if asked.verb not in rule.verbs:
                continue
            if asked.path and rule.covers_path(asked.path):
                return True
            if not asked.path and rule.covers_resource(asked.group, resource, subresource) and rule.covers_name(name):
                return True
    return False


def of_resource(verb: str, resource: str = "pods", namespace: str = "a", group: str = "") -> RequestKey:
    return RequestKey(verb, group, resource, namespace)


of_resources = st.tuples(
    st.sampled_from(["get", "list", "update"]),
    st.sampled_from(["", "apps"]),
    st.sampled_from(["pods", "pods/log", "namespaces"]),
    st.sampled_from(["", "a", "b"]),
).map(lambda parts: RequestKey(*parts))
of_paths = st.tuples(st.sampled_from(["get", "post"]), st.sampled_from(["/x", "/y"])).map(
    lambda parts: RequestKey(parts[0], path=parts[1])
)
requests = st.tuples(of_resources | of_paths, st.sampled_from(["", "one", "two"])).map(
    lambda each: (each[0], "" if each[0].path else each[1])
)


@given(st.lists(requests, max_size=12), requests)
def test_roles_allow_what_was_asked_and_nothing_else(made: list[Request], other: Request) -> None:
    objects = build(*made)
    for each in made:
        assert allows(objects, *each)
    # What follows from the requests: the same, the same of any name, or either of the whole cluster.
    wanted, name = other
    core_namespaces = not wanted.group and wanted.resource == "namespaces"
    follows = any(
        each[:3] == wanted[:3]
        and each.path == wanted.path
        and (each.namespace in ("", wanted.namespace) or core_namespaces)
        and of in ("", name)
        for each, of in made
    )
    assert allows(objects, wanted, name) == follows


def test_rules_that_differ_in_one_member_are_one() -> None:
    asked_for = [of_resource(verb, resource) for verb in ("list", "watch") for resource in ("pods", "pods/log")]
    (role,) = build(*((each, "") for each in asked_for))
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["list", "watch"]}]


def test_what_the_whole_cluster_is_allowed_is_not_told_again() -> None:
    (role,) = build((of_resource("list", namespace=""), ""), (of_resource("list"), ""), (of_resource("list"), "one"))
    assert role["kind"] == "ClusterRole"


def test_namespaces_stand_in_the_role_of_the_cluster() -> None:
    (role,) = build((of_resource("get", "namespaces", "boats"), "boats"))
    assert (role["kind"], role["rules"][0]["resourceNames"]) == ("ClusterRole", ["boats"])


def test_roles_for_any_name_and_namespace() -> None:
    made = [(of_resource("get", namespace=namespace), name) for namespace, name in (("a", "one"), ("b", "two"))]
    (role,) = build(*made, choice=Choice(has_names=False, has_namespaces=False))
    assert (role["kind"], role["rules"]) == (
        "ClusterRole",
        [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    )


def test_service_accounts_are_bound_as_such() -> None:
    _, binding = build((of_resource("list"), ""), choice=Choice("mine", "system:serviceaccount:ns:robot"))
    assert binding["subjects"] == [{"kind": "ServiceAccount", "namespace": "ns", "name": "robot"}]
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "mine"}


def test_what_a_role_would_widen_is_left_out() -> None:
    noted = Usage()
    for each in (
        RequestKey("get", "*", "pods"),
        RequestKey("get", "", "*"),
        RequestKey("get", path="/x*"),
        RequestKey("", "", "pods"),
    ):
        noted.note(ME, each, "")
    assert noted.report() == {"callers": [], "leftOut": 4}


def test_memory_is_bounded() -> None:
    noted = Usage()
    for number in range(usage.NAMES_MAX + 10):
        noted.note(ME, of_resource("get"), f"pod-{number}")
    (caller,) = noted.report()["callers"]
    assert caller["requests"] == [
        {"verb": "get", "group": "", "resource": "pods", "namespace": "a", "tooManyNames": True, "count": 74}
    ]
    for number in range(usage.CALLERS_MAX + 10):
        noted.note(Caller(f"user-{number}", "x" * 9000), of_resource("list"), "")
    assert len(noted.report()["callers"]) == usage.CALLERS_MAX
    assert noted.left_out == 11
    noted.note(ME, RequestKey("get", path="/" + "x" * 5000), "")
    for number in range(usage.ENTRIES_MAX):
        noted.note(ME, RequestKey("get", path=f"/{number}"), "")
    assert sum(len(entries) for _, entries in noted.select()) == usage.ENTRIES_MAX
    noted.clear()
    assert noted.report() == {"callers": [], "leftOut": 0}
