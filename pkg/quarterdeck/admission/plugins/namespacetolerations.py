"""PodTolerationRestriction: what taints pods of a namespace tolerate by default, and which they may tolerate at all.

Annotations of the namespace tell both, or else settings.
Source: plugin/pkg/admission/podtolerationrestriction/admission.go, pkg/util/tolerations/tolerations.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.pluginsettings import DEFAULT, TolerationSettings
from quarterdeck.apimachinery import errors

Object = dict[str, Any]

_DEFAULTS: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
_ALLOWED: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
_PRESSURE: Final = {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"}
_CONFLICT: Final = "pod tolerations (possibly merged with namespace default tolerations) conflict with its {} whitelist"


class PodTolerationRestriction:
    """Of pods alone. `annotations_of` tells those of a namespace, None of one that is not there; `read` makes
    tolerations of an annotation's text (ValueError: Go's words), `quality_of` tells the class of service of a pod's
    spec."""

    def __init__(
        self,
        annotations_of: Callable[[str], Mapping[str, str] | None],
        read: Callable[[str], list[Object]],
        quality_of: Callable[[Object], str],
        settings: TolerationSettings = DEFAULT.tolerations,
    ) -> None:
        self._annotations_of = annotations_of
        self._read = read
        self._quality_of = quality_of
        self._settings = settings

    def admit(self, attributes: Attributes) -> None:
        obj = _pod(attributes)
        if obj is None:
            return
        more: list[Object] = []
        if attributes.operation == CREATE:
            listed = self._listed(attributes, _DEFAULTS)
            more = list(self._settings.default) if listed is None else listed
        quality = (obj.get("status") or {}).get("qosClass") or self._quality_of(obj["spec"])
        if quality != "BestEffort":
            more = [*more, _PRESSURE]
        if more:
            obj["spec"] = {**obj["spec"], "tolerations": _merge([*(obj["spec"].get("tolerations") or ()), *more])}
        self.validate(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Raises Unreasoned, as upstream, for a toleration that the namespace does not allow."""
        obj = _pod(attributes)
        if obj is None or not (tolerations := obj["spec"].get("tolerations")):
            return
        listed = self._listed(attributes, _ALLOWED)
        allowed = self._settings.allowed if listed is None else listed
        if allowed and not all(any(_covers(each, one) for each in allowed) for one in tolerations):
            raise errors.Unreasoned(_CONFLICT.format("cluster" if listed is None else "namespace"))

    def _listed(self, attributes: Attributes, annotation: str) -> list[Object] | None:
        """None: the namespace does not say."""
        annotations = self._annotations_of(attributes.namespace)
        if annotations is None:
            raise errors.NotFound.of("", "namespaces", attributes.namespace)
        text = annotations.get(annotation)
        if text is None:
            return None
        try:
            return self._read(text) if text else []
        except ValueError as error:
            raise errors.Unreasoned(str(error)) from error


def _pod(attributes: Attributes) -> Object | None:
    return None if attributes.subresource or attributes.operation not in (CREATE, UPDATE) else attributes.obj


def _merge(tolerations: list[Object]) -> list[Object]:
    """Without those that others cover; of equal ones the first."""
    merged: list[Object] = []
    for position, one in enumerate(tolerations):
        is_covered = any(_covers(each, one) for each in merged)
        if not (is_covered or any(each != one and _covers(each, one) for each in tolerations[position + 1 :])):
            merged.append(one)
    return merged


def _covers(wide: Object, one: Object) -> bool:
    """Whether what tolerates as `wide` says tolerates all that `one` says (upstream: isSuperset)."""
    if wide == one:
        return True
    operator, effect = wide.get("operator", ""), wide.get("effect", "")
    is_any_key = not wide.get("key") and operator == "Exists"
    if one.get("key", "") != wide.get("key", "") and not is_any_key:
        return False
    if effect and one.get("effect", "") != effect:
        return False
    seconds: int | None = wide.get("tolerationSeconds")
    if effect == "NoExecute" and seconds is not None:
        asked: int | None = one.get("tolerationSeconds")
        if asked is None or asked > seconds:
            return False
    if operator in ("Equal", ""):
        return bool(one.get("operator", "") == "Equal" and one.get("value", "") == wide.get("value", ""))
    return bool(operator == "Exists")
