"""The kinds of apps: defaults, what is refused, and what may change."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.registry.builtin import rolling
from quarterdeck.registry.builtin.apps import resources
from support.builtin_kind import BuiltinKind, Object

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions()}
TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
SELECTOR: Object = {"matchLabels": {"a": "b"}}


def members(**spec: Any) -> Object:
    return {"spec": {"selector": SELECTOR, "template": TEMPLATE, **spec}}


def template(**spec: Any) -> Object:
    return {**TEMPLATE, "spec": {**TEMPLATE["spec"], **spec}}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("ReplicaSet", {"selector": {}}, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
        ("ReplicaSet", {"selector": None}, "spec.selector: Required value"),
        ("ReplicaSet", {"replicas": -1}, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        ("ReplicaSet", {"selector": {"matchLabels": {"x": "y"}}}, "spec.template.metadata.labels: Invalid value"),
        ("ReplicaSet", {"template": template(restartPolicy="Never")}, "spec.template.spec.restartPolicy: Unsupported"),
        ("ReplicaSet", {"template": template(activeDeadlineSeconds=1)}, "activeDeadlineSeconds in ReplicaSet"),
        ("StatefulSet", {"podManagementPolicy": "Odd"}, "must be 'OrderedReady' or 'Parallel'"),
        ("StatefulSet", {"updateStrategy": {"type": "Odd"}}, '{"Type":"Odd","RollingUpdate":null}: must be'),
        (
            "StatefulSet",
            {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}},
            "spec.updateStrategy.rollingUpdate: Invalid value: "
            '{"Partition":0,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
        ),
        ("StatefulSet", {"serviceName": "a.b"}, 'spec.serviceName: Invalid value: "a.b": must not contain dots'),
        ("StatefulSet", {"ordinals": {"start": -1}}, "spec.ordinals.start: Invalid value: -1"),
        (
            "StatefulSet",
            {"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": {}}]},
            "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
        ),
        ("DaemonSet", {"selector": {}}, "spec.selector: Invalid value: {}: empty selector is invalid for daemonset"),
        ("DaemonSet", {"updateStrategy": {"type": "Odd"}}, '{"Type":"Odd","RollingUpdate":null}: supported values'),
        (
            "DaemonSet",
            {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 0}}},
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
        ),
        (
            "DaemonSet",
            {"updateStrategy": {"rollingUpdate": {"maxSurge": "10%"}}},
            'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable',
        ),
        (
            "DaemonSet",
            {"updateStrategy": {"rollingUpdate": {"maxUnavailable": "101%"}}},
            "must not be greater than 100%",
        ),
    ],
)
def test_what_is_refused(kind: str, spec: Object, expected: str) -> None:
    assert any(expected in each for each in KINDS[kind].refusals(members(**spec)))


@pytest.mark.parametrize(
    ("amount", "counted"),
    [("0" * 21 + "100%", 100), ("0" * 30 + "%", 0), ("-" + "0" * 20 + "7", -7), ("1" * 21 + "%", 11111111111111111111)],
)
def test_zeros_before_an_amount_count_for_nothing(amount: str, counted: int) -> None:
    assert rolling.amount(amount) == counted


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "DaemonSet", "Deployment"])
def test_what_is_as_it_should_be_is_let_in(kind: str) -> None:
    assert KINDS[kind].refusals(members()) == []


def test_a_mount_may_name_a_claim_that_is_made_from_a_template() -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    mounted = template(
        containers=[{**TEMPLATE["spec"]["containers"][0], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}]
    )
    spec = members(template=mounted, volumeClaimTemplates=[{"metadata": {"name": "d"}, "spec": claim}])
    assert KINDS["StatefulSet"].refusals(spec) == []
    (made,) = KINDS["StatefulSet"].create(spec)["spec"]["volumeClaimTemplates"]
    assert (made["kind"], made["apiVersion"], made["status"]) == ("PersistentVolumeClaim", "v1", {"phase": "Pending"})


def test_most_of_a_stateful_set_stays() -> None:
    kind = KINDS["StatefulSet"]
    assert kind.refusals_of_update(members(replicas=3, minReadySeconds=2), members()) == []
    (refused,) = kind.refusals_of_update(members(podManagementPolicy="Parallel"), members())
    assert refused.startswith("spec: Forbidden: updates to statefulset spec for fields other than 'replicas'")


@pytest.mark.parametrize("kind", ["ReplicaSet", "DaemonSet", "Deployment"])
def test_a_selector_stays(kind: str) -> None:
    more = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
    assert KINDS[kind].refusals_of_update(members(selector=more), members()) == [
        'spec.selector: Invalid value: {"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"Exists"}]}: '
        "field is immutable"
    ]


def test_a_daemon_set_counts_its_templates() -> None:
    key, kind = "deprecated.daemonset.template.generation", KINDS["DaemonSet"]
    made = kind.create(members())
    assert made["metadata"]["annotations"] == {key: "1"}
    new = kind.update(members(template=template(hostname="h")), made)
    assert (new["metadata"]["annotations"], new["metadata"]["generation"]) == ({key: "2"}, 2)
    new = kind.update(members(minReadySeconds=1), made)
    assert (new["metadata"]["annotations"], new["metadata"]["generation"]) == ({key: "1"}, 2)


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        (
            "ReplicaSet",
            {"readyReplicas": 1},
            "status.readyReplicas: Invalid value: 1: cannot be greater than status.rep",
        ),
        ("StatefulSet", {"replicas": 1, "availableReplicas": 1}, "cannot be greater than status.readyReplicas"),
        ("DaemonSet", {"numberReady": -1}, "status.numberReady: Invalid value: -1"),
        ("DaemonSet", {}, "status.collisionCount: Invalid value: 0: cannot be decremented"),
    ],
)
def test_a_status_that_cannot_be(kind: str, status: Object, expected: str) -> None:
    before = {**members(), "status": {"collisionCount": 1}} if kind == "DaemonSet" else members()
    found = KINDS[kind].refusals_of_update({**members(), "status": status}, before, "status")
    assert any(expected in each for each in found)


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        ({"data": {}, "revision": 1}, []),
        ({"revision": 1}, ["data: Required value: data is mandatory"]),
        ({"data": 3, "revision": 1}, ["data: Required value: data must be a valid JSON object"]),
        ({"data": {}, "revision": -1}, ["revision: Invalid value: -1: must be greater than or equal to 0"]),
    ],
)
def test_controller_revisions(revision: Object, expected: list[str]) -> None:
    assert KINDS["ControllerRevision"].refusals(revision) == expected


@pytest.mark.parametrize(
    ("data", "shown"), [({"b": 1, "a": "<"}, '{"b":1,"a":"\\u003c"}'), (None, "null"), ("x", '"x"'), ([], "[]")]
)
def test_the_data_of_a_revision_stay(data: Any, shown: str) -> None:
    found = KINDS["ControllerRevision"].refusals_of_update({"data": data}, {"data": {}})
    assert found == [f"data: Invalid value: {shown}: field is immutable"]


def test_the_controller_names_the_pods_of_a_stateful_set() -> None:
    wrong, kind = template(hostname="-h", subdomain="-s"), KINDS["StatefulSet"]
    assert kind.refusals(members(template=wrong)) == []
    assert kind.refusals_of_update(members(template=wrong, replicas=2), members()) == []


def test_a_template_that_was_wrong_already_is_let_pass() -> None:
    kind, wrong = KINDS["StatefulSet"], members(template=template(nodeName="-n"))
    assert kind.refusals_of_update(members(template=template(nodeName="-m")), wrong) == []
    assert len(kind.refusals_of_update(wrong, members())) == 1


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({"type": "OnDelete"}, None),
        ({"type": "OnDelete", "rollingUpdate": {"maxSurge": "http"}}, {"maxUnavailable": 0, "maxSurge": "http"}),
        ({"rollingUpdate": {}}, {"maxUnavailable": 1, "maxSurge": 0}),
    ],
)
def test_no_amount_of_a_daemon_set_is_left_out(strategy: Object, expected: Object | None) -> None:
    made = KINDS["DaemonSet"].create(members(updateStrategy=strategy))
    assert made["spec"]["updateStrategy"].get("rollingUpdate") == expected


@pytest.mark.parametrize(("text", "generation"), [("+7", "7"), ("-3", "1"), ("007", "7"), ("0", "1")])
def test_the_annotation_of_a_daemon_set_is_a_number_inside(text: str, generation: str) -> None:
    key = "deprecated.daemonset.template.generation"
    made = KINDS["DaemonSet"].create({**members(), "metadata": {"annotations": {key: text}}})
    assert made["metadata"]["annotations"] == {key: generation}


def test_the_count_of_templates_overflows() -> None:
    key, kind = "deprecated.daemonset.template.generation", KINDS["DaemonSet"]
    before = kind.create({**members(), "metadata": {"annotations": {key: str(2**63 - 1)}}})
    assert kind.refusals_of_update(members(template=template(hostname="h")), before) == [
        f"spec.templateGeneration: Invalid value: {-(2**63)}: must not be decremented",
        f"spec.templateGeneration: Invalid value: {-(2**63)}: must be greater than or equal to 0",
    ]


@pytest.mark.parametrize(
    ("text", "problem"), [("x", "invalid syntax"), ("", "invalid syntax"), ("9" * 19, "value out of range")]
)
def test_an_annotation_of_a_daemon_set_that_is_no_number(text: str, problem: str) -> None:
    with pytest.raises(BadRequest) as caught:
        KINDS["DaemonSet"].create(
            {
                **members(),
                "metadata": {"annotations": {"deprecated.daemonset.template.generation": text}},
            }
        )
    assert caught.value.message == (
        f'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "{text}": {problem}'
    )


@pytest.mark.parametrize(("spec", "count"), [({"minReadySeconds": 1}, 0), ({"template": template(hostname="h")}, 1)])
def test_a_daemon_set_is_warned_of_when_its_template_changes(spec: Object, count: int) -> None:
    secrets = {"imagePullSecrets": [{"name": ""}]}
    before = members(template=template(**secrets))
    new = {**before["spec"], **spec}
    new["template"] = {**new["template"], "spec": {**new["template"]["spec"], **secrets}}
    assert len(KINDS["DaemonSet"].warnings_of_update({"spec": new}, before)) == count


def test_claims_of_a_stateful_set_are_warned_of_at_every_update() -> None:
    amounts = {"requests": {"storage": "100m"}}
    claim = {"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": amounts}}
    made, kind = members(volumeClaimTemplates=[claim], revisionHistoryLimit=-1), KINDS["StatefulSet"]
    expected = [
        'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "100m" is invalid, must be an '
        "integer",
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]
    assert kind.warnings(made) == expected
    expected[0] = expected[0].replace("[0].", "[0].Spec.")
    assert kind.warnings_of_update(made, made) == expected
    assert kind.warnings_of_update(made, made, "status") == []


@pytest.mark.parametrize("kind", ["DaemonSet", "Deployment", "ReplicaSet"])
def test_pods_of_a_set_may_share_a_disk(kind: str) -> None:
    disks = [{"name": "v", "gcePersistentDisk": {"pdName": "d"}}]
    replicas = {} if kind == "DaemonSet" else {"replicas": 2}
    assert KINDS[kind].refusals(members(template=template(volumes=disks), **replicas)) == []


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_fewer_pods_than_none_are_refused(kind: str) -> None:
    before = members()
    found = KINDS[kind].refusals_of_update({**before, "status": {"replicas": -1}}, before, "status")
    assert "status.replicas: Invalid value: -1: must be greater than or equal to 0" in found
    assert "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas" in found


ROLLBACK = "deprecated.deployment.rollback.to"


def annotated(value: str | None, **spec: Any) -> Object:
    return {"metadata": {"annotations": {"a": "b"} | ({} if value is None else {ROLLBACK: value})}, **members(**spec)}


@pytest.mark.parametrize(
    ("sent", "shown"), [("7", "7"), ("007", "7"), ("+7", "7"), ("0", "0"), ("", None), (None, None)]
)
def test_the_revision_that_a_deployment_is_rolled_back_to_is_a_number(sent: str | None, shown: str | None) -> None:
    made = KINDS["Deployment"].create(annotated(sent))["metadata"]["annotations"]
    assert made == {"a": "b"} | ({} if shown is None else {ROLLBACK: shown})


def test_no_annotations_are_left_of_an_empty_revision() -> None:
    made = KINDS["Deployment"].create({"metadata": {"annotations": {ROLLBACK: ""}}, **members()})
    assert "annotations" not in made["metadata"]


def test_an_empty_revision_counts_as_a_change_whenever_it_is_sent() -> None:
    kind, before = KINDS["Deployment"], KINDS["Deployment"].create(annotated(None))
    assert kind.update(annotated(""), before)["metadata"]["generation"] == 2
    assert "generation" not in kind.update(annotated(None), before)["metadata"]  # it stays


@pytest.mark.parametrize(
    ("sent", "reason"),
    [("abc", 'parsing "abc": invalid syntax'), ("9" * 20, f'parsing "{"9" * 20}": value out of range')],
)
def test_a_revision_that_is_no_number_cannot_be_read(sent: str, reason: str) -> None:
    with pytest.raises(BadRequest) as raised:
        KINDS["Deployment"].create(annotated(sent))
    assert raised.value.message == (
        'Deployment in version "v1" cannot be handled as a Deployment: failed to parse '
        f"annotation[{ROLLBACK}]={sent} as int64: strconv.ParseInt: {reason}"
    )


def test_a_revision_to_roll_back_to_is_not_negative() -> None:
    expected = "spec.rollback.version: Invalid value: -1: must be greater than or equal to 0"
    assert KINDS["Deployment"].refusals(annotated("-1")) == [expected]


def test_a_status_leaves_the_revision_to_roll_back_to() -> None:
    kind, before = KINDS["Deployment"], annotated("3")
    for sent in ("4", None):
        assert kind.update(annotated(sent), before, "status")["metadata"]["annotations"][ROLLBACK] == "3"
    assert ROLLBACK not in kind.update(annotated("4"), annotated(None), "status")["metadata"]["annotations"]


@pytest.mark.parametrize("kind", ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"])
def test_a_policy_of_selinux_may_be_changed_where_there_is_one(kind: str) -> None:
    def with_policy(policy: str | None) -> Object:
        return members(template=template(securityContext={} if policy is None else {"seLinuxChangePolicy": policy}))

    path = "spec.template.spec.securityContext.seLinuxChangePolicy: Unsupported value"
    only, both = 'supported values: "Recursive"', 'supported values: "MountOption", "Recursive"'
    tested = KINDS[kind]
    assert tested.refusals(with_policy("MountOption")) == [f'{path}: "MountOption": {only}']
    assert tested.refusals_of_update(with_policy("MountOption"), with_policy(None)) == [
        f'{path}: "MountOption": {only}'
    ]
    assert tested.refusals_of_update(with_policy("MountOption"), with_policy("Recursive")) == []
    assert tested.refusals_of_update(with_policy("Bad"), with_policy("Recursive")) == [f'{path}: "Bad": {both}']
    assert tested.refusals(with_policy("MountOption")) == [f'{path}: "MountOption": {only}'], "of the next one too"


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])
@pytest.mark.parametrize(
    ("metadata", "generation"),
    [
        ({"deletionTimestamp": "0001-01-01T00:00:00Z"}, 2),
        ({"managedFields": [{"time": "0001-01-01T01:00:00+01:00"}]}, 2),
        ({"creationTimestamp": "0001-01-01T00:00:00Z"}, 1),  # which is no pointer in Go
        ({"deletionTimestamp": None}, 1),
    ],
)
def test_a_zero_time_of_a_template_is_another_than_none(kind: str, metadata: Object, generation: int) -> None:
    entries = {"managedFields": [{}]} if "managedFields" in metadata else {}
    before = members(template={**TEMPLATE, "metadata": {"labels": {"a": "b"}, **entries}})
    new = members(template={**TEMPLATE, "metadata": {"labels": {"a": "b"}, **metadata}})
    made = KINDS[kind].update(new, {**before, "metadata": {"generation": 1}})
    assert made["metadata"].get("generation", 1) == generation


def test_a_zero_time_of_a_claim_that_is_made_from_a_template_is_a_change() -> None:
    def claiming(**metadata: str) -> Object:
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        return members(volumeClaimTemplates=[{"metadata": {"name": "d", **metadata}, "spec": claim}])

    new = claiming(deletionTimestamp="0001-01-01T00:00:00Z")
    found = KINDS["StatefulSet"].refusals_of_update(new, claiming())
    assert [each.partition(": updates")[0] for each in found] == ["spec: Forbidden"]
