"""How often pods were judged, and what came of it. Source: pod-security-admission/metrics/metrics.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.podsecurity.evaluator import LATEST_MINOR
from quarterdeck.admission.podsecurity.levels import LEVELS, MODES, LevelVersion
from quarterdeck.metrics.registry import Counter, Registry

_REQUEST: Final = ("request_operation", "resource", "subresource")
_NOTHING: Final = LevelVersion()
_RESOURCES: Final = {("", "pods"): "pod", ("", "namespaces"): "namespace"}


class Counts:
    def __init__(self, registry: Registry) -> None:
        self._evaluations = registry.counter(
            "pod_security_evaluations_total",
            "[ALPHA] Number of policy evaluations that occurred, not counting ignored or exempt requests.",
            ("decision", "policy_level", "policy_version", "mode", *_REQUEST),
        )
        self._exemptions = registry.counter(
            "pod_security_exemptions_total",
            "[ALPHA] Number of exempt requests, not counting ignored or out of scope requests.",
            _REQUEST,
        )
        self._errors = registry.counter(
            "pod_security_errors_total",
            "[ALPHA] Number of errors preventing normal evaluation. Non-fatal errors may result in the latest "
            "restricted profile being used for evaluation.",
            ("fatal", *_REQUEST),
        )
        self._passed: dict[tuple[str, str], Counter] = {}  # by operation and subresource
        for operation in ("create", "update"):  # which upstream tells of before there are any
            self._evaluations.labels("allow", LEVELS[0], "latest", MODES[0], operation, "pod", "")
            for resource in ("pod", "controller"):
                self._exemptions.labels(operation, resource, "")

    def evaluated(self, attributes: Attributes, asked: LevelVersion, mode: str, *, is_allowed: bool) -> None:
        self._find(attributes, asked, mode, is_allowed=is_allowed).inc()

    def passed(self, attributes: Attributes) -> None:
        """A pod of a namespace that asks for nothing, as nearly all are."""
        key = attributes.operation, attributes.subresource
        counter = self._passed.get(key)
        if counter is None:
            counter = self._passed[key] = self._find(attributes, _NOTHING, MODES[0], is_allowed=True)
        counter.inc()

    def exempted(self, attributes: Attributes) -> None:
        self._exemptions.labels(*_request_of(attributes)).inc()

    def failed(self, attributes: Attributes, *, is_fatal: bool) -> None:
        self._errors.labels("true" if is_fatal else "false", *_request_of(attributes)).inc()

    def _find(self, attributes: Attributes, asked: LevelVersion, mode: str, *, is_allowed: bool) -> Counter:
        decision = "allow" if is_allowed else "deny"
        version = _describe_version(asked)
        return self._evaluations.labels(decision, asked.level, version, mode, *_request_of(attributes))


def _describe_version(asked: LevelVersion) -> str:
    """What holds for this release; a later one is no label of its own."""
    if asked.level == LEVELS[0] or asked.minor is None:
        return "latest"
    return asked.version if asked.minor <= LATEST_MINOR else "future"


def _request_of(attributes: Attributes) -> tuple[str, str, str]:
    resource = attributes.resource
    word = _RESOURCES.get((resource.group, resource.name), "controller")
    return attributes.operation.lower(), word, attributes.subresource
