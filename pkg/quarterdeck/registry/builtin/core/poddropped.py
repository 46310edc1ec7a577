"""What of a pod's spec is dropped when it is written, as its features are off by default: GenericWorkload,
ClusterTrustBundleProjection, PodCertificateRequest and ContainerStopSignals.

Source: pkg/api/pod/util.go (dropDisabledFields, DropDisabledTemplateFields).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.core.podspec import containers_of
from quarterdeck.registry.strategy import Object

_PROJECTIONS: Final = ("clusterTrustBundle", "podCertificate")


def restore_spec(spec: Object, *path: str, dropped: Collection[str] = ()) -> Object:
    """The spec of a pod at that path with what the request has written down empty in it, but for what is dropped."""
    restored = written.restore(spec, *path, dropped=dropped)
    drop_disabled(restored)
    return restored


def drop_disabled(spec: Object) -> None:
    spec.pop("schedulingGroup", None)
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            for name in _PROJECTIONS:
                source.pop(name, None)
    for container in containers_of(spec):
        lifecycle = container.get("lifecycle")
        if lifecycle and lifecycle.pop("stopSignal", None) is not None and not lifecycle:
            del container["lifecycle"]
