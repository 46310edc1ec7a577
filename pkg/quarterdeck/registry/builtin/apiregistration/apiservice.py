"""APIServices: where each version of a group is served. A local one names no service and is always available.

Source: kube-aggregator/pkg/registry/apiservice/{strategy.go,etcd/etcd.go}, pkg/apis/apiregistration/validation,
pkg/apis/apiregistration/v1/defaults.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import clock, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

GROUP: Final = "apiregistration.k8s.io"
SERVICE_PORT: Final = 443
GROUP_PRIORITY_MAX: Final = 20000
VERSION_PRIORITY_MAX: Final = 1000


def default_api_service(obj: Object) -> None:
    service = (obj.get("spec") or {}).get("service")
    if service is not None and service.get("port") is None:
        service["port"] = SERVICE_PORT


def build_local_condition() -> dict[str, str]:
    return {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": clock.now(),
        "reason": "Local",
        "message": "Local APIServices are always available",
    }


class APIServiceStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    checks_finalizer_domains = False

    def default_new(self, obj: Object) -> None:
        is_local = (obj.get("spec") or {}).get("service") is None
        obj["status"] = {"conditions": [build_local_condition()]} if is_local else {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return validate_api_service(obj)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_api_service(new)


class APIServiceStatusStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    checks_finalizer_domains = False

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        keep_metadata(new, old, ("labels", "annotations", "finalizers", "ownerReferences"))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        conditions = (new.get("status") or {}).get("conditions") or []
        return [
            field.not_supported(
                f"{field.index('status.conditions', position)}.status", given, ["True", "False", "Unknown"]
            )
            for position, condition in enumerate(conditions)
            if (given := condition.get("status", "")) not in ("True", "False", "Unknown")
        ]


def validate_api_service(obj: Object) -> list[FieldError]:
    spec = obj.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    wanted = f"{version}.{group}"

    def check_name(name: str, _is_prefix: bool = False) -> list[str]:
        if problems := names.path_segment_name(name):
            return problems
        return [] if name == wanted else [f'must be `spec.version+"."+spec.group`: {gofmt.quote(wanted)}']

    problems = objectmeta.validate_object_meta(obj["metadata"], False, "metadata", check_name)
    if not group and version != "v1":
        text = "only v1 may have an empty group and it better be legacy kube"
        problems.append(field.required("spec.group", text))
    if group:
        problems += [field.invalid("spec.group", group, text) for text in names.dns1123_subdomain(group)]
    problems += [field.invalid("spec.version", version, text) for text in names.dns1035_label(version)]
    for member, most in (("groupPriorityMinimum", GROUP_PRIORITY_MAX), ("versionPriority", VERSION_PRIORITY_MAX)):
        if not 0 < (given := spec.get(member) or 0) <= most:
            problems.append(field.invalid(f"spec.{member}", given, f"must be positive and less than {most}"))
    return problems + _validate_service(spec)


def _validate_service(spec: dict[str, Any]) -> list[FieldError]:
    service, bundle = spec.get("service"), spec.get("caBundle") or ""
    is_insecure = bool(spec.get("insecureSkipTLSVerify"))
    problems = []
    if service is None:
        if bundle:
            shown = f"{len(bundle) * 3 // 4 - bundle.count('=')} bytes"
            problems.append(field.invalid("spec.caBundle", shown, "local APIServices may not have a caBundle"))
        if is_insecure:
            text = "local APIServices may not have insecureSkipTLSVerify"
            problems.append(field.invalid("spec.insecureSkipTLSVerify", True, text))
        return problems
    problems += [
        field.required(f"spec.service.{member}", "") for member in ("namespace", "name") if not service.get(member)
    ]
    port = service.get("port", SERVICE_PORT)
    if wrong := names.port_number(port):
        problems.append(field.invalid("spec.service.port", port, f"port is not valid: {','.join(wrong)}"))
    if is_insecure and bundle:
        text = "may not be true if caBundle is present"
        problems.append(field.invalid("spec.insecureSkipTLSVerify", True, text))
    return problems
