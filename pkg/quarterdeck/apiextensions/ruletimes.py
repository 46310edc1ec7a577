"""How long the rules of custom resources take: to compile, once a version that is served, and to run, once a write.

Differs from upstream, which observes each schema with rules and each value that they run on, those inside others
within them: what is observed here adds up to the time that was spent. Checks of a definition compile its rules as well,
which is not observed.
Source of the names: apiserver/pkg/cel/metrics/metrics.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.metrics.registry import Registry

_BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class RuleTimes:
    def __init__(self, registry: Registry) -> None:
        self.compilations = registry.histogram(
            "apiserver_cel_compilation_duration_seconds", "[BETA] CEL compilation time in seconds.", _BOUNDS_S
        ).labels()
        self.evaluations = registry.histogram(
            "apiserver_cel_evaluation_duration_seconds", "[BETA] CEL evaluation time in seconds.", _BOUNDS_S
        ).labels()
