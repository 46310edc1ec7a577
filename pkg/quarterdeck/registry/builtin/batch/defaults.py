"""What a job's spec has where nothing is said.

Source: pkg/apis/batch/v1/defaults.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.core import podspec
from quarterdeck.registry.strategy import Object

_BACKOFF: Final = 6
_BACKOFF_UNBOUNDED: Final = 2**31 - 1


def default_job(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec)
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    # Where every index has a limit of its own, their sum has none.
    spec.setdefault("backoffLimit", _BACKOFF_UNBOUNDED if "backoffLimitPerIndex" in spec else _BACKOFF)
    take_labels(obj)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    has_policy = spec.get("podFailurePolicy") is not None
    spec.setdefault("podReplacementPolicy", "Failed" if has_policy else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)


def take_labels(obj: Object) -> bool:
    """A job without labels has those of its pods, and those that are set on them later; whether it had none."""
    labels = (obj["spec"]["template"].get("metadata") or {}).get("labels")
    if not labels or obj["metadata"].get("labels"):
        return False
    obj["metadata"]["labels"] = labels
    return True


def default_template(spec: Object) -> None:
    """What is defaulted in the template of a cron job's jobs too."""
    podspec.default_template(spec["template"])
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"
