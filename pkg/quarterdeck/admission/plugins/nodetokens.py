"""Whether a pod uses tokens for an audience: in a projected volume, or as a CSI driver of its volumes asks for them.

Source: plugin/pkg/admission/noderestriction/admission.go (podReferencesAudience).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from quarterdeck.admission.plugins import migratedvolumes
from quarterdeck.admission.plugins.migratedvolumes import Untranslatable
from quarterdeck.apimachinery import errors

Object = dict[str, Any]
Lookup = Callable[[str, str], Object | None]


class VolumeLookups(NamedTuple):
    """Each gives an object by namespace and name."""

    claims: Lookup
    volumes: Lookup
    drivers: Lookup


class Untold(Exception):
    """The volumes that could be looked into do not use the audience, and not all could. Upstream's words."""


def uses_audience(pod: Object, audience: str, lookups: VolumeLookups) -> bool:
    """Raises Untold."""
    problems: list[str] = []
    for volume in pod["spec"].get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            token = source.get("serviceAccountToken")
            if token is not None and (token.get("audience") or "") == audience:
                return True
        try:
            driver = _driver_of(volume, pod["metadata"], lookups)
            if driver and _asks_for(driver, audience, lookups):
                return True
        except (errors.NotFound, Untranslatable) as problem:
            problems.append(str(problem))
    if problems:
        raise Untold(errors.aggregate(problems))
    return False


def _driver_of(volume: Object, pod: Object, lookups: VolumeLookups) -> str:
    namespace = pod.get("namespace") or ""
    if (volume.get("ephemeral") or {}).get("volumeClaimTemplate") is not None:
        return _driver_of_claim(namespace, f"{pod['name']}-{volume.get('name', '')}", lookups)
    if volume.get("persistentVolumeClaim") is not None:
        return _driver_of_claim(namespace, volume["persistentVolumeClaim"].get("claimName") or "", lookups)
    if volume.get("csi") is not None:
        return volume["csi"].get("driver") or ""
    return migratedvolumes.driver_of_source(volume)


def _driver_of_claim(namespace: str, name: str, lookups: VolumeLookups) -> str:
    claim = _find(lookups.claims, "", "persistentvolumeclaim", name, namespace)
    volume = _find(lookups.volumes, "", "persistentvolume", claim["spec"].get("volumeName") or "")
    csi = volume["spec"].get("csi")
    return migratedvolumes.driver_of_volume(volume) if csi is None else csi.get("driver") or ""


def _asks_for(driver: str, audience: str, lookups: VolumeLookups) -> bool:
    found = _find(lookups.drivers, "storage.k8s.io", "csidriver", driver)
    requests = found["spec"].get("tokenRequests") or ()
    return any((each.get("audience") or "") == audience for each in requests)


def _find(lookup: Lookup, group: str, kind: str, name: str, namespace: str = "") -> Object:
    """Raises NotFound, with the kind in the singular as upstream's caches tell it."""
    found = lookup(namespace, name)
    if found is None:
        raise errors.NotFound.of(group, kind, name)
    return found
