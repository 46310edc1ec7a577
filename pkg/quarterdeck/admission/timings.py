"""How long admission takes: each plugin, and each pass as a whole.

Source: apiserver/pkg/admission/metrics/metrics.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission import pluginnames
from quarterdeck.metrics.registry import Family, Histogram, Registry

ADMIT: Final = "admit"
VALIDATE: Final = "validate"
_now_s: Final = now_s  # compiled code looks up what a module may set anew in a dictionary each time
_BOUNDS: Final[Iterable[float]] = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5)


class Timing:
    """Of one plugin, or of a pass. `labels`: all but the operation and whether it was refused. Operations that upstream
    does not ask the plugin about are not noted; `operations` None: all are."""

    __slots__ = ("_admitted", "_family", "_labels", "_operations", "_rejected")

    def __init__(
        self, family: Family[Histogram], labels: tuple[str, ...], operations: frozenset[str] | None = None
    ) -> None:
        self._family = family
        self._labels = labels
        self._operations = operations
        self._admitted: dict[str, Histogram] = {}  # by operation
        self._rejected: dict[str, Histogram] = {}

    def note(self, operation: str, begin_s: float) -> float:
        """What began then has ended; when."""
        found = self._admitted.get(operation)
        if found is None:
            if self._operations is not None and operation not in self._operations:
                return _now_s()
            found = self._admitted[operation] = self._family.labels(*self._labels, operation, "false")
        return found.lap(begin_s)

    def refuse(self, operation: str, begin_s: float) -> None:
        found = self._rejected.get(operation)
        if found is None:
            found = self._rejected[operation] = self._family.labels(*self._labels, operation, "true")
        found.observe_since(begin_s)


class Timings:
    def __init__(self, registry: Registry) -> None:
        self._controllers = registry.histogram(
            "apiserver_admission_controller_admission_duration_seconds",
            "[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each "
            "operation and API resource and type (validate or admit).",
            _BOUNDS,
            ("name", "type", "operation", "rejected"),
        )
        self._steps = registry.histogram(
            "apiserver_admission_step_admission_duration_seconds",
            "[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource "
            "and step type (validate or admit).",
            _BOUNDS,
            ("type", "operation", "rejected"),
        )

    def of_plugin(self, name: str, kind: str) -> Timing | None:
        """`kind`: of the pass. None for what has no name, which is no plugin upstream."""
        return Timing(self._controllers, (name, kind), pluginnames.operations_of(name)) if name else None

    def of_pass(self, kind: str) -> Timing:
        return Timing(self._steps, (kind,))
