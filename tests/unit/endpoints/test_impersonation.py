"""Who may act as whom, in which way, and as what they are known then."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Decision, Rules
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.impersonation import ImpersonationFilter
from quarterdeck.endpoints.filters.impersonation_metrics import ImpersonationMetrics
from quarterdeck.endpoints.request_info import build_request_info
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request

ALLOWED_BY_NAME = frozenset(("impersonate users bob", "impersonate groups g", "impersonate userextras/scopes v"))


class Allowing:
    """Whoever asks may do what is listed, as `VERB RESOURCE NAME`."""

    def __init__(self, *allowed: str) -> None:
        self._allowed = {*allowed, *(ALLOWED_BY_NAME if "names" in allowed else ())}

    def allows(self, user: User, attributes: Attributes) -> bool:
        slash = "/" if attributes.subresource else ""
        resource = f"{attributes.resource}{slash}{attributes.subresource}"
        return user.is_master or f"{attributes.verb} {resource} {attributes.name}".rstrip() in self._allowed

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        return Decision(self.allows(user, attributes))

    def rules_of(self, user: User, namespace: str) -> Rules:
        raise NotImplementedError


MASTER = User("root", groups=("system:masters",))
ALICE = User("alice", groups=("system:authenticated",))


def act(checks: Allowing, by: User, **headers: str) -> User:
    named = {f"impersonate-{name.replace('__', '-')}": value for name, value in headers.items()}
    request = RequestContext(
        Request("GET", "/api/v1/pods", "", named, b"", ConnectionInfo("127.0.0.1", is_secure=True)), "id", 0.0
    )
    request.user = by
    ImpersonationFilter(checks, ImpersonationMetrics(Registry()))(
        request, build_request_info("GET", "/api/v1/pods", "")
    )
    assert request.user == by or not [name for name in request.headers if name.startswith("impersonate-")]
    return request.user


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("bob", ("system:authenticated",)),
        ("system:anonymous", ("system:unauthenticated",)),
        ("system:node:n", ("system:nodes", "system:authenticated")),
        (
            "system:serviceaccount:n:s",
            ("system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"),
        ),
        ("system:serviceaccount:n", ("system:authenticated",)),
    ],
)
def test_groups_of_somebody_by_the_name(name: str, groups: tuple[str, ...]) -> None:
    assert act(Allowing(), MASTER, user=name).groups == groups


def test_members_of_masters_may_be_anybody() -> None:
    found = act(Allowing(), MASTER, user="x", group="system:masters", uid="u", extra__scopes="v")
    assert found == User("x", "u", ("system:masters", "system:authenticated"), {"scopes": ("v",)})


def test_the_old_way_asks_for_each_part() -> None:
    checks = Allowing("names")
    assert act(checks, ALICE, user="bob", group="g", extra__scopes="v").groups == ("g", "system:authenticated")
    for part in ({"group": "h"}, {"uid": "u"}, {"extra__other": "v"}):
        with pytest.raises(errors.Forbidden, match="cannot impersonate-on:user-info:list resource"):
            act(checks, ALICE, user="bob", **part)


def test_the_narrow_ways_ask_for_the_request_and_for_somebody() -> None:
    on = "impersonate-on:user-info:list pods"
    assert act(Allowing(on, "impersonate:user-info users bob"), ALICE, user="bob").name == "bob"
    with pytest.raises(errors.Forbidden, match='cannot impersonate:user-info resource "users" in API group "authent'):
        act(Allowing(on), ALICE, user="bob")
    account = "system:serviceaccount:n:s"
    allowed = Allowing("impersonate-on:serviceaccount:list pods", "impersonate:serviceaccount serviceaccounts s")
    assert act(allowed, ALICE, user=account).name == account
    node = Allowing("impersonate-on:arbitrary-node:list pods", "impersonate:arbitrary-node nodes n")
    assert act(node, ALICE, user="system:node:n").groups == ("system:nodes", "system:authenticated")
    with pytest.raises(errors.Forbidden):
        act(node, ALICE, user="system:node:n", group="g")


def test_nobody_becomes_a_master_in_a_narrow_way() -> None:
    checks = Allowing("impersonate-on:user-info:list pods", "impersonate:user-info users bob")
    with pytest.raises(errors.Forbidden, match="impersonating the system:masters group is not allowed"):
        act(checks, ALICE, user="bob", group="system:masters")


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("scopes", 'Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")'),
        ("a.b/c%5e", 'Invalid value: "c^": Invalid path (regex used for validation is \'[A-Za-z0-9/'),
        ("a.b/c%0a", 'Invalid value: "c\\n": Invalid path'),
    ],
)
def test_members_in_a_narrow_way_are_paths_of_a_domain(key: str, problem: str) -> None:
    checks = Allowing("impersonate-on:user-info:list pods", "impersonate:user-info users bob")
    with pytest.raises(errors.Forbidden) as refusal:
        act(checks, ALICE, user="bob", **{f"extra__{key}": "v"})
    told = f"impersonating an invalid key in extra is not allowed: extra.key: {problem}"
    assert told in refusal.value.message


def test_an_account_may_be_its_own_node() -> None:
    extra = {"authentication.kubernetes.io/node-name": ("n",)}
    account = User("system:serviceaccount:n:s", groups=(), extra=extra)
    checks = Allowing("impersonate-on:associated-node:list pods", "impersonate:associated-node nodes *")
    assert act(checks, account, user="system:node:n").name == "system:node:n"
    with pytest.raises(errors.Forbidden):
        act(checks, account, user="system:node:m")


def test_an_empty_name_is_nobody() -> None:
    assert act(Allowing(), ALICE, user="") == ALICE


def test_parts_of_nobody_are_refused() -> None:
    with pytest.raises(errors.BadRequest, match="without impersonating a user name"):
        act(Allowing(), MASTER, extra__scopes="a")
    with pytest.raises(errors.BadRequest) as refusal:
        act(Allowing(), MASTER, group="g")
    text = 'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)}'
    assert refusal.value.message == f"{text} without impersonating a user name"
    assert refusal.value.nosniff


def test_refusals_are_not_guessed_about() -> None:
    with pytest.raises(errors.Forbidden) as refusal:
        act(Allowing(), ALICE, user="x")
    assert refusal.value.nosniff


def test_an_empty_group_is_a_group() -> None:
    assert act(Allowing(), MASTER, user="x", group="").groups == ("", "system:authenticated")
    with pytest.raises(errors.BadRequest, match=r'Groups:\[\]string\{""\}'):
        act(Allowing(), MASTER, group="")


def test_names_are_read_as_utf8() -> None:
    headers = {"user": "\xc3\xbc", "group": "g\xe2\x80", "uid": "\xff", "extra__a%2": "v", "extra__%c3%bc": "\xc3\x9f"}
    found = act(Allowing(), MASTER, **headers)
    groups = ("g\ufffd\ufffd", "system:authenticated")
    assert found == User("\u00fc", "\ufffd", groups, {"a%2": ("v",), "\u00fc": ("\u00df",)})


def test_spellings_of_one_member_add_up() -> None:
    headers = {"user": "x", "extra__scopes": "a", "extra__sc%6fpes": "b"}
    assert act(Allowing(), MASTER, **headers).extra == {"scopes": ("a", "b")}


class Noting(Allowing):
    """Tells who asked, and a fault of what cannot be decided."""

    def __init__(self, *allowed: str, error: str = "", reason: str = "") -> None:
        super().__init__(*allowed)
        self.asked: list[tuple[str, User]] = []
        self._told = reason, error

    def allows(self, user: User, attributes: Attributes) -> bool:
        self.asked.append((attributes.verb, user))
        return super().allows(user, attributes)

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        return Decision(False, *self._told)


@pytest.mark.parametrize(
    ("error", "reason", "told"),
    [("no answer", "because", ": no answer: because"), ("no answer", "", ": no answer"), ("", "", "scope")],
)
def test_a_fault_of_an_authorizer_is_told_before_its_reason(error: str, reason: str, told: str) -> None:
    with pytest.raises(errors.Forbidden) as refusal:
        act(Noting(error=error, reason=reason), ALICE, user="bob")
    assert refusal.value.message.endswith(told)


def test_authorizers_are_told_the_keys_of_an_account_that_wants_to_be_its_node() -> None:
    extra = {"authentication.kubernetes.io/node-name": ("n",), "authentication.kubernetes.io/node-uid": ("u",)}
    account = User("system:serviceaccount:d:agent", "u", ("system:authenticated",), extra)
    allowed = "impersonate-on:associated-node:list pods", "impersonate:associated-node nodes *"
    checks = Noting(*allowed)
    assert act(checks, account, user="system:node:n").groups == ("system:nodes", "system:authenticated")
    told = {"authentication.kubernetes.io/associated-node-keys": tuple(sorted(extra))}
    assert [(verb, user.extra) for verb, user in checks.asked] == [
        ("impersonate-on:associated-node:list", told),
        ("impersonate:associated-node", told),
    ]
