"""Ingresses as servers before 1.22 stored them: in networking.k8s.io/v1beta1 or extensions/v1beta1, which nobody serves
any more.

Source: pkg/apis/networking/v1beta1/{conversion,defaults}.go, pkg/apis/extensions/v1beta1/{conversion,defaults}.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.registry.strategy import Object

V1: Final = "networking.k8s.io/v1"

_PATH_TYPE: Final = "ImplementationSpecific"


def ingress_from_v1beta1(ingress: Object) -> Object:
    """Decoded JSON, which is not changed."""
    spec = dict(ingress.get("spec") or {})
    if (backend := spec.pop("backend", None)) is not None:
        spec["defaultBackend"] = _backend(backend)
    if rules := spec.get("rules"):
        spec["rules"] = [_rule(rule) for rule in rules]
    return {**ingress, "apiVersion": V1, "spec": spec}


def _rule(rule: Object) -> Object:
    http = rule.get("http") or {}
    if not http.get("paths"):
        return rule
    return {**rule, "http": {**http, "paths": [_path(path) for path in http["paths"]]}}


def _path(path: Object) -> Object:
    path_type = path.get("pathType")
    backend = _backend(path.get("backend") or {})
    return {**path, "backend": backend, "pathType": _PATH_TYPE if path_type is None else path_type}


def _backend(backend: Object) -> Object:
    name, port = backend.get("serviceName") or "", backend.get("servicePort")
    made: Object = {}
    if name or _is_named(port):
        made["service"] = {"name": name, "port": {"name": port} if isinstance(port, str) else {"number": port or 0}}
    if (resource := backend.get("resource")) is not None:
        made["resource"] = resource
    return made


def _is_named(port: Any) -> bool:
    """Any text says that there is a service, and of numbers those that are not 0."""
    return isinstance(port, str) or bool(port)
