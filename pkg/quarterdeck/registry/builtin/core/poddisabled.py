"""The strategies of kinds that have the spec of a pod: what is switched off is dropped before anything looks at it.

Who wrote it owns it all the same: field management looks at an object before this.
"""

from __future__ import annotations

from typing import ClassVar

from quarterdeck.registry.builtin.core.poddropped import drop_disabled
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

    def _drop_disabled(self, obj: Object) -> None:
        spec: Object | None = obj
        for name in self.pod_spec:
            spec = (spec or {}).get(name)
        if spec is not None:
            drop_disabled(spec)
