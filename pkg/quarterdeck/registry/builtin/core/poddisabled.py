"""The strategies of kinds that have the spec of a pod: what is switched off is dropped before anything looks at it, and
may be changed where it is in use.

Who wrote it owns it all the same: field management looks at an object before this.

Source: pkg/api/pod/util.go.
"""

from __future__ import annotations

from typing import ClassVar

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.core.poddropped import drop_disabled
from quarterdeck.registry.builtin.core.podvalidation.security import had_selinux_policy
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class PodSpecStrategy(BuiltinStrategy):
    """Of a kind whose objects have the spec of a pod at `pod_spec`."""

    pod_spec: ClassVar[tuple[str, ...]] = ("spec", "template", "spec")

    def prepare_for_create(self, obj: Object) -> None:
        self._drop_disabled(obj)
        super().prepare_for_create(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        self._drop_disabled(new)
        super().prepare_for_update(new, old)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        spec = self._spec_of(old) or {}
        had = had_selinux_policy.set((spec.get("securityContext") or {}).get("seLinuxChangePolicy") is not None)
        try:
            return super().validate_update(new, old, warnings)
        finally:
            had_selinux_policy.reset(had)

    def _drop_disabled(self, obj: Object) -> None:
        spec = self._spec_of(obj)
        if spec is not None:
            drop_disabled(spec)

    def _spec_of(self, obj: Object) -> Object | None:
        spec: Object | None = obj
        for name in self.pod_spec:
            spec = (spec or {}).get(name)
        return spec
