"""Which CSI driver does the work of a volume whose source is one of those that were in Kubernetes' own tree.

Of what the translation makes only the driver is looked at here, and why there may be none.
Source: csi-translation-lib/translate.go, csi-translation-lib/plugins/*.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import gourl

Source = Mapping[str, Any]

_DRIVERS: Final = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "azureDisk": "disk.csi.azure.com",
    "azureFile": "file.csi.azure.com",
    "cinder": "cinder.csi.openstack.org",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "portworxVolume": "pxd.portworx.com",
    "vsphereVolume": "csi.vsphere.vmware.com",
}
_ZONES: Final = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_BETWEEN_ZONES: Final = "__"
_PARTS_OF_ZONE: Final = 3
_AWS: Final = "aws://"
_is_aws_volume: Final = re.compile("vol-[^/]*").fullmatch


class Untranslatable(Exception):
    """Why the source cannot be had from a CSI driver, in upstream's words."""


def driver_of_source(volume: Source) -> str:
    """That of a pod's volume, "" where its source was never in the tree. Raises Untranslatable."""
    for member, driver in _DRIVERS.items():
        source = volume.get(member)
        if source is not None:
            _check_source(member, source)
            return driver
    return ""


def driver_of_volume(volume: Mapping[str, Any]) -> str:
    """Likewise, of a PersistentVolume."""
    driver = driver_of_source(volume["spec"])
    if driver == _DRIVERS["azureFile"]:
        _check_namespace(volume["spec"])
    elif driver == _DRIVERS["gcePersistentDisk"]:
        _check_zones(volume["metadata"].get("labels") or {})
    return driver


def _check_source(member: str, source: Source) -> None:
    if member == "awsElasticBlockStore":
        _check_aws_volume(source.get("volumeID") or "")
    elif member == "azureDisk" and (kind := source.get("kind")) is not None and kind.lower() != "managed":
        raise Untranslatable(f"kind({kind}) is not supported in csi migration")


def _check_aws_volume(volume: str) -> None:
    if not volume.startswith(_AWS):
        return
    text = "failed to translate Kubernetes ID to EBS Volume ID Invalid"
    try:
        url = gourl.parse(volume)
    except gourl.URLError as problem:
        raise Untranslatable(f"{text} disk name ({volume}): {problem}") from problem
    if not _is_aws_volume(url.path.strip("/")):
        raise Untranslatable(f"{text} format for AWS volume ({volume})")


def _check_namespace(spec: Source) -> None:
    namespace = spec["azureFile"].get("secretNamespace")
    if namespace is None:
        namespace = (spec.get("claimRef") or {}).get("namespace")
    if not namespace:
        raise Untranslatable("could not find a secret namespace in PersistentVolumeSource or ClaimRef")


def _check_zones(labels: Mapping[str, str]) -> None:
    zones = next((labels[name] for name in _ZONES if labels.get(name)), "").split(_BETWEEN_ZONES)
    if len(zones) == 1:
        return
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != _PARTS_OF_ZONE:
            raise Untranslatable(
                "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: "
                + zone
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        found = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise Untranslatable(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{found}]"
        )
