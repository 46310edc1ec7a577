"""What a refusal shows of what may not change of a pod."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.core import resources
from support.builtin_kind import BuiltinKind, Object

POD = BuiltinKind(next(each for each in resources.definitions() if each.resource.kind == "Pod"))
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod(**spec: Any) -> Object:
    return {"spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def gated(**affinity: Any) -> Object:
    return pod(schedulingGates=[{"name": "a/x"}], **({"affinity": affinity} if affinity else {}))


def wanting(*labels: str, **others: Any) -> Object:
    expressions = [{"key": label, "operator": "Exists"} for label in labels]
    return {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}, **others}


def difference(new: Object, old: Object) -> str:
    (refusal,) = POD.refusals_of_update(new, old)
    return refusal.partition("@@")[2]


@pytest.mark.parametrize(("old", "shown"), [({}, '"NodeAffinity": null'), ({"podAntiAffinity": {}}, "")])
def test_node_affinity_of_a_gated_pod_is_shown_as_it_was(old: Object, shown: str) -> None:
    """It may change: it is put back before pods are compared, with all that was written empty in it."""
    found = difference(gated(nodeAffinity={}, podAffinity={}, **old), gated(**old))
    assert shown in found
    assert '"NodeAffinity": {' not in found


def test_lists_written_empty_go_with_the_node_affinity_that_is_put_back() -> None:
    changed = gated(nodeAffinity=wanting("a", "b", **{PREFERRED: []}), podAffinity={})
    assert '"PreferredDuringSchedulingIgnoredDuringExecution": []' not in difference(
        changed, gated(nodeAffinity=wanting("a"))
    )


def test_they_show_where_node_affinity_is_otherwise_as_it_was() -> None:
    changed = gated(nodeAffinity=wanting("a", **{PREFERRED: []}), podAffinity={})
    assert '"PreferredDuringSchedulingIgnoredDuringExecution": []' in difference(
        changed, gated(nodeAffinity=wanting("a"))
    )


def test_empty_limits_are_what_a_container_asks_for() -> None:
    init = {"name": "i", "image": "i"}
    changed = {**init, "command": ["x"], "resources": {"limits": {}}}
    found = difference(pod(initContainers=[changed]), pod(initContainers=[init]))
    assert '"Limits": {}' in found
    assert '"Requests": {}' in found
