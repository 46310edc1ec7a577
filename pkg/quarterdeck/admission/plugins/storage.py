"""DefaultStorageClass: a claim that names no class gets the one that is everybody's, the newest of several.

StorageObjectInUseProtection: what stores data is not deleted while it is in use, so it is made with a finalizer.

Source: plugin/pkg/admission/storage/{storageclass/setdefault,storageobjectinuseprotection}/admission.go,
component-helpers/storage/volume, pkg/volume/util/finalizer.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, Attributes
from quarterdeck.admission.plugins.defaultclasses import DefaultClasses
from quarterdeck.storage.cacher import ResourceCache

_CLAIMS: Final = ("", "persistentvolumeclaims")
_CLASS_OF_CLAIM: Final = "volume.beta.kubernetes.io/storage-class"
_IS_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
# What protects each while it is used, by group and resource.
FINALIZERS: Final[Mapping[tuple[str, str], str]] = {
    ("", "persistentvolumes"): "kubernetes.io/pv-protection",
    _CLAIMS: "kubernetes.io/pvc-protection",
    ("storage.k8s.io", "volumeattributesclasses"): "kubernetes.io/vac-protection",
}


class DefaultStorageClass:
    """`classes` holds the storage classes."""

    def __init__(self, classes: ResourceCache) -> None:
        self._classes = DefaultClasses(classes, _IS_DEFAULT)

    def admit(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if not _is_new(attributes, _CLAIMS) or obj is None:
            return
        has_class = "storageClassName" in obj["spec"] or _CLASS_OF_CLAIM in (obj["metadata"].get("annotations") or {})
        if not has_class and (name := self._classes.find()) is not None:
            obj["spec"] = {**obj["spec"], "storageClassName": name}


class StorageProtection:
    def admit(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        finalizer = FINALIZERS.get((resource.group, resource.name))
        if finalizer is None or obj is None or not _is_new(attributes, (resource.group, resource.name)):
            return
        metadata: dict[str, Any] = obj["metadata"]
        there = metadata.get("finalizers") or []
        if finalizer not in there:
            metadata["finalizers"] = [*there, finalizer]


def _is_new(attributes: Attributes, of: tuple[str, str]) -> bool:
    resource = attributes.resource
    is_create = attributes.operation == CREATE and not attributes.subresource
    return is_create and (resource.group, resource.name) == of
