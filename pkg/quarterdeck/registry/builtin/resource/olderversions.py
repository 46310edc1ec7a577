"""What is served in resource.k8s.io/v1beta1, whose objects have members of their own, beside v1.

Source: pkg/apis/resource/v1beta1/{conversion,defaults}.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.convertedstrategy import ConvertedStrategy
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.resource import v1beta1
from quarterdeck.registry.builtin.resource.requests import default_request, default_toleration
from quarterdeck.registry.builtin.resource.slices import default_device
from quarterdeck.registry.strategy import Object

_Convert = Callable[[Object], Object]
_CONVERSIONS: Final[Mapping[str, tuple[_Convert, _Convert]]] = {
    "ResourceClaim": (v1beta1.claim_from_v1beta1, v1beta1.claim_to_v1beta1),
    "ResourceClaimTemplate": (v1beta1.template_from_v1beta1, v1beta1.template_to_v1beta1),
    "ResourceSlice": (v1beta1.slice_from_v1beta1, v1beta1.slice_to_v1beta1),
}


def convert(kind: str, obj: Object, api_version: str) -> Object:
    """An object in another of its versions; the same one where it is in that version."""
    have = obj.get("apiVersion")
    if have == api_version:
        return obj
    from_v1beta1, to_v1beta1 = _CONVERSIONS[kind]
    if have == v1beta1.V1BETA1:
        obj = from_v1beta1(obj)
    return to_v1beta1(obj) if api_version == v1beta1.V1BETA1 else {**obj, "apiVersion": api_version}


def adapt(definition: Definition) -> Definition:
    """The definition of v1beta1, of one that is like that of v1."""
    versions, kind = definition.versions, definition.resource.kind
    assert versions is not None, kind
    return definition._replace(
        strategy=ConvertedStrategy(definition.strategy, versions),
        subresources={name: ConvertedStrategy(each, versions) for name, each in definition.subresources.items()},
        default=_DEFAULTS[kind],
        note=partial(_note_places, definition.note),
    )


def _note_places(note: Callable[[Object], None] | None, body: Object) -> None:
    """What stands where it does in v1 is noted as there. Empty members are not: where they stand is not where the
    strategy looks for them."""
    if note is not None:
        note(body)
    written.note({})


def _default_claim(obj: Object) -> None:
    _default_requests(obj["spec"])
    allocation = (obj.get("status") or {}).get("allocation") or {}
    for result in (allocation.get("devices") or {}).get("results") or []:
        for toleration in result.get("tolerations") or []:
            default_toleration(toleration)


def _default_template(obj: Object) -> None:
    _default_requests(obj["spec"]["spec"])


def _default_requests(spec: Object) -> None:
    """A request without a class has alternatives, and says nothing itself."""
    for request in spec["devices"].get("requests") or []:
        if request.get("deviceClassName"):
            default_request(request)
        for toleration in request.get("tolerations") or []:
            default_toleration(toleration)
        for alternative in request.get("firstAvailable") or []:
            default_request(alternative)


def _default_slice(obj: Object) -> None:
    for device in obj["spec"].get("devices") or []:
        default_device(device.get("basic") or {})


_DEFAULTS: Final[Mapping[str, Callable[[Object], None]]] = {
    "ResourceClaim": _default_claim,
    "ResourceClaimTemplate": _default_template,
    "ResourceSlice": _default_slice,
}
