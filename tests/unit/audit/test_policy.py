"""Which level a request is audited at."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.audit import levels
from quarterdeck.audit.policy import Decision
from quarterdeck.audit.policyfile import PolicyError, parse
from quarterdeck.authorization.authorizer import Attributes

TIM = User("tim", groups=("humans", "system:authenticated"))
HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"


def get(**members: str) -> Attributes:
    return Attributes(**{"verb": "get", "resource": "pods", "namespace": "default", "name": "busybox", **members})  # type: ignore[arg-type]


def at_path(path: str) -> Attributes:
    return Attributes("get", path=path, is_resource=False)


def level(rule: str, asked: Attributes) -> int:
    return parse(f"{HEAD}rules:\n- {{level: Request, {rule}}}".encode()).evaluate(TIM, asked).level


@pytest.mark.parametrize(
    ("rule", "asked", "is_matched"),
    [
        ("", get(), True),
        ("users: [tim]", get(), True),
        ("users: [tom]", get(), False),
        ("userGroups: [humans, cats]", get(), True),
        ("userGroups: [cats]", get(), False),
        ("verbs: [list, get]", get(), True),
        ("verbs: [list]", get(), False),
        ("namespaces: [default]", get(), True),
        ("namespaces: [kube-system]", get(), False),
        ('namespaces: [""]', get(resource="nodes", namespace=""), True),
        ('resources: [{group: ""}]', get(), True),
        ("resources: [{group: apps}]", get(), False),
        ('resources: [{group: "*", resources: [pods]}]', get(group="metrics.k8s.io"), True),
        ("resources: [{resources: [pods]}]", get(subresource="log"), False),
        ("resources: [{resources: [pods/log]}]", get(subresource="log"), True),
        ("resources: [{resources: [pods/log]}]", get(), False),
        ('resources: [{resources: ["*"]}]', get(subresource="log"), True),
        ('resources: [{resources: ["pods/*"]}]', get(subresource="log"), True),
        ('resources: [{resources: ["pods/*"]}]', get(), True),  # as upstream has it
        ('resources: [{resources: ["*/log"]}]', get(subresource="log"), True),
        ('resources: [{resources: ["*/log"]}]', get(), False),
        ("resources: [{resources: [pods], resourceNames: [busybox]}]", get(), True),
        ("resources: [{resources: [pods], resourceNames: [edit]}]", get(), False),
        ("resources: [{resources: [pods], resourceNames: [edit]}, {resources: [pods]}]", get(), True),
        ("resources: [{resources: [pods]}]", at_path("/pods"), False),
        ("nonResourceURLs: [/healthz]", get(), False),
        ("nonResourceURLs: [/healthz]", at_path("/healthz"), True),
        ("nonResourceURLs: [/healthz]", at_path("/healthz/etcd"), False),
        ('nonResourceURLs: ["/healthz*"]', at_path("/healthz/etcd"), True),
        ('nonResourceURLs: ["*"]', at_path("/metrics"), True),
    ],
)
def test_a_rule_matches(rule: str, asked: Attributes, is_matched: bool) -> None:
    assert level(rule, asked) == (levels.REQUEST if is_matched else levels.NONE)


def test_the_first_rule_that_matches_wins_for_each_object() -> None:
    policy = parse(
        f"""{HEAD}
omitStages: [RequestReceived]
rules:
- level: None
  resources: [{{group: "", resources: [secrets], resourceNames: [public]}}]
- level: Metadata
  users: [tom]
- level: RequestResponse
  omitStages: [Panic]
  omitManagedFields: true
  resources: [{{group: "", resources: [secrets]}}]
- level: Metadata
""".encode()
    )
    omitted = frozenset(("RequestReceived",))
    metadata = Decision(levels.METADATA, omitted)
    whole = Decision(levels.REQUEST_RESPONSE, omitted | {"Panic"}, omits_managed_fields=True)
    for _ in range(2):  # what was looked up is remembered
        assert policy.evaluate(TIM, get(resource="secrets", name="public")) == Decision(levels.NONE, omitted)
        assert policy.evaluate(TIM, get(resource="secrets", name="other")) == whole
        assert policy.evaluate(User("tom"), get(resource="secrets")) == metadata
        assert policy.evaluate(TIM, get()) == metadata


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kind: Policy", "failed decoding: Object 'apiVersion' is missing in '{\"kind\":\"Policy\"}'"),
        (
            "apiVersion: audit.k8s.io/v1beta1\nkind: Policy",
            'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme '
            '"k8s.io/apiserver/pkg/audit/scheme.go:30"',
        ),
        (f"{HEAD}rules: []", "loaded illegal policy with 0 rules"),
        (
            f"{HEAD}rules: all",
            "failed decoding: json: cannot unmarshal string into Go struct field Policy.rules of type []v1.PolicyRule",
        ),
        (f"{HEAD}rules: [{{}}]", "rules[0].level: Required value"),
        (
            f"{HEAD}rules: [{{level: all}}]",
            'rules[0].level: Unsupported value: "all": supported values: "None", "Metadata", "Request", '
            '"RequestResponse"',
        ),
        (
            f"{HEAD}omitStages: [Started]\nrules: [{{level: None}}]",
            'omitStages[0]: Invalid value: "Started": allowed stages are '
            "RequestReceived,ResponseStarted,ResponseComplete,Panic",
        ),
        (
            f'{HEAD}rules: [{{level: None, nonResourceURLs: ["/a*b"], namespaces: [x]}}]',
            "[rules[0].nonResourceURLs[0]: Invalid value: \"/a*b\": non-resource URL wildcards '*' must be the final "
            'character of the rule, rules[0].nonResourceURLs: Invalid value: ["/a*b"]: rules cannot apply to both '
            "regular resources and non-resource URLs]",
        ),
        (
            f"{HEAD}rules: [{{level: None, resources: [{{resourceNames: [a]}}]}}]",
            'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one '
            "resource",
        ),
    ],
)
def test_a_policy_that_cannot_be_followed_is_refused(text: str, wanted: str) -> None:
    with pytest.raises(PolicyError) as refused:
        parse(text.encode())
    assert str(refused.value) == wanted


def test_unknown_members_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    policy = parse(f"{HEAD}rulez: []\nrules: [{{level: Metadata, user: tim}}]".encode())
    assert policy.evaluate(TIM, get()).level == levels.METADATA
    assert 'unknown field "rulez"' in caplog.text
    assert 'unknown field "rules[0].user"' in caplog.text
