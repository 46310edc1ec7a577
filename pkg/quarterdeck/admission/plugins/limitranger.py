"""LimitRanger: what the limit ranges of a namespace say of new pods, of pods that are resized, and of claims.

Source: plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors, podamounts, quantity
from quarterdeck.apimachinery.quantity import Quantity

_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_PODS: Final = ("", "pods")
_MEMBERS: Final = (("containers", "container"), ("initContainers", "init container"))
_MILLI_MAX: Final = (2**63 - 1) // 1000
_NONE: Final = quantity.parse("0")

Object = dict[str, Any]
Amounts = Mapping[str, Quantity]


class LimitRanger:
    """Of pods and claims alone."""

    def __init__(self, limits: ByNamespace) -> None:
        self._limits = limits

    def has_ranges(self, namespace: str) -> bool:
        return bool(self._limits.of(namespace))

    def admit(self, attributes: Attributes) -> None:
        if not (ranges := self._limits.of(attributes.namespace)):
            return
        if (obj := attributes.obj) is not None and _is_pod(attributes) and _is_looked_at(attributes):
            for found in ranges:
                _default_pod(obj, found["spec"].get("limits") or [])

    def validate(self, attributes: Attributes) -> None:
        if not (ranges := self._limits.of(attributes.namespace)):
            return
        obj = attributes.obj
        if obj is None or not _is_looked_at(attributes):
            return
        check = _check_pod if _is_pod(attributes) else _check_claim
        for found in ranges:
            if wrong := check(obj["spec"], found["spec"].get("limits") or []):
                raise forbidden(attributes, errors.aggregate(wrong))


def _is_pod(attributes: Attributes) -> bool:
    return (attributes.resource.group, attributes.resource.name) == _PODS


def _is_looked_at(attributes: Attributes) -> bool:
    """Other updates of a pod cannot change what its containers ask for."""
    if attributes.old is not None and attributes.old["metadata"].get("deletionTimestamp"):
        return False
    operation, subresource = attributes.operation, attributes.subresource
    if _is_pod(attributes):
        return (operation, subresource) in ((CREATE, ""), (UPDATE, "resize"))
    return operation in (CREATE, UPDATE) and not subresource


def _default_pod(obj: Object, limits: list[Object]) -> None:
    """Containers ask for the defaults of what they do not ask for themselves; an annotation tells which."""
    request: dict[str, str] = {}
    limit: dict[str, str] = {}
    for item in limits:
        if item.get("type") == "Container":
            request |= item.get("defaultRequest") or {}
            limit |= item.get("default") or {}
    if not request and not limit:
        return
    spec = dict(obj["spec"])
    told: list[str] = []
    for member, word in _MEMBERS:
        if spec.get(member):
            spec[member] = [_default_container(each, word, request, limit, told) for each in spec[member]]
    if told:
        obj["spec"] = spec
        metadata = obj["metadata"]
        text = f"LimitRanger plugin set: {'; '.join(told)}"
        metadata["annotations"] = {**(metadata.get("annotations") or {}), _ANNOTATION: text}


def _default_container(
    container: Object, word: str, request: dict[str, str], limit: dict[str, str], told: list[str]
) -> Object:
    """A container with its defaults, of which `told` is told; `word`: what it calls the container."""
    resources = {**(container.get("resources") or {})}
    for kind, defaults, noun in (("requests", request, "request"), ("limits", limit, "limit")):
        given = resources.get(kind) or {}
        if missing := sorted(defaults.keys() - given.keys()):
            resources[kind] = {**defaults, **given}
            told.append(f"{', '.join(missing)} {noun} for {word} {container.get('name', '')}")
    return {**container, "resources": resources}


def _check_pod(spec: Object, limits: list[Object]) -> list[str]:
    wrong: list[str] = []
    for item in limits:
        kind = item.get("type", "")
        if kind == "Container":
            for member, _ in _MEMBERS:
                for container in spec.get(member) or []:
                    resources = container.get("resources") or {}
                    wrong += _check(
                        item, kind, *(podamounts.parse(resources.get(each)) for each in ("requests", "limits"))
                    )
        elif kind == "Pod":
            wrong += _check(item, kind, podamounts.of_pod(spec, "requests"), podamounts.of_pod(spec, "limits"))
    return wrong


def _check_claim(spec: Object, limits: list[Object]) -> list[str]:
    """Of a claim nothing counts but what it asks for."""
    asked = podamounts.parse((spec.get("resources") or {}).get("requests"))
    wrong: list[str] = []
    for item in limits:
        kind = item.get("type", "")
        if kind != "PersistentVolumeClaim":
            continue
        for name, least in podamounts.parse(item.get("min")).items():
            wrong += _least(name, kind, least, asked, {})
        for name, most in podamounts.parse(item.get("max")).items():
            wrong += _most_of_claim(name, kind, most, asked)
    return wrong


def _check(item: Object, kind: str, asked: Amounts, limits: Amounts) -> list[str]:
    wrong: list[str] = []
    for name, least in podamounts.parse(item.get("min")).items():
        wrong += _least(name, kind, least, asked, limits)
    for name, most in podamounts.parse(item.get("max")).items():
        wrong += _most(name, kind, most, asked, limits)
    for name, ratio in podamounts.parse(item.get("maxLimitRequestRatio")).items():
        wrong += _ratio(name, kind, ratio, asked, limits)
    return wrong


def _least(name: str, kind: str, least: Quantity, asked: Amounts, limits: Amounts) -> list[str]:
    begin, request, limit = f"minimum {name} usage per {kind} is {least}", asked.get(name), limits.get(name)
    if request is None:
        return [f"{begin}.  No request is specified"]
    requested, limited, enforced = _comparable(request, limit, least)
    if requested < enforced:
        return [f"{begin}, but request is {request}"]
    return [f"{begin}, but limit is {limit}"] if limit is not None and limited < enforced else []


def _most(name: str, kind: str, most: Quantity, asked: Amounts, limits: Amounts) -> list[str]:
    begin, request, limit = f"maximum {name} usage per {kind} is {most}", asked.get(name), limits.get(name)
    if limit is None:
        return [f"{begin}.  No limit is specified"]
    requested, limited, enforced = _comparable(request, limit, most)
    if limited > enforced:
        return [f"{begin}, but limit is {limit}"]
    return [f"{begin}, but request is {request}"] if request is not None and requested > enforced else []


def _most_of_claim(name: str, kind: str, most: Quantity, asked: Amounts) -> list[str]:
    begin, request = f"maximum {name} usage per {kind} is {most}", asked.get(name)
    if request is None:
        return [f"{begin}.  No request is specified"]
    requested, _, enforced = _comparable(request, None, most)
    return [f"{begin}, but request is {request}"] if requested > enforced else []


def _ratio(name: str, kind: str, most: Quantity, asked: Amounts, limits: Amounts) -> list[str]:
    begin, request, limit = f"{name} max limit to request ratio per {kind} is {most}", asked.get(name), limits.get(name)
    requested, limited, _ = _comparable(request, limit, most)
    if request is None or not requested:
        return [f"{begin}, but no request is specified or request is 0"]
    if limit is None or not limited:
        return [f"{begin}, but no limit is specified or limit is 0"]
    ratio = float(limited) / float(requested)
    is_exceeded = ratio > most.whole() if most.whole() > _MILLI_MAX else ratio * 1000 > most.milli()
    return [f"{begin}, but provided ratio is {ratio:f}"] if is_exceeded else []


def _comparable(request: Quantity | None, limit: Quantity | None, enforced: Quantity) -> tuple[int, int, int]:
    """In thousandths where 64 bits hold those of all three, else in whole numbers, rounded up. As upstream, an amount
    that is more than 64 bits hold is no large number any more (upstream: requestLimitEnforcedValues)."""
    one, two = (each if each is not None else _NONE for each in (request, limit))
    whole = one.whole(), two.whole(), enforced.whole()
    return whole if max(whole) > _MILLI_MAX else (one.milli(), two.milli(), enforced.milli())
