"""What flow schemas and priority levels default, keep and refuse."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.flowcontrol import mandatory, resources
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind
from support.memory_store import MemoryStore

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions(Cacher(MemoryStore()))}
SCHEMA, LEVEL = KINDS["FlowSchema"], KINDS["PriorityLevelConfiguration"]
USER = {"kind": "User", "user": {"name": "u"}}
ANY_PATH = {"verbs": ["*"], "nonResourceURLs": ["*"]}
ZERO_SHARES = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
REJECT = {"limitResponse": {"type": "Reject"}}

Object = dict[str, Any]


def schema(*rules: Object, **spec: Any) -> Object:
    return {"spec": {"priorityLevelConfiguration": {"name": "p"}, "rules": list(rules), **spec}}


def rule(**members: Any) -> Object:
    return {"subjects": [USER], "nonResourceRules": [ANY_PATH], **members}


def resource_rule(**members: Any) -> Object:
    whole = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["*"]}
    return {"subjects": [USER], "resourceRules": [{**whole, **members}]}


def limited(**members: Any) -> Object:
    return {"spec": {"type": "Limited", "limited": {**REJECT, **members}}}


def queued(**queuing: Any) -> Object:
    return limited(limitResponse={"type": "Queue", "queuing": queuing})


def test_new_objects_get_the_defaults_of_their_kind() -> None:
    assert SCHEMA.create(schema())["spec"]["matchingPrecedence"] == 1000
    made = LEVEL.create(queued())["spec"]["limited"]
    assert (made["nominalConcurrencyShares"], made["lendablePercent"]) == (30, 0)
    assert made["limitResponse"]["queuing"] == {"queues": 64, "handSize": 8, "queueLengthLimit": 50}
    assert LEVEL.create(limited(nominalConcurrencyShares=0))["spec"]["limited"]["nominalConcurrencyShares"] == 0


def store(kind: BuiltinKind, members: Object, *, dry_run: bool = False) -> Object:
    """What is stored of a new object."""
    made = kind.create(members)
    assert made["status"] == {}  # which is what admission sees
    kind.strategy().is_stored_with_less(made, is_new=True, dry_run=dry_run)
    return made


def test_a_new_schema_says_that_its_level_is_missing() -> None:
    (condition,) = store(SCHEMA, schema())["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Dangling", "True", "NotFound")


def test_who_tells_of_the_level_stands_where_the_next_write_would_put_it() -> None:
    owner = {"manager": "m", "operation": "Update", "apiVersion": "flowcontrol.apiserver.k8s.io/v1"}
    owner |= {"time": "2020-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}
    made = store(SCHEMA, {**schema(), "metadata": {"managedFields": [owner]}})
    assert [each["operation"] for each in made["metadata"]["managedFields"]] == ["Apply", "Update"]


def test_of_a_schema_that_is_only_tried_nobody_tells_of_the_level() -> None:
    assert store(SCHEMA, schema(), dry_run=True)["status"] == {}


def test_a_schema_that_names_another_level_says_whether_that_one_is_there() -> None:
    before = store(SCHEMA, schema())
    kept = SCHEMA.update(schema(matchingPrecedence=5), before)
    named = SCHEMA.update(schema(priorityLevelConfiguration={"name": "q"}), before)
    for new in (kept, named):
        SCHEMA.strategy().is_stored_with_less(new, is_new=False, dry_run=False)
    assert kept["status"] == before["status"]
    assert '"q"' in named["status"]["conditions"][0]["message"]


def test_a_changed_spec_is_a_new_generation() -> None:
    before = LEVEL.create(limited())
    assert "generation" not in LEVEL.update(limited(), before)["metadata"]
    assert LEVEL.update(limited(nominalConcurrencyShares=1), limited())["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    ("obj", "refusals"),
    [
        (schema(rule()), []),
        (schema(matchingPrecedence=-1), ["spec.matchingPrecedence: Invalid value: -1: must be a positive value"]),
        (
            schema(matchingPrecedence=1),
            ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
        ),
        (
            schema(distinguisherMethod={"type": "x"}),
            [
                'spec.distinguisherMethod.type: Unsupported value: {"Type":"x"}: supported values: "ByNamespace",'
                ' "ByUser"'
            ],
        ),
        (
            schema({"subjects": [{"kind": "Group", "user": {"name": "u"}}]}),
            [
                "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
                "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
                "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
            ],
        ),
        (
            schema(rule(subjects=[{"kind": "ServiceAccount", "serviceAccount": {"name": "*"}}])),
            [
                "spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service"
                " account"
            ],
        ),
        (
            schema(
                rule(nonResourceRules=[{"verbs": ["get", "*"], "nonResourceURLs": ["x", "/a//b", "/a*", "/a/*", "/"]}])
            ),
            [
                'spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["get","*"]: if \'*\' is present, must not'
                " specify other verbs",
                'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash',
                'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a//b": must not contain double'
                " slash",
                'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a*": wildcard can only do'
                " suffix"
                " matching",
            ],
        ),
        (
            schema(resource_rule(namespaces=[]), resource_rule(namespaces=[], clusterScope=True)),
            [
                "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster"
                " scoped must"
                " supply at least one namespace"
            ],
        ),
    ],
)
def test_refused_schemas(obj: Object, refusals: list[str]) -> None:
    assert SCHEMA.refusals(obj) == refusals


@pytest.mark.parametrize(
    ("obj", "refusals"),
    [
        (limited(), []),
        (
            {"metadata": {"annotations": {ZERO_SHARES: ""}}, "spec": {"type": "Limited"}},
            [
                f"metadata.annotations: Forbidden: annotation '{ZERO_SHARES}' is forbidden",
                "spec.limited: Required value: must not be empty when type is Limited",
            ],
        ),
        ({"spec": {"type": "Limited"}}, ["spec.limited: Required value: must not be empty when type is Limited"]),
        (
            {"spec": {"type": "Exempt"}},
            ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
        ),
        (
            limited(nominalConcurrencyShares=-1, lendablePercent=101, borrowingLimitPercent=-1),
            [
                "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
                "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
                "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
            ],
        ),
        (
            queued(queues=1, handSize=2),
            ["spec.limited.limitResponse.queuing.handSize: Invalid value: 2: should not be greater than queues (1)"],
        ),
        (
            queued(queues=10_000_001, handSize=9),
            [
                "spec.limited.limitResponse.queuing.queues: Invalid value: 10000001: must not be greater than 10000000",
                "spec.limited.limitResponse.queuing.handSize: Invalid value: 9: required entropy bits of deckSize"
                " 10000001"
                " and handSize 9 should not be greater than 60",
            ],
        ),
    ],
)
def test_refused_levels(obj: Object, refusals: list[str]) -> None:
    assert LEVEL.refusals(obj) == refusals


def test_what_every_server_has_keeps_its_spec() -> None:
    name = {"metadata": {"name": "catch-all"}}
    assert LEVEL.refusals({**name, "spec": mandatory.LEVELS["catch-all"]}) == []
    (refusal,) = LEVEL.refusals({**name, **limited()})
    assert refusal.endswith("spec of 'catch-all' must equal the fixed value")
    assert SCHEMA.refusals({**name, "spec": mandatory.SCHEMAS["catch-all"]}) == []
    (refusal,) = SCHEMA.refusals({**name, **schema()})
    assert refusal.endswith("spec of 'catch-all' must equal the fixed value")


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        (None, "null"),
        ([], "[]"),
        (
            [{"subjects": [], "resourceRules": [], "nonResourceRules": None}],
            '[{"Subjects":[],"ResourceRules":[],"NonResourceRules":null}]',
        ),
    ],
)
def test_a_refused_spec_is_shown_with_the_lists_that_are_written_empty(rules: Any, shown: str) -> None:
    given = {"metadata": {"name": "catch-all"}, "spec": {**mandatory.SCHEMAS["catch-all"], "rules": rules}}
    assert any(f'"Rules":{shown}}}: spec of' in each for each in SCHEMA.refusals(given))
    shares = {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 3}}
    assert LEVEL.refusals({"metadata": {"name": "exempt"}, "spec": shares}) == []


def test_conditions_of_a_status_have_types_of_their_own() -> None:
    conditions = [{"type": "a"}, {"type": "a"}, {"status": "True"}]
    refusals = LEVEL.refusals_of_update({**limited(), "status": {"conditions": conditions}}, limited(), "status")
    assert refusals == [
        'status.conditions[1].type: Duplicate value: "a"',
        "status.conditions[2].type: Required value",
    ]
