"""AlwaysPullImages: images of pods are asked for each time, so that only who may pull an image can run it.

Source: plugin/pkg/admission/alwayspullimages/admission.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes, shown_name
from quarterdeck.apimachinery import errors, field
from quarterdeck.apimachinery.podreferences import CONTAINERS

Object = dict[str, Any]

_ALWAYS: Final = "Always"


class AlwaysPullImages:
    """Of pods alone; an update that brings no new image is let be."""

    def admit(self, attributes: Attributes) -> None:
        if not _brings_images(attributes):
            return
        obj = attributes.obj
        assert obj is not None
        spec = dict(obj["spec"])
        for member in CONTAINERS:
            if spec.get(member):
                spec[member] = [{**each, "imagePullPolicy": _ALWAYS} for each in spec[member]]
        if spec.get("volumes"):
            spec["volumes"] = [_always(each) for each in spec["volumes"]]
        obj["spec"] = spec

    def validate(self, attributes: Attributes) -> None:
        """Raises Forbidden; Unreasoned, as upstream, where another plugin has set more than one back."""
        if not _brings_images(attributes):
            return
        assert attributes.obj is not None
        found = [
            errors.Forbidden.of("", "pods", shown_name(attributes), str(field.not_supported(path, policy, [_ALWAYS])))
            for path, policy in _policies(attributes.obj["spec"])
            if policy != _ALWAYS
        ]
        if found:
            texts = list(dict.fromkeys(str(each) for each in found))
            raise errors.Unreasoned(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _always(volume: Object) -> Object:
    image = volume.get("image")
    return volume if image is None else {**volume, "image": {**image, "pullPolicy": _ALWAYS}}


def _policies(spec: Object) -> Iterator[tuple[str, str]]:
    """Where policies are, and what they say."""
    for member in CONTAINERS:
        for position, each in enumerate(spec.get(member) or ()):
            yield f"{field.index(f'spec.{member}', position)}.imagePullPolicy", each.get("imagePullPolicy", "")
    for position, volume in enumerate(spec.get("volumes") or ()):
        if volume.get("image") is not None:
            yield f"{field.index('spec.volumes', position)}.image.pullPolicy", volume["image"].get("pullPolicy", "")


def _brings_images(attributes: Attributes) -> bool:
    if attributes.subresource or attributes.obj is None or attributes.operation not in (CREATE, UPDATE):
        return False
    if attributes.operation == CREATE or attributes.old is None:
        return True
    return not _images(attributes.obj["spec"]) <= _images(attributes.old["spec"])


def _images(spec: Object) -> set[str]:
    return {each.get("image", "") for member in CONTAINERS for each in spec.get(member) or ()}
