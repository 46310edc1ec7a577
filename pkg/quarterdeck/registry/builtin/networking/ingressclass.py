"""Ingress classes: who looks after an ingress.

Source: pkg/registry/networking/ingressclass/strategy.go, pkg/apis/networking/{v1/defaults,validation/validation}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import domainpath, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_CONTROLLER_BYTES_MAX: Final = 250
_SCOPES: Final = ("Cluster", "Namespace")


def default_class(obj: Object) -> None:
    parameters = obj["spec"].get("parameters")
    if parameters is not None and parameters.get("scope") is None:
        parameters["scope"] = "Cluster"


class IngressClassStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def keep(self, new: Object, old: Object) -> None:
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        controller = obj["spec"].get("controller", "")
        problems: list[FieldError] = []
        if len(controller.encode()) > _CONTROLLER_BYTES_MAX:
            problems.append(field.too_long("spec.controller", _CONTROLLER_BYTES_MAX))
        problems += domainpath.validate("spec.controller", controller)
        return problems + _parameters("spec.parameters", obj["spec"].get("parameters"))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        controller = new["spec"].get("controller", "")
        problems: list[FieldError] = []
        if controller != old["spec"].get("controller", ""):
            problems.append(field.invalid("spec.controller", controller, checks.IMMUTABLE))
        return problems + self.check(new)


def local_reference(path: str, reference: Object) -> list[FieldError]:
    """An object of some kind in the same namespace."""
    problems: list[FieldError] = []
    if (group := reference.get("apiGroup")) is not None:
        problems += checks.name(f"{path}.apiGroup", group, names.dns1123_subdomain)
    for name in ("kind", "name"):
        problems += checks.required_name(f"{path}.{name}", reference.get(name, ""), names.path_segment_name)
    return problems


def _parameters(path: str, parameters: Object | None) -> list[FieldError]:
    if parameters is None:
        return []
    scope, namespace, at = parameters.get("scope"), parameters.get("namespace"), f"{path}.namespace"
    problems = local_reference(path, parameters)
    if scope is None:
        return [*problems, field.required(f"{path}.scope")]
    if scope not in _SCOPES:  # Go has no name for its type
        problems.append(field.not_supported(f"{path}.scope", scope, list(_SCOPES)))
    if scope == "Namespace":
        if namespace is None:
            problems.append(field.required(at, "`parameters.scope` is set to 'Namespace'"))
        else:
            problems += checks.name(at, namespace, names.dns1123_label)
    if scope == "Cluster" and namespace is not None:
        problems.append(field.forbidden(at, "`parameters.scope` is set to 'Cluster'"))
    return problems
