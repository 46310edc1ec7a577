"""What holds pods against eviction: the disruption budget of a pod, and one disruption of it.

Source: pkg/registry/core/pod/storage/eviction.go (checkAndDecrement, getPodDisruptionBudgets).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, labels, requirements
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.core import podconditions
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object

_DISRUPTED_MAX: Final = 2000
_MANAGER: Final = "kube-apiserver"
_SEVERAL: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_VIOLATES: Final = "Cannot evict pod as it would violate the pod's disruption budget."


class DisruptionBudgets:
    """`budgets` are looked up; their status is written by `identity`, the server's own, through `status`."""

    def __init__(self, identity: Identity, budgets: Scope, status: Scope) -> None:
        self._identity = identity
        self._budgets = budgets
        self._status = status

    def find(self, namespace: str, pod: Object) -> Object | None:
        """The one that holds the pod. Raises Unreasoned where several do."""
        found = []
        state = self._budgets.store.cache.state
        own = pod["metadata"].get("labels") or {}
        for entry in state.range(f"{namespace}/"):
            budget = json_codec.load(entry.data)
            try:
                selector = labels.from_label_selector(budget["spec"].get("selector"))
            except requirements.SelectorError:
                continue
            if selector.matches(own):
                found.append(budget)
        if len(found) > 1:
            raise errors.Unreasoned(_SEVERAL)
        return found[0] if found else None

    async def spend(self, budget: Object, pod_name: str, *, dry_run: bool) -> None:
        """One disruption. Raises TooManyRequests and Forbidden, and what admission of the budget's update raises."""
        if dry_run:
            return _check(budget)
        metadata = budget["metadata"]
        transform = partial(_spend, self._status, metadata["name"], pod_name)
        await self._identity.update(self._status, metadata["namespace"], metadata["name"], transform)
        return None


def _spend(scope: Scope, budget_name: str, pod_name: str, live: Object | None) -> Object:
    if live is None:
        raise errors.NotFound.of("policy", "poddisruptionbudgets", budget_name)
    _check(live)
    new = copy_object(live)
    status = new["status"] = dict(new["status"])
    status["disruptionsAllowed"] -= 1
    if not status["disruptionsAllowed"]:
        _forbid_more(new)
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod_name: clock.now()}
    scope.own(live, new, _MANAGER)
    return new


def may_go_unready(pod: Object, budget: Object) -> bool:
    """A pod that is not ready counts for nothing."""
    if podconditions.is_true(pod["status"], "Ready"):
        return False
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    wanted: int = budget["status"].get("desiredHealthy", 0)
    return 0 < wanted <= int(budget["status"].get("currentHealthy", 0))


def still_processed(budget: Object) -> errors.TooManyRequests:
    name = budget["metadata"]["name"]
    text = f"The disruption budget {name} is still being processed by the server."
    return _too_many(text, {"retryAfterSeconds": 10})


def _too_many(text: str, more: dict[str, Any]) -> errors.TooManyRequests:
    return errors.TooManyRequests(_VIOLATES, {"causes": [{"reason": "DisruptionBudget", "message": text}], **more})


def _check(budget: Object) -> None:
    """Whether it allows one more."""
    metadata, status = budget["metadata"], budget["status"]
    name, allowed = metadata["name"], status.get("disruptionsAllowed", 0)
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        raise still_processed(budget)
    if allowed < 0:
        raise errors.Forbidden.of("policy", "poddisruptionbudget", name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or {}) > _DISRUPTED_MAX:
        detail = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise errors.Forbidden.of("policy", "poddisruptionbudget", name, detail)
    if allowed:
        return
    raise _too_many(_describe_exhausted(name, status), {})


def _describe_exhausted(name: str, status: Object) -> str:
    """Why it allows none."""
    healthy, wanted = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
    condition = podconditions.find(status, "DisruptionAllowed") or {}
    message = condition.get("message", "") if condition.get("status") == "False" else ""
    denied = f"The disruption budget {name} does not allow evicting pods currently"
    if message and condition.get("reason") == "SyncFailed":
        return f"{denied} because it failed sync: {message}"
    if healthy <= wanted:
        return f"The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
    return f"{denied} ({condition.get('reason', '')}): {message}" if message else denied


def _forbid_more(budget: Object) -> None:
    """Source: component-helpers/apps/poddisruptionbudget/helpers.go (UpdateDisruptionAllowedCondition)."""
    status = budget["status"]
    before = podconditions.find(status, "DisruptionAllowed") or {}
    is_new = before.get("status") != "False"
    conditions = list(status.get("conditions") or [])
    at = next((i for i, each in enumerate(conditions) if each.get("type") == "DisruptionAllowed"), len(conditions))
    conditions[at : at + 1] = [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": status.get("observedGeneration", 0),
            "lastTransitionTime": clock.now() if is_new else before.get("lastTransitionTime"),
            "reason": "InsufficientPods",
            "message": "",
        }
    ]
    status["conditions"] = conditions
