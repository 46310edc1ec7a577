"""Which audiences the volumes of a pod use, and what is told where that cannot be known."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.admission.plugins.nodetokens import Untold, VolumeLookups, uses_audience

Object = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
FORMAT = "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: "


def volume(source: Object, zones: str = "") -> Object:
    return {"metadata": {"labels": {ZONE: zones}}, "spec": source}


VOLUMES = {
    "csi": volume({"csi": {"driver": "x.csi"}}),
    "host": volume({"hostPath": {"path": "/x"}}),
    "ebs": volume({"awsElasticBlockStore": {"volumeID": "aws://zone/vol-1"}}),
    "other-ebs": volume({"awsElasticBlockStore": {"volumeID": "aws://zone/disk-1"}}),
    "bad-ebs": volume({"awsElasticBlockStore": {"volumeID": "aws://a b/vol-1"}}),
    "file": volume({"azureFile": {"secretName": "s"}, "claimRef": {"namespace": "d"}}),
    "other-file": volume({"azureFile": {"secretName": "s"}}),
    "gce": volume({"gcePersistentDisk": {"pdName": "p"}}, zones="us-east1-a__us-east1-b"),
    "two-regions": volume({"gcePersistentDisk": {"pdName": "p"}}, zones="us-west1-a__us-east1-b"),
    "bad-zone": volume({"gcePersistentDisk": {"pdName": "p"}}, zones="us__us-east1-b"),
}
DRIVERS = {
    name: {"spec": {"tokenRequests": [{"audience": "vault"}]}}
    for name in (
        "x.csi", "ebs.csi.aws.com", "disk.csi.azure.com", "file.csi.azure.com", "cinder.csi.openstack.org",
        "pd.csi.storage.gke.io", "pxd.portworx.com", "csi.vsphere.vmware.com",
    )
}  # fmt: skip
LOOKUPS = VolumeLookups(
    claims=lambda namespace, name: {"spec": {"volumeName": name.removeprefix("p-")}} if name != "none" else None,
    volumes=lambda _, name: VOLUMES.get(name),
    drivers=lambda _, name: DRIVERS.get(name),
)


def claimed(name: str) -> Object:
    return {"persistentVolumeClaim": {"claimName": name}}


def asks(*volumes: Object, audience: str = "vault") -> bool:
    pod = {"metadata": {"name": "p", "namespace": "d"}, "spec": {"volumes": list(volumes)}}
    return uses_audience(pod, audience, LOOKUPS)


@pytest.mark.parametrize(
    "source",
    [
        {"csi": {"driver": "x.csi"}},
        claimed("csi"),
        {"name": "csi", "ephemeral": {"volumeClaimTemplate": {}}},
        claimed("ebs"),
        claimed("file"),
        claimed("gce"),
        {"awsElasticBlockStore": {"volumeID": "vol-1"}},
        {"azureDisk": {"kind": "managed"}},
        {"azureFile": {"secretName": "s"}},
        {"cinder": {"volumeID": "1"}},
        {"gcePersistentDisk": {"pdName": "p"}},
        {"portworxVolume": {"volumeID": "1"}},
        {"vsphereVolume": {"volumePath": "/x"}},
    ],
)
def test_what_the_driver_of_a_volume_asks_for_is_used(source: Object) -> None:
    assert asks(source)
    assert not asks(source, audience="other")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (claimed("none"), 'persistentvolumeclaim "none" not found'),
        (claimed("gone"), 'persistentvolume "gone" not found'),
        ({"csi": {"driver": "none"}}, 'csidriver.storage.k8s.io "none" not found'),
        ({"azureDisk": {"kind": "Shared"}}, "kind(Shared) is not supported in csi migration"),
        (
            claimed("other-ebs"),
            "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://zone/disk-1)",
        ),
        (
            claimed("bad-ebs"),
            "failed to translate Kubernetes ID to EBS Volume ID Invalid disk name (aws://a b/vol-1): "
            'parse "aws://a b/vol-1": invalid character " " in host name',
        ),
        (claimed("other-file"), "could not find a secret namespace in PersistentVolumeSource or ClaimRef"),
        (claimed("bad-zone"), FORMAT + "us"),
        (
            claimed("two-regions"),
            "failed to get region from zones: multiple or no regions gotten from zones, got: "
            "map[us-east1:{} us-west1:{}]",
        ),
    ],
)
def test_a_volume_that_cannot_be_looked_into_is_told_of_unless_another_uses_the_audience(
    source: Object, problem: str
) -> None:
    with pytest.raises(Untold) as told:
        asks(source)
    assert str(told.value) == problem
    with pytest.raises(Untold) as told:
        asks(source, {"csi": {"driver": "y"}}, source)
    assert str(told.value) == f'[{problem}, csidriver.storage.k8s.io "y" not found]'
    assert asks(source, {"csi": {"driver": "x.csi"}})


def test_volumes_without_a_driver_use_nothing() -> None:
    assert not asks(claimed("host"), {"emptyDir": {}}, {"projected": {"sources": [{"secret": {}}]}})
    assert asks({"projected": {"sources": [{"serviceAccountToken": {}}]}}, audience="")
