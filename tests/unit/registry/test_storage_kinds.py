"""What the kinds of storage.k8s.io default, keep and refuse."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.storage import resources
from support.builtin_kind import BuiltinKind

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions()}
CLASS = {"provisioner": "a.dev/p"}
SOURCE = {"persistentVolumeName": "pv"}
ATTACHMENT = {"attacher": "a.dev", "nodeName": "n", "source": SOURCE}
CAPACITY = {"storageClassName": "c"}
LONG = "x" * 257

Object = dict[str, Any]


def attachment(**members: Any) -> Object:
    return {"spec": {**ATTACHMENT, **members}}


def driver(**spec: Any) -> Object:
    return {"spec": spec}


def node(*drivers: Object) -> Object:
    return {"spec": {"drivers": [{"name": "a.dev", "nodeID": "i", **each} for each in drivers]}}


def topologies(*expressions: list[Object]) -> Object:
    return {**CLASS, "allowedTopologies": [{"matchLabelExpressions": each} for each in expressions]}


def test_new_objects_get_the_defaults_of_their_kind() -> None:
    made = KINDS["StorageClass"].create(CLASS)
    assert (made["reclaimPolicy"], made["volumeBindingMode"]) == ("Delete", "Immediate")
    assert KINDS["CSIDriver"].create(driver())["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "volumeLifecycleModes": ["Persistent"],
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "requiresRepublish": False,
        "seLinuxMount": False,
    }


@pytest.mark.parametrize(
    ("kind", "obj", "refusals"),
    [
        ("StorageClass", {}, ["provisioner: Required value"]),
        ("StorageClass", {**CLASS, "reclaimPolicy": ""}, []),
        (
            "StorageClass",
            {**CLASS, "parameters": {"": "x"}},
            ['parameters: Invalid value: "": field can not be empty.'],
        ),
        (
            "StorageClass",
            {**CLASS, "parameters": {"x": "y" * 256 * 1024}},
            ["parameters: Too long: may not be more than 262144 bytes"],
        ),
        (
            "StorageClass",
            {**CLASS, "parameters": {str(number): "" for number in range(513)}},
            ["parameters: Too long: may not be more than 512 bytes"],
        ),
        ("StorageClass", topologies([{"key": "z", "values": ["a"]}]), []),
        ("StorageClass", topologies([]), ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']),
        (
            "StorageClass",
            topologies([{"key": "z", "values": ["a", "a"]}, {"key": "z"}]),
            [
                'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
                "allowedTopologies[0].matchLabelExpressions[1].values: Required value",
                'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "z"',
            ],
        ),
        (
            "StorageClass",
            topologies([{"key": "z", "values": ["a", "b"]}], [{"key": "z", "values": ["b", "a"]}]),
            ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
        ),
        (
            "VolumeAttributesClass",
            {"driverName": "a.dev"},
            ["parameters: Required value: must contain at least one key/value pair"],
        ),
        (
            "CSIDriver",
            driver(fsGroupPolicy="", volumeLifecycleModes=["x"], nodeAllocatableUpdatePeriodSeconds=9),
            [
                'spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None",'
                ' "ReadWriteOnceWithFSType"',
                'spec.volumeLifecycleModes: Unsupported value: "x": supported values: "Persistent", "Ephemeral"',
                "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10"
                " seconds",
            ],
        ),
        (
            "CSIDriver",
            driver(tokenRequests=[{"audience": "a"}, {"audience": "a"}, {"audience": "b", "expirationSeconds": 1}]),
            [
                'spec.tokenRequests[1].audience: Duplicate value: "a"',
                "spec.tokenRequests[2].expirationSeconds: Invalid value: 1: may not specify a duration less than 10"
                " minutes",
            ],
        ),
        (
            "CSIDriver",
            driver(serviceAccountTokenInSecrets=False),
            [
                "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no"
                " tokenRequests are specified"
            ],
        ),
        (
            "CSINode",
            node({}, {"nodeID": "", "topologyKeys": ["k", "k"], "allocatable": {"count": -1}}),
            [
                "spec.drivers[1].nodeID: Required value",
                "spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                'spec.drivers[1].name: Duplicate value: "a.dev"',
                'spec.drivers[1]: Duplicate value: "k"',
            ],
        ),
        (
            "CSINode",
            node({"nodeID": LONG}),
            [f'spec.drivers[0].nodeID: Invalid value: "{LONG}": must be 256 characters or less'],
        ),
        (
            "CSINode",
            node({"name": "A" * 64}),
            ["spec.drivers[0].name: Too long: may not be more than 63 bytes"],
        ),
        (
            "CSIStorageCapacity",
            {**CAPACITY, "capacity": "-1"},
            ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
        ),
        (
            "VolumeAttachment",
            attachment(source={}, attacher=""),
            [
                "spec.attacher: Required value",
                "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
            ],
        ),
        (
            "VolumeAttachment",
            attachment(source={"inlineVolumeSpec": {"storageClassName": "c", "accessModes": ["ReadWriteOnce"]}}),
            [
                "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline"
                " volumes",
                "spec.source.inlineVolumeSpec: Required value: must specify a volume type",
                "spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of"
                " inline volumes",
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_new_object_is_told(kind: str, obj: Object, refusals: list[str]) -> None:
    assert KINDS[kind].refusals(obj) == refusals


@pytest.mark.parametrize(
    ("kind", "before", "obj", "refusals"),
    [
        (
            "StorageClass",
            {**CLASS, "parameters": {"a": "b"}},
            {**CLASS, "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": True},
            [
                "parameters: Invalid value: null: field is immutable",
                'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
            ],
        ),
        ("StorageClass", CLASS, {**CLASS, "parameters": {}}, []),
        (
            "StorageClass",
            {**CLASS, "parameters": {"a": "b"}},
            {**CLASS, "parameters": {}},
            ["parameters: Invalid value: {}: field is immutable"],
        ),
        (
            "VolumeAttributesClass",
            {"driverName": "a.dev", "parameters": {"a": "b"}},
            {"driverName": "b.dev", "parameters": {"a": "b"}},
            ["driverName: Forbidden: updates to driverName are forbidden."],
        ),
        (
            "CSIDriver",
            driver(),
            driver(attachRequired=False),
            ["spec.attachedRequired: Invalid value: false: field is immutable"],
        ),
        (
            "VolumeAttachment",
            attachment(source={"persistentVolumeName": "v"}),
            attachment(source={"persistentVolumeName": "v", "inlineVolumeSpec": {}}),
            ["spec.source: Forbidden", "spec: Invalid value"],
        ),
        ("CSINode", node({}), node({"allocatable": {"count": 3}}, {"name": "b.dev"}), []),
        (
            "VolumeAttachment",
            attachment(),
            attachment(attacher="a" * 64, source={"persistentVolumeName": "v_"}),
            [
                "spec.attacher: Too long: may not be more than 63 bytes",
                "spec.source.persistentVolumeName: Invalid value",
                "spec: Invalid value",
            ],
        ),
        (
            "CSINode",
            node({}),
            node({"nodeID": "j", "allocatable": {"count": 3}}),
            [
                'spec.drivers: Invalid value: {"Name":"a.dev","NodeID":"j","TopologyKeys":null,"Allocatable":null}:'
                " field is immutable"
            ],
        ),
        (
            "CSIStorageCapacity",
            CAPACITY,
            {**CAPACITY, "nodeTopology": {"matchLabels": {"a": "b"}}, "capacity": "1Gi"},
            ['nodeTopology: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable'],
        ),
    ],
)
def test_refused_updates(kind: str, before: Object, obj: Object, refusals: list[str]) -> None:
    found = KINDS[kind].refusals_of_update(obj, before)
    assert [told[: len(refusal)] for told, refusal in zip(found, refusals, strict=True)] == refusals


def test_what_an_attachment_describes_gets_the_defaults_of_volumes() -> None:
    inline = {"iscsi": {}, "rbd": {}, "scaleIO": {}, "azureDisk": {}, "hostPath": {}}
    made = KINDS["VolumeAttachment"].create(attachment(source={"inlineVolumeSpec": inline}))
    found = made["spec"]["source"]["inlineVolumeSpec"]
    assert found["iscsi"]["iscsiInterface"] == "default"
    assert (found["rbd"]["pool"], found["rbd"]["user"], found["rbd"]["keyring"]) == (
        "rbd",
        "admin",
        "/etc/ceph/keyring",
    )
    assert (found["scaleIO"]["storageMode"], found["scaleIO"]["fsType"]) == ("ThinProvisioned", "xfs")
    assert found["azureDisk"]["cachingMode"] == "ReadWrite"
    assert found["hostPath"]["type"] == ""


def test_the_attributes_of_what_an_attachment_describes_are_not_looked_at() -> None:
    csi = {"driver": "a", "volumeHandle": "h"}
    inline = {"csi": csi, "accessModes": ["ReadWriteOnce"], "volumeAttributesClassName": "::1"}
    assert KINDS["VolumeAttachment"].refusals(attachment(source={"inlineVolumeSpec": inline})) == []


def test_a_driver_that_asks_for_tokens_is_told_of_secrets() -> None:
    kind, asking = KINDS["CSIDriver"], driver(tokenRequests=[{"audience": "a"}])
    (warning,) = kind.warnings(asking)
    assert warning.startswith("spec.serviceAccountTokenInSecrets is unset")
    assert kind.warnings(driver(tokenRequests=[{"audience": "a"}], serviceAccountTokenInSecrets=False)) == []
    assert kind.warnings_of_update(asking, driver()) == [warning]
    assert kind.warnings_of_update({**asking, "metadata": {"labels": {"a": "b"}}}, asking) == []


def test_a_changed_driver_is_a_new_generation() -> None:
    kind = KINDS["CSIDriver"]
    assert "generation" not in kind.update(driver(), driver())["metadata"]
    assert kind.update(driver(podInfoOnMount=True), driver())["metadata"]["generation"] == 1


def test_a_gated_member_of_a_driver_stays_only_where_it_is_stored() -> None:
    kind, gated = KINDS["CSIDriver"], driver(preventPodSchedulingIfMissing=True)
    assert "preventPodSchedulingIfMissing" not in kind.create(gated)["spec"]
    assert "preventPodSchedulingIfMissing" not in kind.update(gated, driver())["spec"]
    assert "preventPodSchedulingIfMissing" in kind.update(gated, gated)["spec"]


def test_the_status_of_an_attachment_is_written_alone() -> None:
    kind = KINDS["VolumeAttachment"]
    attached = {**attachment(), "status": {"attached": True}}
    assert kind.create(attached)["status"] == {"attached": False}
    assert kind.update(attached, attachment())["status"] == {"attached": False}
    new = {**attached, "spec": {**ATTACHMENT, "nodeName": "m"}, "metadata": {"labels": {"a": "b"}}}
    made = kind.update(new, attachment(), "status")
    assert (made["status"], made["spec"], made["metadata"].get("labels")) == ({"attached": True}, ATTACHMENT, None)
    failed = {**attachment(), "status": {"attached": False, "attachError": {"errorCode": -1, "message": "m" * 1025}}}
    assert kind.refusals_of_update(failed, attachment(), "status") == [
        "status.attachError.message: Too long: may not be more than 262144 bytes",
        "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ]
