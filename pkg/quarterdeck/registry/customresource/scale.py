"""The scale subresource: which values of a custom resource it shows, and their checks.

Source: apiextensions-apiserver/pkg/registry/customresource/{etcd,validator}.go, autoscaling/v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quarterdeck.apimachinery import errors, labels
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import scale


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """JSON paths as the definition gives them (`.spec.replicas`); `selector` is "" where there is none. At it is the
    text of a selector, or (of a built-in kind) a LabelSelector."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


def split_json_path(path: str) -> list[str]:
    return path.removeprefix(".").split(".")


def lookup(obj: Any, path: str) -> Any:
    """The value at a simple dotted path, or None."""
    for name in split_json_path(path):
        if not isinstance(obj, dict):
            return None
        obj = obj.get(name)
    return obj


def validate_scale(obj: Object, paths: ScalePaths | None, *, status_only: bool = False) -> list[FieldError]:
    """The values that the scale subresource would show must be ones that it can show."""
    if paths is None:
        return []
    shown = {"specReplicasPath": paths.spec_replicas, "statusReplicasPath": paths.status_replicas}
    if paths.selector:
        shown["labelSelectorPath"] = paths.selector
    return scale.validate_scale(obj, shown, status_only=status_only)


def build_scale(obj: Object, paths: ScalePaths) -> Object:
    """autoscaling/v1 Scale of a custom resource. Raises InternalError where it has no spec replicas."""
    metadata = obj["metadata"]
    shown = {
        name: metadata[name]
        for name in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if metadata.get(name)
    }
    replicas = lookup(obj, paths.spec_replicas)
    if not isinstance(replicas, int):
        raise errors.InternalError.of(f'the spec replicas field "{paths.spec_replicas}" does not exist')
    status: Object = {"replicas": _replicas_of(obj, paths.status_replicas)}
    if paths.selector and (selector := lookup(obj, paths.selector)):
        status["selector"] = selector if isinstance(selector, str) else str(labels.from_label_selector(selector))
    spec = {"replicas": replicas} if replicas else {}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": shown, "spec": spec, "status": status}


def _replicas_of(obj: Object, path: str) -> int:
    value = lookup(obj, path)
    return value if isinstance(value, int) else 0


def with_replicas(obj: Object, paths: ScalePaths, replicas: int) -> Object:
    """The object with its spec replicas set; members on the way are copied, not changed."""
    changed = dict(obj)
    at = changed
    *parents, last = split_json_path(paths.spec_replicas)
    for name in parents:
        inner = at.get(name)
        at[name] = dict(inner) if isinstance(inner, dict) else {}
        at = at[name]
    at[last] = replicas
    return changed
