"""PersistentVolumeClaimResize: a claim grows only where it is bound, and where its storage class lets it.

Source: plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import UPDATE, Attributes, shown_name
from quarterdeck.apimachinery import errors, quantity
from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import ResourceCache

_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_NOT_BOUND: Final = "Only bound persistent volume claims can be expanded"
_NOT_EXPANDED: Final = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


class ClaimResize:
    """Of claims alone. `classes` holds the storage classes."""

    def __init__(self, classes: ResourceCache) -> None:
        self._classes = classes

    def validate(self, attributes: Attributes) -> None:
        new, old = attributes.obj, attributes.old
        if attributes.operation != UPDATE or attributes.subresource or new is None or old is None:
            return
        if _size(new) <= _size(old):
            return
        if (old.get("status") or {}).get("phase") != "Bound":
            raise _forbidden(attributes, _NOT_BOUND)
        name = _class_of(new)
        if not name or name != _class_of(old) or not self._lets_expand(name):
            raise _forbidden(attributes, _NOT_EXPANDED)

    def _lets_expand(self, name: str) -> bool:
        entry = self._classes.get("", name)
        return entry is not None and bool(json.load(entry.data).get("allowVolumeExpansion"))


def _size(claim: dict[str, Any]) -> quantity.Quantity:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return quantity.parse(requests.get("storage", "0"))


def _class_of(claim: dict[str, Any]) -> str:
    annotations = claim["metadata"].get("annotations") or {}
    return str(annotations[_CLASS] if _CLASS in annotations else claim["spec"].get("storageClassName") or "")


def _forbidden(attributes: Attributes, detail: str) -> errors.Forbidden:
    return errors.Forbidden.of("", "persistentvolumeclaims", shown_name(attributes), detail)
