"""Priority levels as servers before 1.32 stored them: in versions of flowcontrol.apiserver.k8s.io that nobody serves
any more. They take no shares for the usual number of shares, and v1beta1 and v1beta2 have another name for it.

Source: pkg/apis/flowcontrol/{v1beta1,v1beta2,v1beta3}/{conversion,defaults}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object

V1: Final = "flowcontrol.apiserver.k8s.io/v1"

_NAME: Final = "nominalConcurrencyShares"
_OLD_NAME: Final = "assuredConcurrencyShares"
_USUAL: Final = 30
# v1beta3 tells by it that none are meant.
_NONE_MEANT: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"


def level_from_old(level: Object) -> Object:
    """Decoded JSON, which is not changed."""
    made = {**level, "apiVersion": V1}
    annotations = (level.get("metadata") or {}).get("annotations") or {}
    if _NONE_MEANT in annotations:
        left = {name: value for name, value in annotations.items() if name != _NONE_MEANT}
        made["metadata"] = {name: value for name, value in level["metadata"].items() if name != "annotations"}
        if left:
            made["metadata"]["annotations"] = left
    spec = level.get("spec") or {}
    if (limited := spec.get("limited")) is not None:
        shares = limited.get(_NAME) or limited.get(_OLD_NAME) or 0
        rest = {name: value for name, value in limited.items() if name != _OLD_NAME}
        usual = 0 if _NONE_MEANT in annotations else _USUAL
        made["spec"] = {**spec, "limited": {**rest, _NAME: shares or usual}}
    return made
