"""What nobody uses without a quota that covers it: the settings name amounts and scopes.

Source: apiserver/pkg/admission/plugin/resourcequota/controller.go (CheckRequest, limitedByDefault); pkg/quota/v1
evaluators (UncoveredQuotaScopes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.plugins.quota import scopes
from quarterdeck.admission.plugins.quota.evaluators import Evaluator
from quarterdeck.admission.pluginsettings import LimitedResource
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.quantity import Quantity

Object = dict[str, Any]


def check(
    limited: Sequence[LimitedResource],
    quotas: Sequence[Object],
    concerned: Sequence[Object],
    usage: Mapping[str, Quantity],
    attributes: Attributes,
    evaluator: Evaluator,
) -> None:
    """`usage` is all that the object uses, `concerned` those of the namespace's quotas that say something of it. Raises
    Forbidden; Unreasoned, as upstream, for scopes."""
    resource, obj = attributes.resource, attributes.obj
    assert obj is not None
    covered = {name for quota in concerned for name in evaluator.limited((quota.get("status") or {}).get("hard") or {})}
    texts = [
        text
        for each in limited
        if (each.group, each.resource) == (resource.group, resource.name)
        for text in each.contains
    ]
    named = {name for name, amount in usage.items() if amount.unscaled > 0 and any(text in name for text in texts)}
    if missing := sorted(named - covered):
        detail = f"insufficient quota to consume: {','.join(missing)}"
        raise forbidden(attributes, detail)
    found = {
        selector["scopeName"]
        for quota in quotas
        for selector in scopes.of_quota(quota)
        if evaluator.matches(selector, obj)
    }
    asked = [selector for each in limited for selector in each.scopes if evaluator.matches(selector, obj)]
    if shown := [scopes.show(each) for each in asked if each["scopeName"] not in found]:
        raise errors.Unreasoned(f"insufficient quota to match these scopes: [{' '.join(shown)}]")
