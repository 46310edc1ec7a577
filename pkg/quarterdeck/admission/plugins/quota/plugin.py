"""The plugin: what a request adds is charged to all quotas that it concerns, or it is refused.

Settings may name what nobody uses without a quota that covers it.

What is deleted is given back by a controller, which recalculates (controllers/optional/quotas.py). As upstream, what
was charged for a write that fails afterwards stays charged until then.

Source: apiserver/pkg/admission/plugin/resourcequota/{admission,controller}.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from quarterdeck.admission.attributes import UPDATE, Attributes
from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.plugins.quota import scopes, uncovered
from quarterdeck.admission.plugins.quota.evaluators import Evaluator, Evaluators
from quarterdeck.admission.pluginsettings import LimitedResource
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors, podamounts
from quarterdeck.apimachinery.quantity import Quantity

Object = dict[str, Any]
Used = dict[str, str]
# (the quota as it was read, what is used now): raises Conflict where it is another by now, and what admission does.
Charge = Callable[[Object, Used], Awaitable[None]]

_TRIES: Final = 4


class ResourceQuota:
    """Requests of one namespace are looked at one after the other while there are quotas in it."""

    def __init__(
        self,
        quotas: ByNamespace,
        charge: Charge,
        evaluators: Evaluators,
        limited: Sequence[LimitedResource] = (),
    ) -> None:
        self._quotas = quotas
        self._limited = limited
        self._evaluators = evaluators
        self.charge = charge
        self._locks: dict[str, asyncio.Lock] = {}

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        resource, namespace = attributes.resource, attributes.namespace
        if not namespace or attributes.obj is None or not (self._limited or self._quotas.of(namespace)):
            return None
        evaluator = self._evaluators.find(resource)
        if evaluator is None or not evaluator.handles(attributes):
            return None
        return self._evaluate(attributes, evaluator)

    async def _evaluate(self, attributes: Attributes, evaluator: Evaluator) -> None:
        namespace = attributes.namespace
        lock = self._locks.setdefault(namespace, asyncio.Lock())
        try:
            async with lock:
                await self._charge_all(attributes, evaluator)
        finally:
            if not lock.locked() and self._locks.get(namespace) is lock:
                del self._locks[namespace]

    async def _charge_all(self, attributes: Attributes, evaluator: Evaluator) -> None:
        left: set[str] | None = None  # names of quotas that could not be charged, whatever the reason
        for attempt in range(_TRIES):
            found = self._quotas.of(attributes.namespace)
            quotas = [each for each in found if left is None or each["metadata"]["name"] in left]
            charged = _check(quotas, attributes, evaluator, self._limited)
            if attributes.dry_run:
                return
            left = set()
            for quota, used in charged:
                try:
                    await self.charge(quota, used)
                except errors.APIStatus:
                    if attempt == _TRIES - 1:
                        raise
                    left.add(quota["metadata"]["name"])
            if not left:
                return


def _check(
    quotas: list[Object], attributes: Attributes, evaluator: Evaluator, limited: Sequence[LimitedResource]
) -> list[tuple[Object, Used]]:
    """The quotas that the request changes, with what is used then. Raises Forbidden."""
    obj = attributes.obj
    assert obj is not None
    concerned = [quota for quota in quotas if _is_in_scope(quota, obj, evaluator) and evaluator.limited(_hard(quota))]
    for quota in concerned:
        _check_known(quota, attributes, evaluator)
    if not (concerned or limited):
        return []
    usage = evaluator.usage(obj)
    if negative := sorted(name for name, amount in usage.items() if amount.unscaled < 0):
        raise forbidden(attributes, f"quota usage is negative for resource(s): {','.join(negative)}")
    added = [_added(usage, quota, attributes, evaluator) for quota in concerned]
    if limited and any(added if concerned else [_more(usage, attributes, evaluator)]):
        uncovered.check(limited, quotas, concerned, usage, attributes, evaluator)
    charged = ((quota, _use(quota, more, attributes)) for quota, more in zip(concerned, added, strict=True))
    return [(quota, used) for quota, used in charged if used is not None]


def _is_in_scope(quota: Object, obj: Object, evaluator: Evaluator) -> bool:
    """Raises Unreasoned where a scope cannot be told, also of a quota that limits nothing of the object's kind."""
    try:
        matched = [evaluator.matches(selector, obj) for selector in scopes.of_quota(quota)]
    except errors.Unreasoned as untold:
        name = quota["metadata"]["name"]
        raise errors.Unreasoned(f"error matching scopes of quota {name}, err: {untold.message}") from None
    return all(matched)


def _check_known(quota: Object, attributes: Attributes, evaluator: Evaluator) -> None:
    assert attributes.obj is not None
    name, limited = quota["metadata"]["name"], evaluator.limited(_hard(quota))
    if missing := evaluator.missing(limited, attributes.obj):
        raise forbidden(attributes, f"failed quota: {name}: {missing}")
    if any(each not in _used(quota) for each in limited):
        raise forbidden(attributes, f"status unknown for quota: {name}, resources: {','.join(limited)}")


def _added(
    usage: Mapping[str, Quantity], quota: Object, attributes: Attributes, evaluator: Evaluator
) -> Mapping[str, Quantity]:
    """What the request adds: all of a new object, or of one that the quota was not about before."""
    old = attributes.old
    if attributes.operation != UPDATE or old is None or not _is_in_scope(quota, old, evaluator):
        return {name: amount for name, amount in usage.items() if amount.unscaled}
    return _more(usage, attributes, evaluator)


def _more(usage: Mapping[str, Quantity], attributes: Attributes, evaluator: Evaluator) -> Mapping[str, Quantity]:
    """What there is more than before."""
    old = attributes.old
    before = evaluator.usage(old) if attributes.operation == UPDATE and old is not None else {}
    more = {name: amount.sub(before[name]) if name in before else amount for name, amount in usage.items()}
    return {name: amount for name, amount in more.items() if amount.unscaled > 0}


def _use(quota: Object, added: Mapping[str, Quantity], attributes: Attributes) -> Used | None:
    """What is used then; None where nothing changes."""
    hard, used = podamounts.parse(_hard(quota)), podamounts.parse(_used(quota))
    asked = {name: amount for name, amount in sorted(added.items()) if name in hard}
    if not asked:
        return None
    total = {name: used[name].add(amount) if name in used else amount for name, amount in asked.items()}
    exceeded = [name for name, amount in total.items() if amount > hard[name]]
    if exceeded and attributes.subresource != "status":
        words = {"requested": asked, "used": used, "limited": hard}
        parts = (f"{word}: {_list(exceeded, found)}" for word, found in words.items())
        raise forbidden(attributes, f"exceeded quota: {quota['metadata']['name']}, {', '.join(parts)}")
    return _used(quota) | {name: str(amount) for name, amount in total.items()}


def _list(names: list[str], amounts: Mapping[str, Quantity]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names if name in amounts)


def _hard(quota: Object) -> Used:
    return (quota.get("status") or {}).get("hard") or {}


def _used(quota: Object) -> Used:
    return (quota.get("status") or {}).get("used") or {}
