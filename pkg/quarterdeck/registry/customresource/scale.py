"""What a custom resource has to hold for its scale subresource to show it.

Source: apiextensions-apiserver/pkg/registry/customresource/{validator,etcd}.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import scale


def validate_scale(obj: Object, paths: ScalePaths | None, *, status_only: bool = False) -> list[FieldError]:
    """The values that the scale subresource would show must be ones that it can show."""
    if paths is None:
        return []
    shown = {"specReplicasPath": paths.spec_replicas, "statusReplicasPath": paths.status_replicas}
    if paths.selector:
        shown["labelSelectorPath"] = paths.selector
    return scale.validate_scale(obj, shown, status_only=status_only)


def check_scale(obj: Object, paths: ScalePaths) -> None:
    """An object may hold others all the same: the paths have changed since it was stored, or a webhook has converted
    it. Raises Unreasoned for the first."""
    for path, wanted in ((paths.spec_replicas, int), (paths.status_replicas, int), (paths.selector, str)):
        if path:
            _, problem = scale.nested(obj, path, wanted)
            if problem:
                raise errors.Unreasoned(problem)
