"""The Scale of an object: its replicas and selector as an object of autoscaling/v1.

Source: apiextensions-apiserver/pkg/registry/customresource/etcd.go (scaleFromCustomResource),
pkg/registry/apps/deployment/storage/storage.go (scaleFromDeployment).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import errors, labels
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.gotype import INT32, STRING, Field, Struct

API_VERSION: Final = "autoscaling/v1"
SCALE_TYPE: Final = Struct(
    "Scale",
    {
        "spec": Field(Struct("ScaleSpec", {"replicas": Field(INT32)})),
        "status": Field(Struct("ScaleStatus", {"replicas": Field(INT32, always=True), "selector": Field(STRING)})),
    },
)


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """JSON paths as a definition gives them (`.spec.replicas`); `selector` is "" where there is none. At it is the
    text of a selector, or (of a built-in kind) a LabelSelector; labels alone where `selects_labels`."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""
    selects_labels: bool = False


def split_json_path(path: str) -> list[str]:
    return path.removeprefix(".").split(".")


def lookup(obj: Any, path: str) -> Any:
    """The value at a simple dotted path, or None."""
    for name in split_json_path(path):
        if not isinstance(obj, dict):
            return None
        obj = obj.get(name)
    return obj


def build_scale(obj: Object, paths: ScalePaths, absent: int | None = None) -> Object:
    """autoscaling/v1 Scale of an object. `absent`: the replicas of one that has none. Raises InternalError where it has
    no spec replicas, and nothing stands for them."""
    metadata = obj["metadata"]
    shown = {
        name: metadata[name]
        for name in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if metadata.get(name)
    }
    replicas = lookup(obj, paths.spec_replicas)
    if replicas is None:
        replicas = absent
    if not isinstance(replicas, int):
        raise errors.InternalError.of(f'the spec replicas field "{paths.spec_replicas}" does not exist')
    replicas = _to_int32(replicas)
    status: Object = {"replicas": _replicas_of(obj, paths.status_replicas)}
    if paths.selector and (selector := lookup(obj, paths.selector)):
        if paths.selects_labels:
            selector = {"matchLabels": selector}
        status["selector"] = selector if isinstance(selector, str) else str(labels.from_label_selector(selector))
    spec = {"replicas": replicas} if replicas else {}
    return {"kind": "Scale", "apiVersion": API_VERSION, "metadata": shown, "spec": spec, "status": status}


def _replicas_of(obj: Object, path: str) -> int:
    value = lookup(obj, path)
    return _to_int32(value) if isinstance(value, int) else 0


def _to_int32(replicas: int) -> int:
    """As Go converts: an object from before its definition named the path may hold any number there."""
    return (replicas + 2**31) % 2**32 - 2**31


def with_replicas(obj: Object, paths: ScalePaths, replicas: int) -> Object:
    """The object with its spec replicas set; members on the way are copied, not changed. Raises Unreasoned where one of
    them is no object."""
    changed = dict(obj)
    at = changed
    *parents, last = split_json_path(paths.spec_replicas)
    for depth, name in enumerate(parents, 1):
        inner = at.get(name, {})
        if not isinstance(inner, dict):
            place = ".".join(parents[:depth])
            raise errors.Unreasoned(f"value cannot be set because .{place} is not a map[string]interface{{}}")
        at[name] = at = dict(inner)
    at[last] = replicas
    return changed
