"""The environment of a container: variables, and what they are taken from.

Source: pkg/apis/core/validation/validation.go (ValidateEnv, ValidateEnvFrom, validateFileKeyRefVolumes),
pkg/apis/core/pods/helpers.go, pkg/fieldpath.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck._kernels.variables import odd
from quarterdeck.apimachinery import field, gotext, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import windows

_ENV_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
# Every label of a field that there is, whether it fits the place or not.
_KNOWN_FIELDS: Final = frozenset(
    (*_ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "spec.host", "status.phase")
)
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_CPU_DIVISORS: Final = ("1m", "1")
_SIZE_DIVISORS: Final = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")

_subscripted = re.compile(r"((?:(?!\[').)+)\['(.*)'\]\Z", re.DOTALL).match


def validate_env(path: str, variables: list[Object], positions: list[int]) -> list[FieldError]:
    """Of the variables at these positions: the others are just a name and a text, as nearly all are."""
    problems: list[FieldError] = []
    for position in positions:
        longsteps.pause()
        variable = variables[position]
        name, source = variable.get("name", ""), variable.get("valueFrom")
        at = field.index(path, position)
        problems += checks.required_name(f"{at}.name", name, names.env_var_name)
        if source is not None:
            problems += _value_from(f"{at}.valueFrom", source, variable.get("value", ""))
    return problems


def _value_from(path: str, source: Object, value: str) -> list[FieldError]:
    problems: list[FieldError] = []
    present = [name for name in _SOURCES if source.get(name) is not None]
    for name in present:
        at, reference = f"{path}.{name}", source[name]
        if name == "fieldRef":
            problems += validate_field_reference(at, reference, _ENV_FIELDS)
        elif name == "resourceFieldRef":
            problems += validate_resource_reference(at, reference, in_volume=False)
        elif name == "fileKeyRef":
            problems += _file_key(at, reference)
        else:
            problems += _key(at, reference)
    if not present:
        detail = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        )
        problems.append(field.invalid(path, "", detail))
    elif value:
        problems.append(field.invalid(path, "", "may not be specified when `value` is not empty"))
    elif len(present) > 1:
        problems.append(field.invalid(path, "", "may not have more than one field specified at a time"))
    return problems


def _key(path: str, reference: Object) -> list[FieldError]:
    """A key of a ConfigMap or Secret."""
    problems = checks.name(f"{path}.name", reference.get("name", ""), names.dns1123_subdomain)
    return problems + checks.required_name(f"{path}.key", reference.get("key", ""), names.config_map_key)


def _file_key(path: str, reference: Object) -> list[FieldError]:
    problems = checks.required_name(f"{path}.key", reference.get("key", ""), names.env_var_name)
    problems += checks.required_name(f"{path}.volumeName", reference.get("volumeName", ""), names.dns1123_label)
    file = reference.get("path", "")
    return problems + ([] if file else [field.required(f"{path}.path")]) + checks.no_steps_back(f"{path}.path", file)


def validate_file_volumes(path: str, spec: Object) -> list[FieldError]:
    """Files of variables are in volumes that the pod has for itself."""
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or []}
    problems: list[FieldError] = []
    for at, container in windows.containers_with_paths(path, spec):
        found = container.get("env") or []
        for position in odd(found):
            longsteps.pause()
            if not (source := found[position].get("valueFrom")) or (reference := source.get("fileKeyRef")) is None:
                continue
            name = reference.get("volumeName", "")
            place = f"{field.index(f'{at}.env', position)}.valueFrom.fileKeyRef.volumeName"
            if name not in volumes:
                problems.append(field.not_found(place, name))
            elif volumes[name].get("emptyDir") is None:
                problems.append(field.invalid(place, name, "referenced volume must be of type emptyDir"))
    return problems


def validate_field_reference(path: str, reference: Object, allowed: Collection[str]) -> list[FieldError]:
    if not reference.get("apiVersion"):
        return [field.required(f"{path}.apiVersion")]
    label = reference.get("fieldPath", "")
    if not label:
        return [field.required(f"{path}.fieldPath")]
    match = _subscripted(label)
    base = match[1] if match else label
    detail = ""
    if reference["apiVersion"] != "v1":
        detail = f"unsupported pod version: {reference['apiVersion']}"
    elif match and base not in ("metadata.annotations", "metadata.labels"):
        detail = f"field label does not support subscript: {label}"
    elif base not in _KNOWN_FIELDS:
        detail = f"field label not supported: {label}"
    if detail:
        return [field.invalid(f"{path}.fieldPath", label, f"error converting fieldPath: {detail}")]
    if match:
        key = gotext.lower(match[2]) if base == "metadata.annotations" else match[2]
        return checks.name(path, key, names.qualified_name)
    base = "spec.nodeName" if base == "spec.host" else base
    return checks.one_of(f"{path}.fieldPath", base, sorted(allowed))


def validate_resource_reference(path: str, reference: Object, *, in_volume: bool) -> list[FieldError]:
    resource = reference.get("resource", "")
    problems: list[FieldError] = []
    if in_volume and not reference.get("containerName"):
        problems.append(field.required(f"{path}.containerName"))
    elif not resource:
        problems.append(field.required(f"{path}.resource"))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        problems.append(field.not_supported(f"{path}.resource", resource, list(_RESOURCES)))
    return problems + _divisor(path, resource, reference.get("divisor", "0"))


def _divisor(path: str, resource: str, divisor: str) -> list[FieldError]:
    amount = quantity.parse(divisor)
    if not amount.unscaled:
        return []
    kind = resource.partition(".")[2]
    allowed: tuple[str, ...]
    if resource in ("limits.cpu", "requests.cpu"):
        allowed, shown = _CPU_DIVISORS, "1m and 1"
    elif resource in _RESOURCES or resource.startswith(_HUGE_PAGES):
        allowed, shown = _SIZE_DIVISORS, ", ".join(_SIZE_DIVISORS)
    else:
        return []
    if str(amount) in allowed:
        return []
    name = "local ephemeral storage" if kind == "ephemeral-storage" else kind.partition("-")[0]
    detail = f"only divisor's values {shown} are supported with the {name} resource"
    return [field.invalid(f"{path}.divisor", resource, detail)]


def validate_env_from(path: str, sources: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, source in enumerate(sources):
        at = field.index(path, position)
        if prefix := source.get("prefix"):
            problems += checks.name(f"{at}.prefix", prefix, names.env_var_name)
        present = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for name in present:
            value = source[name].get("name", "")
            problems += checks.required_name(f"{at}.{name}.name", value, _prefix_of_subdomain)
        if not present:
            problems.append(field.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(present) > 1:
            problems.append(field.invalid(path, "", "may not have more than one field specified at a time"))
    return problems


def _prefix_of_subdomain(value: str) -> list[str]:
    return names.name_is_dns1123_subdomain(value, True)
