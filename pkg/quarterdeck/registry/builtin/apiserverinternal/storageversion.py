"""How the servers of a cluster store a resource.

Source: pkg/registry/apiserverinternal/storageversion/strategy.go, pkg/apis/apiserverinternal/validation/validation.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_STRANGE_MAX: Final = 100
_VERSION_PATTERN: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_VERSION_TEXT: Final = (
    "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character"
)
_NO_COMMON: Final = (
    "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the "
    "supported versions yet"
)


class StorageVersionStrategy(BuiltinStrategy):
    allow_unconditional_update = False

    def __init__(self) -> None:
        super().__init__(namespaced=False, name_check=_validate_name)

    def default_new(self, obj: Object) -> None:
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_status(obj.get("status") or {})

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        return objectmeta.validate_common_fields(new["metadata"], old["metadata"], False) + self.check_update(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return []


class StorageVersionStatusStrategy(StorageVersionStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        keep_metadata(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new)


def _validate_name(value: str, is_prefix: bool = False) -> list[str]:
    group, dot, resource = value.rpartition(".")
    if not dot:
        return ["name must be in the form of <group>.<resource>"]
    problems = [f"the group segment {text}" for text in names.dns1123_subdomain(group)]
    return problems + [f"the resource segment {text}" for text in names.dns1035_label(resource)]


def _validate_status(status: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    told: list[Object] = status.get("storageVersions") or []
    for position, each in enumerate(told):
        path, server = f"status.storageVersions[{position}]", each.get("apiServerID") or ""
        if server in seen:
            problems.append(field.duplicate(f"{path}.apiServerID", server))
        seen.add(server)
        problems += _validate_server(path, each)
    problems += _validate_common(status.get("commonEncodingVersion"), told)
    return problems + _validate_conditions(status.get("conditions") or [])


def _validate_server(path: str, told: Object) -> list[FieldError]:
    server, encoding = told.get("apiServerID") or "", told.get("encodingVersion") or ""
    decodable: list[str] = told.get("decodableVersions") or []
    problems = checks.all_of(f"{path}.apiServerID", server, names.dns1123_subdomain(server))
    problems += _validate_version(f"{path}.encodingVersion", encoding)
    for position, version in enumerate(decodable):
        problems += _validate_version(f"{path}.decodableVersions[{position}]", version)
    if encoding not in decodable:
        detail = f"decodableVersions must include encodingVersion {encoding}"
        problems.append(field.invalid(f"{path}.decodableVersions", decodable or None, detail))
    return problems + _validate_served(path, told.get("servedVersions") or [], decodable)


def _validate_served(path: str, served: list[str], decodable: list[str]) -> list[FieldError]:
    known, shown = set(decodable), f"[{' '.join(decodable)}]"
    problems, left = [], _STRANGE_MAX
    for position, version in enumerate(served):
        at = f"{path}.servedVersions[{position}]"
        problems += _validate_version(at, version)
        if version not in known and left:
            # Differs from upstream: not all are told, each with all that the server can read.
            left -= 1
            detail = f"individual served version : {version} must be included in decodableVersions : {shown}"
            problems.append(field.invalid(at, version, detail))
    return problems


def _validate_common(common: str | None, told: list[Object]) -> list[FieldError]:
    versions = {each.get("encodingVersion") or "" for each in told}
    actual = next(iter(versions)) if len(versions) == 1 else None
    if actual == common:
        return []
    path = "status.commonEncodingVersion"
    if actual is None:
        return [field.invalid(path, common, _NO_COMMON)]
    detail = "the common encoding version is" if common is None else "the actual common encoding version is"
    return [field.invalid(path, common, f"{detail} {actual}")]


def _validate_conditions(conditions: list[Object]) -> list[FieldError]:
    """Upstream tells them by the place of the status."""
    problems: list[FieldError] = []
    seen: dict[Any, int] = {}
    for position, condition in enumerate(conditions):
        path, kind = f"status[{position}]", condition.get("type") or ""
        if kind in seen:
            detail = f"the type of the condition is not unique, it also appears in conditions[{seen[kind]}]"
            problems.append(field.invalid(f"{path}.type", kind, detail))
        seen[kind] = position
        for name, value in (("type", kind), ("status", condition.get("status") or "")):
            problems += checks.name(f"{path}.{name}", value, names.qualified_name)
        problems += [field.required(f"{path}.{name}") for name in ("reason", "message") if not condition.get(name)]
    return problems


def _validate_version(path: str, value: str) -> list[FieldError]:
    """All that is wrong with it is told at once."""
    texts = list(_version_texts(value))
    return [field.invalid(path, value, ",".join(texts))] if texts else []


def _version_texts(value: str) -> list[str]:
    *groups, version = value.split("/")
    if len(groups) > 1:
        text = names.regex_text(_VERSION_TEXT, _VERSION_PATTERN, "my-name", "abc-123")
        return [f"an apiVersion is {text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"]
    problems: list[str] = []
    for group in groups:
        texts = names.dns1123_subdomain(group) if group else ["must be non-empty"]
        problems += [f"group part: {text}" for text in texts]
    texts = names.dns1035_label(version) if version else ["must be non-empty"]
    return problems + [f"version part: {text}" for text in texts]
