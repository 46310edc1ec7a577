"""How long the rules of custom resources take: to compile, once a version that is served, and to run, once a write.

Differs from upstream, which observes each schema with rules and each value that they run on, those inside others
within them: what is observed here adds up to the time that was spent. Checks of a definition compile its rules as well,
which is not observed.
Source of the names: apiserver/pkg/cel/metrics/metrics.go.
"""

from __future__ import annotations

from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Registry


class RuleTimes:
    def __init__(self, registry: Registry) -> None:
        self.compilations = registry.histogram(
            "apiserver_cel_compilation_duration_seconds", "[BETA] CEL compilation time in seconds.", bounds.DEFAULT
        ).labels()
        self.evaluations = registry.histogram(
            "apiserver_cel_evaluation_duration_seconds", "[BETA] CEL evaluation time in seconds.", bounds.DEFAULT
        ).labels()
