"""PodNodeSelector: pods of a namespace run on the nodes that the namespace's annotation selects, or else settings.

Settings may also tell which labels pods of a namespace may select at all.
Source: plugin/pkg/admission/podnodeselector/admission.go, apimachinery/pkg/labels (ConvertSelectorToLabelsMap).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from quarterdeck.admission.attributes import CREATE, Attributes
from quarterdeck.apimachinery import errors, field, gotext, meta, names

_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/node-selector"
_CONFLICT: Final = "pod node label selector conflicts with its namespace node label selector"
_OTHERS: Final = "clusterDefaultNodeSelector"
_FORBIDDEN: Final = "pod node label selector labels conflict with its namespace whitelist"


class PodNodeSelector:
    """Of new pods alone. `annotations_of` tells those of a namespace, None of one that is not there; `selectors` are
    those of the settings."""

    def __init__(
        self, annotations_of: Callable[[str], Mapping[str, str] | None], selectors: Mapping[str, str] | None = None
    ) -> None:
        self._annotations_of = annotations_of
        self._selectors = selectors or {}

    def admit(self, attributes: Attributes) -> None:
        if (selector := self._selector(attributes)) is None:
            return
        obj = attributes.obj
        assert obj is not None
        both = {**selector, **(obj["spec"].get("nodeSelector") or {})}
        if both:
            obj["spec"] = {**obj["spec"], "nodeSelector": dict(sorted(both.items()))}
        self._check_allowed(attributes)

    def validate(self, attributes: Attributes) -> None:
        if self._selector(attributes) is not None:
            self._check_allowed(attributes)

    def _check_allowed(self, attributes: Attributes) -> None:
        """Raises Forbidden where the pod selects what its namespace's setting does not have."""
        obj = attributes.obj
        assert obj is not None
        allowed = _read(self._selectors.get(attributes.namespace, ""))
        own = obj["spec"].get("nodeSelector") or {}
        if allowed and not own.items() <= allowed.items():
            raise errors.Forbidden.of("", "pods", meta.name(obj), _FORBIDDEN)

    def _selector(self, attributes: Attributes) -> dict[str, str] | None:
        """That of the namespace; None where the request is not looked at. Raises Forbidden where the pod's says
        otherwise."""
        obj = attributes.obj
        if attributes.operation != CREATE or attributes.subresource or obj is None:
            return None
        annotations = self._annotations_of(attributes.namespace)
        if annotations is None:
            raise errors.InternalError.of(f"namespace {attributes.namespace} does not exist")
        text = annotations.get(_ANNOTATION)
        selector = _read(self._selectors.get(_OTHERS, "") if text is None else text)
        own = obj["spec"].get("nodeSelector") or {}
        if any(own.get(key, value) != value for key, value in selector.items()):
            raise errors.Forbidden.of("", "pods", meta.name(obj), _CONFLICT)
        return selector


def _read(text: str) -> dict[str, str]:
    """Raises Unreasoned, as upstream, for a text that is no list of `key=value`."""
    found: dict[str, str] = {}
    for each in text.split(",") if text else ():
        parts = each.split("=")
        if len(parts) != 2:
            raise errors.Unreasoned(f"invalid selector: [{' '.join(parts)}]")
        key, value = map(gotext.strip, parts)
        if problems := names.qualified_name(key):
            raise errors.Unreasoned(str(field.invalid("<nil>", key, "; ".join(problems))))
        if problems := names.label_value(value):
            raise errors.Unreasoned(str(field.invalid(field.key("", key), value, "; ".join(problems))))
        found[key] = value
    return found
