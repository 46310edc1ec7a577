"""Whether a pod uses tokens for an audience: in a projected volume, or as a CSI driver of its volumes asks for them.

Source: plugin/pkg/admission/noderestriction/admission.go (podReferencesAudience).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Object = dict[str, Any]
Lookup = Callable[[str, str], Object | None]


def uses_audience(pod: Object, audience: str, claims: Lookup, volumes: Lookup, drivers: Lookup) -> bool:
    """`claims`, `volumes` and `drivers` look objects up by namespace and name."""
    namespace = pod["metadata"].get("namespace") or ""
    for volume in pod["spec"].get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            token = source.get("serviceAccountToken")
            if token is not None and (token.get("audience") or "") == audience:
                return True
        name = _driver_of(volume, pod["metadata"]["name"], namespace, claims, volumes)
        driver = drivers("", name) if name else None
        requests = (driver or {}).get("spec", {}).get("tokenRequests") or ()
        if any((each.get("audience") or "") == audience for each in requests):
            return True
    return False


def _driver_of(volume: Object, pod: str, namespace: str, claims: Lookup, volumes: Lookup) -> str:
    if volume.get("csi") is not None:
        return volume["csi"].get("driver") or ""
    claim_name = ""
    if volume.get("ephemeral") is not None:
        claim_name = f"{pod}-{volume.get('name', '')}"
    elif volume.get("persistentVolumeClaim") is not None:
        claim_name = volume["persistentVolumeClaim"].get("claimName") or ""
    claim = claims(namespace, claim_name) if claim_name else None
    bound = volumes("", claim["spec"].get("volumeName") or "") if claim is not None else None
    return ((bound or {}).get("spec", {}).get("csi") or {}).get("driver") or ""
