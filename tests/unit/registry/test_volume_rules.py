"""What persistent volumes and claims default, how they may change, and in which order that is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.registry.builtin.core import resources
from quarterdeck.registry.builtin.core.podvalidation import gonames
from support.builtin_kind import BuiltinKind

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions()}
VOLUMES, CLAIMS = KINDS["PersistentVolume"], KINDS["PersistentVolumeClaim"]
Object = dict[str, Any]

NFS: Object = {"nfs": {"server": "s", "path": "/p"}}
SIZED: Object = {"resources": {"requests": {"storage": "5Gi"}}}
IMMUTABLE_AFFINITY = "field is immutable, except for updating from beta label to GA"


def volume(source: Object, **members: Any) -> Object:
    annotations = members.pop("annotations", {})
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], **source, **members}
    return {"metadata": {"annotations": annotations}, "spec": spec}


def claim(**members: Any) -> Object:
    return {"spec": {"accessModes": ["ReadWriteOnce"], **SIZED, **members}}


def affinity(key: str, field_key: str = "metadata.name", **term: Any) -> Object:
    expressions = [{"key": key, "operator": "In", "values": ["a"]}]
    fields = [{"key": field_key, "operator": "In", "values": ["n"]}]
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions, "matchFields": fields, **term}]}}


def paths(refusals: list[str]) -> list[str]:
    return [each.partition(":")[0] for each in refusals]


@pytest.mark.parametrize(
    ("name", "given", "added"),
    [
        ("hostPath", {"path": "/p"}, {"type": ""}),
        ("rbd", {"monitors": ["m"], "user": "u"}, {"pool": "rbd", "keyring": "/etc/ceph/keyring"}),
        ("iscsi", {"targetPortal": "p"}, {"iscsiInterface": "default"}),
        ("azureDisk", {"kind": "Managed"}, {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False}),
        ("scaleIO", {"fsType": "ext4"}, {"storageMode": "ThinProvisioned"}),
    ],
)
def test_a_persistent_volume_has_the_defaults_of_its_source(name: str, given: Object, added: Object) -> None:
    spec = VOLUMES.create(volume({name: given}))["spec"]
    assert {key: spec[name].get(key) for key in given | added} == given | added


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        (NFS, []),
        ({"photonPersistentDisk": {"pdID": "p"}}, []),
        (
            {"csi": {"driver": "d", "volumeHandle": "h"}},
            ["metadata.annotations.volume.beta.kubernetes.io/mount-options"],
        ),
        ({"portworxVolume": {"volumeID": "v"}}, ["metadata.annotations.volume.beta.kubernetes.io/mount-options"]),
    ],
)
def test_some_sources_take_mount_options_in_an_annotation(source: Object, refused: list[str]) -> None:
    annotations = {"volume.beta.kubernetes.io/mount-options": "hard"}
    assert paths(VOLUMES.refusals(volume(source, annotations=annotations))) == refused


def test_what_is_wrong_with_an_iscsi_volume_is_told_in_the_order_of_its_fields() -> None:
    source = {"targetPortal": "p" * 80, "iqn": "x", "lun": -1, "secretRef": {}, "initiatorName": "x"}
    refusals = VOLUMES.refusals(volume({"iscsi": source}))
    assert paths(refusals) == [
        f"spec.iscsi.{name}" for name in ("targetportal", "iqn", "lun", "secretRef.name", "initiatorname")
    ]
    assert refusals[-1].endswith(": must be valid format")


@pytest.mark.parametrize(
    ("key", "field_key", "is_refused"),
    [
        ("failure-domain.beta.kubernetes.io/zone", "metadata.name", False),
        ("topology.kubernetes.io/zone", "metadata.name", False),
        ("topology.kubernetes.io/region", "metadata.name", True),
        ("", "metadata.name", True),
        ("topology.kubernetes.io/zone", "", False),
        ("topology.kubernetes.io/zone", "metadata.namespace", True),
    ],
)
def test_labels_of_an_affinity_get_the_names_of_now(key: str, field_key: str, is_refused: bool) -> None:
    old = volume(NFS, nodeAffinity=affinity("failure-domain.beta.kubernetes.io/zone"))
    refusals = VOLUMES.refusals_of_update(volume(NFS, nodeAffinity=affinity(key, field_key)), old)
    assert any(IMMUTABLE_AFFINITY in each for each in refusals) == is_refused


def test_a_changed_affinity_is_shown_with_what_is_empty() -> None:
    new, old = volume(NFS, nodeAffinity=affinity("q", matchFields=[])), volume(NFS, nodeAffinity=affinity("k"))
    assert [each for each in VOLUMES.refusals_of_update(new, old) if each.startswith("nodeAffinity")] == [
        'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"q",'
        f'"Operator":"In","Values":["a"]}}],"MatchFields":[]}}]}}}}: {IMMUTABLE_AFFINITY}'
    ]


def test_a_claim_in_another_namespace_is_dropped_only_where_there_was_no_source() -> None:
    reference = {"kind": "PersistentVolumeClaim", "name": "c", "namespace": "n"}
    assert "dataSourceRef" not in CLAIMS.create(claim(dataSourceRef=reference))["spec"]
    assert "dataSourceRef" not in CLAIMS.update(claim(dataSourceRef=reference), claim())["spec"]
    source = {"kind": "PersistentVolumeClaim", "name": "c"}
    refusals = CLAIMS.refusals_of_update(claim(dataSourceRef=reference), claim(dataSourceRef=source))
    assert paths(refusals) == ["spec"]
    refusals = CLAIMS.refusals_of_update(claim(dataSource=source, dataSourceRef=reference), claim(dataSourceRef=source))
    assert refusals[0] == "spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified"


def test_classes_of_a_claim_stand_around_its_mode_and_sources() -> None:
    wrong = claim(storageClassName="A", volumeMode="x", dataSource={"kind": "PersistentVolumeClaim"})
    wrong["spec"]["volumeAttributesClassName"] = "B"
    assert paths(CLAIMS.refusals(wrong)) == [
        "spec.storageClassName",
        "spec.volumeMode",
        "spec.dataSource.name",
        "spec.dataSourceRef.name",
        "spec.volumeAttributesClassName",
    ]


def test_an_empty_selector_of_a_claim_is_not_none() -> None:
    (refused,) = CLAIMS.refusals_of_update(claim(selector={"matchExpressions": []}), claim())
    assert '-  "Selector": null,\n+  "Selector": {},' in refused.replace('\n- "', '\n-  "').replace('\n+ "', '\n+  "')


def test_the_selector_of_a_changed_claim_is_shown_in_the_order_of_its_keys() -> None:
    selectors = [{"matchLabels": dict.fromkeys(keys, "x")} for keys in ("a", "cab")]
    (refused,) = CLAIMS.refusals_of_update(claim(selector=selectors[1]), claim(selector=selectors[0]))
    assert refused.index('"a"') < refused.index('"b"') < refused.index('"c"')


@pytest.mark.parametrize("requests", [{}, {"storage": "4Gi"}])
def test_the_size_of_a_bound_claim_is_told_of_alone(requests: Object) -> None:
    status = {"status": {"phase": "Bound", "capacity": {"storage": "5Gi"}}}
    new, old = (
        {**claim(resources={"requests": each, "limits": {"storage": "9Gi"}}), **status}
        for each in (requests, {"storage": "5Gi"})
    )
    refusals = CLAIMS.refusals_of_update(new, old)
    assert "spec" not in paths(refusals)
    assert refusals[-1].endswith("field can not be less than status.capacity")


def test_a_reference_is_shown_with_the_names_of_its_go_type() -> None:
    shown = str(gonames.show("ObjectReference", {"kind": "K", "uid": "u", "fieldPath": "f"}))
    expected = {"Kind": "K", "Namespace": "", "Name": "", "UID": "u", "APIVersion": "", "ResourceVersion": ""}
    assert json.loads(shown) == {**expected, "FieldPath": "f"}


def test_options_for_mounting_are_refused_once() -> None:
    """What is wrong with the rest of a volume is told twice of an update."""
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
    name = "volume.beta.kubernetes.io/mount-options"
    annotated = {"metadata": {"annotations": {name: "ro"}}, "spec": spec}
    (told,) = VOLUMES.refusals_of_update(annotated, {"spec": spec})
    assert told == VOLUMES.refusals(annotated)[0]
    assert name in told
