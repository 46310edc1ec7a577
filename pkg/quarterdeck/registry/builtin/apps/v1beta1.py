"""Deployments and daemon sets as servers before 1.16 stored them: in apps/v1beta1 or extensions/v1beta1, which nobody
serves any more. Annotations tell what v1 has no members for.

Source: pkg/apis/apps/v1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object

V1: Final = "apps/v1"

_ROLLBACK: Final = "deprecated.deployment.rollback.to"
_GENERATION: Final = "deprecated.daemonset.template.generation"


def deployment_from_v1beta1(deployment: Object) -> Object:
    """Decoded JSON, which is not changed."""
    rollback = (deployment.get("spec") or {}).get("rollbackTo")
    return _moved(deployment, "rollbackTo", _ROLLBACK, None if rollback is None else rollback.get("revision") or 0)


def daemon_set_from_v1beta1(daemon_set: Object) -> Object:
    generation = (daemon_set.get("spec") or {}).get("templateGeneration")
    return _moved(daemon_set, "templateGeneration", _GENERATION, generation)


def _moved(obj: Object, member: str, annotation: str, value: int | None) -> Object:
    spec = {name: said for name, said in (obj.get("spec") or {}).items() if name != member}
    made = {**obj, "apiVersion": V1, "spec": spec}
    if value is not None:
        metadata = obj.get("metadata") or {}
        made["metadata"] = {**metadata, "annotations": {**(metadata.get("annotations") or {}), annotation: str(value)}}
    return made
