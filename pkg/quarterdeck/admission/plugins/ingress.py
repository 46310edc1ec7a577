"""DefaultIngressClass: an ingress that names no class gets the one that is everybody's, the newest of several.

Source: plugin/pkg/admission/network/defaultingressclass/admission.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import CREATE, Attributes
from quarterdeck.admission.plugins.defaultclasses import DefaultClasses
from quarterdeck.storage.cacher import ResourceCache

_CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_MARKS: Final = ("ingressclass.kubernetes.io/is-default-class",)


class DefaultIngressClass:
    """`classes` holds the ingress classes."""

    def __init__(self, classes: ResourceCache) -> None:
        self._classes = DefaultClasses(classes, _MARKS)

    def admit(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        if attributes.operation != CREATE or attributes.subresource or obj is None:
            return
        if (resource.group, resource.name) != ("networking.k8s.io", "ingresses"):
            return
        annotations = obj["metadata"].get("annotations") or {}
        if "ingressClassName" in obj["spec"] or _CLASS_ANNOTATION in annotations:
            return
        if (name := self._classes.find()) is not None:
            obj["spec"] = {**obj["spec"], "ingressClassName": name}
