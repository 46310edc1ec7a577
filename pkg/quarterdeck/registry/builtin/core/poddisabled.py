"""What of a pod's spec is dropped when it is written, as its features are off by default: GenericWorkload,
ClusterTrustBundleProjection, PodCertificateRequest and ContainerStopSignals.

Who wrote it owns it all the same: field management looks at an object before this.

Source: pkg/api/pod/util.go (dropDisabledFields, DropDisabledTemplateFields).
"""

from __future__ import annotations

from typing import ClassVar, Final

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.core.podspec import containers_of
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_PROJECTIONS: Final = ("clusterTrustBundle", "podCertificate")


class PodSpecStrategy(BuiltinStrategy):
    """Of a kind whose objects have the spec of a pod at `pod_spec`."""

    pod_spec: ClassVar[tuple[str, ...]] = ("spec", "template", "spec")

    def prepare_for_create(self, obj: Object) -> None:
        self._drop_disabled(obj)
        super().prepare_for_create(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        self._drop_disabled(new)
        super().prepare_for_update(new, old)

    def _drop_disabled(self, obj: Object) -> None:
        spec: Object | None = obj
        for name in self.pod_spec:
            spec = (spec or {}).get(name)
        if spec is not None:
            drop_disabled(spec)


def restore_spec(spec: Object, *path: str) -> Object:
    """The spec of a pod at that path with what the request has written down empty in it, but for what is dropped."""
    restored = written.restore(spec, *path)
    drop_disabled(restored)
    return restored


def drop_disabled(spec: Object) -> None:
    spec.pop("schedulingGroup", None)
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            for name in _PROJECTIONS:
                source.pop(name, None)
    for container in containers_of(spec):
        lifecycle = container.get("lifecycle") or {}
        if lifecycle.pop("stopSignal", None) is not None and not lifecycle:
            del container["lifecycle"]
