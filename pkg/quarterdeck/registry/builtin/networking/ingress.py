"""Ingresses as data: nobody routes anything.

Source: pkg/registry/networking/ingress/strategy.go, pkg/apis/networking/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.checks import Texts
from quarterdeck.registry.builtin.networking.ingressclass import local_reference
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_WRONG_PARTS: Final = ("//", "/./", "/../", "%2f", "%2F")
_WRONG_ENDS: Final = ("/..", "/.")
_CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"


class IngressStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"loadBalancer": {}}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        problems = _validate_spec(obj["spec"], None)
        noted = (obj["metadata"].get("annotations") or {}).get(_CLASS_ANNOTATION)
        named = obj["spec"].get("ingressClassName")
        if noted is not None and named is not None and noted != named:
            detail = "must match `ingressClassName` when both are specified"
            problems.append(field.invalid(f"annotations.{_CLASS_ANNOTATION}", noted, detail))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_spec(new["spec"], old["spec"])

    def warn(self, obj: Object) -> list[str]:
        annotations = obj["metadata"].get("annotations") or {}
        if _CLASS_ANNOTATION not in annotations or "ingressClassName" in obj["spec"]:
            return []
        shown = gofmt.quote(_CLASS_ANNOTATION)
        return [f"annotation {shown} is deprecated, please use 'spec.ingressClassName' instead"]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return []


class IngressStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        known = {each.get("ip") for each in _points(old)}
        problems: list[FieldError] = []
        for position, point in enumerate(_points(new)):
            problems += _point(field.index("status.loadBalancer.ingress", position), point, known)
        return problems

    def warn(self, obj: Object) -> list[str]:
        found: list[str] = []
        for position, point in enumerate(_points(obj)):
            found += addresses.warn_of_ip(point.get("ip", ""), field.index("status.loadBalancer.ingress", position))
        return found


def _points(obj: Object) -> list[Object]:
    """Where a balancer takes in what it spreads."""
    found: list[Object] = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    return found


def _point(path: str, point: Object, known: set[str | None]) -> list[FieldError]:
    ip, hostname = point.get("ip", ""), point.get("hostname", "")
    problems = addresses.validate_ip(ip, f"{path}.ip") if ip and ip not in known else []
    if hostname:
        problems += checks.name(f"{path}.hostname", hostname, names.dns1123_subdomain)
        if addresses.parse_ip(hostname) is not None:
            problems.append(field.invalid(f"{path}.hostname", hostname, "must be a DNS name, not an IP address"))
    return problems


def _validate_spec(spec: Object, old: Object | None) -> list[FieldError]:
    """What was wrong in the old one may stay so."""
    rules, default = spec.get("rules") or [], spec.get("defaultBackend")
    problems: list[FieldError] = []
    if not rules and default is None:
        detail = "either `defaultBackend` or `rules` must be specified"
        problems.append(field.invalid("spec", written.shown("spec.rules", rules), detail))
    if default is not None:
        problems += _backend("spec.defaultBackend", default)
    allows_wrong_rules = old is not None and _has_wrong_wildcard_rules(old)
    for position, rule in enumerate(rules):
        at, host = field.index("spec.rules", position), rule.get("host", "")
        problems += _host(f"{at}.host", host)
        if "*" not in host or not allows_wrong_rules:
            problems += _rule(at, rule)
    allows_wrong_secrets = old is not None and any(_secret(each) for each in old.get("tls") or [])
    for position, tls in enumerate(spec.get("tls") or []):
        at = field.index("spec.tls", position)
        for number, host in enumerate(tls.get("hosts") or []):
            problems += checks.name(field.index(f"{at}.hosts", number), host, _host_texts)
        if not allows_wrong_secrets:
            problems += checks.all_of(f"{at}.secretName", tls.get("secretName", ""), _secret(tls))
    if (name := spec.get("ingressClassName")) is not None:
        problems += checks.name("spec.ingressClassName", name, names.dns1123_subdomain)
    return problems


def _has_wrong_wildcard_rules(spec: Object) -> bool:
    """As upstream, by what services were called before they could be called like pods."""
    rules = spec.get("rules") or []
    return any("*" in rule.get("host", "") and _rule("", rule, names.dns1035_label) for rule in rules)


def _secret(tls: Object) -> list[str]:
    name = tls.get("secretName", "")
    return names.dns1123_subdomain(name) if name else []


def _host_texts(host: str) -> list[str]:
    return names.wildcard_subdomain(host) if "*" in host else names.dns1123_subdomain(host)


def _host(path: str, host: str) -> list[FieldError]:
    if not host:
        return []
    problems: list[FieldError] = []
    if addresses.parse_ip(host) is not None:
        problems.append(field.invalid(path, host, "must be a DNS name, not an IP address"))
    return problems + checks.name(path, host, _host_texts)


def _rule(path: str, rule: Object, service_name: Texts = names.dns1123_label) -> list[FieldError]:
    http = rule.get("http")
    if http is None:
        return []
    paths, at = http.get("paths") or [], f"{path}.http.paths"
    problems = [] if paths else [field.required(at)]
    for position, each in enumerate(paths):
        problems += _path(field.index(at, position), each, service_name)
    return problems


def _path(path: str, given: Object, service_name: Texts) -> list[FieldError]:
    kind, text, at = given.get("pathType"), given.get("path", ""), f"{path}.path"
    if kind is None:
        return [field.required(f"{path}.pathType", "pathType must be specified")]
    problems: list[FieldError] = []
    if kind not in _PATH_TYPES:
        problems += checks.one_of(f"{path}.pathType", kind, _PATH_TYPES)
    elif not text.startswith("/") and (text or kind != "ImplementationSpecific"):
        problems.append(field.invalid(at, text, "must be an absolute path"))
    if kind in ("Exact", "Prefix"):
        problems += [field.invalid(at, text, f"must not contain '{part}'") for part in _WRONG_PARTS if part in text]
        problems += [field.invalid(at, text, f"cannot end with '{end}'") for end in _WRONG_ENDS if text.endswith(end)]
    return problems + _backend(f"{path}.backend", given.get("backend") or {}, service_name)


def _backend(path: str, backend: Object, service_name: Texts = names.dns1123_label) -> list[FieldError]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        return [field.invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return local_reference(f"{path}.resource", resource)
    if service is None:
        return [field.invalid(path, "", "resource or service backend is required")]
    problems = checks.required_name(f"{path}.service.name", service.get("name", ""), service_name)
    port = service.get("port") or {}
    name, number = port.get("name", ""), port.get("number", 0)
    if name and number:
        problems.append(field.invalid(path, "", "cannot set both port name & port number"))
    elif name:
        problems += checks.name(f"{path}.service.port.name", name, names.port_name)
    elif number:
        problems += checks.port_number(f"{path}.service.port.number", number)
    else:
        problems.append(field.required(path, "port name or number is required"))
    return problems
