"""What the server warns of in pods and templates that it accepts.

Source: pkg/api/pod/warnings.go, pkg/api/node/util.go.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from quarterdeck._kernels import variables
from quarterdeck.apimachinery import addresses, field, gofmt, names, sentamounts
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podspec import containers_of
from quarterdeck.registry.builtin.core.podvalidation import claims, pathwarnings, podannotations, windows

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
NODE_LABELS: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_VOLUMES: Final = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SIZES: Final = ("memory", "ephemeral-storage")
_NAME: Final = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: "
)
# Far more than the header of a response has room for.
_WARNINGS_MAX: Final = 5000
_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"


def of_name(obj: Object) -> list[str]:
    """Of what pods are called after."""
    texts = names.dns1123_label(obj["metadata"]["name"])
    return [f"{_NAME}[{' '.join(texts)}]"] if texts else []


def of_pod(pod: Object) -> list[str]:
    found = _warnings("", pod["spec"], pod["metadata"], is_template=False)
    return list(itertools.islice(found, _WARNINGS_MAX))


def of_template(template: Object, path: str) -> list[str]:
    found = _warnings(f"{path}.", template["spec"], template.get("metadata") or {}, is_template=True)
    return list(itertools.islice(found, _WARNINGS_MAX))


def _warnings(prefix: str, spec: Object, metadata: Object, *, is_template: bool) -> Iterator[str]:
    path = f"{prefix}spec"
    if "nodeSelector" in spec or "affinity" in spec or "topologySpreadConstraints" in spec:
        yield from _of_nodes(path, spec)
    if found := metadata.get("annotations"):
        for key, text in _ANNOTATIONS.items():
            if key in found:
                yield f"{field.key(f'{prefix}metadata.annotations', key)}: {text}"
    if volumes := spec.get("volumes"):
        yield from _of_volumes(path, volumes)
        yield from pathwarnings.of_volumes(volumes)
    if "hostAliases" in spec or "imagePullSecrets" in spec:
        yield from _of_names(path, spec)
    if spec.get("overhead"):
        yield from _of_sizes(path, spec, "overhead")
    if found:
        yield from _of_security(prefix, spec, found, is_template=is_template)
    if any(_is_looked_at(container) for container in containers_of(spec)):
        for at, container in windows.containers_with_paths(path, spec):
            yield from _of_sizes(f"{at}.resources", container.get("resources") or {}, "limits", "requests")
            yield from _of_env(f"{at}.env", container.get("env") or [])
        yield from _of_ports(path, spec)
        yield from _of_port_names(path, spec)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield (
            f"{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        )
    if affinity := spec.get("affinity"):
        yield from _of_affinity(f"{path}.affinity", affinity)
    yield from _of_addresses(path, spec)


def _is_looked_at(container: Object) -> bool:
    """Whether a container has what may be warned of."""
    if container.get("resources") or "ports" in container:
        return True
    env = container.get("env")
    return variables.has_repeated(env) if env else False


def _of_nodes(path: str, spec: Object) -> Iterator[str]:
    """Labels of nodes under their old names."""
    for key in sorted(spec.get("nodeSelector") or {}):
        if text := NODE_LABELS.get(key):
            yield f"{field.key(f'{path}.nodeSelector', key)}: {text}"
    of_nodes = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    at = f"{path}.affinity.nodeAffinity"
    for position, term in enumerate((of_nodes.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []):
        yield from of_node_term(field.index(f"{at}.{_REQUIRED}.nodeSelectorTerms", position), term)
    for position, term in enumerate(of_nodes.get(_PREFERRED) or []):
        place = f"{field.index(f'{at}.{_PREFERRED}', position)}.preference"
        yield from of_node_term(place, term.get("preference") or {}, checks_values=True)
    for position, constraint in enumerate(spec.get("topologySpreadConstraints") or []):
        place, key = field.index(f"{path}.topologySpreadConstraints", position), constraint.get("topologyKey", "")
        if text := NODE_LABELS.get(key):
            yield f"{place}.topologyKey: {key} is {text}"
        if constraint.get("labelSelector") is None:
            yield f"{place}.labelSelector: {_NO_SELECTOR}"


def of_node_term(path: str, term: Object, *, checks_values: bool = False) -> Iterator[str]:
    """`checks_values`: where a value that no label can have is let pass."""
    for position, expression in enumerate(term.get("matchExpressions") or []):
        at, key = field.index(f"{path}.matchExpressions", position), expression.get("key", "")
        if text := NODE_LABELS.get(key):
            yield f"{at}.key: {key} is {text}"
        for number, value in enumerate(expression.get("values") or [] if checks_values else ()):
            place = field.index(f"{at}.values", number)
            yield from (f"{place}: {value} is invalid, {text}" for text in names.label_value(value))


def _of_volumes(path: str, volumes: list[Object]) -> Iterator[str]:
    for position, volume in enumerate(volumes):
        for name, text in _VOLUMES.items():
            if volume.get(name) is not None:
                shown = "storageOS" if name == "storageos" else name
                yield f"{field.index(f'{path}.volumes', position)}.{shown}: {text}"
        if (template := (volume.get("ephemeral") or {}).get("volumeClaimTemplate")) is not None:
            at = f"{field.index(f'{path}.volumes', position)}.ephemeral.volumeClaimTemplate.spec"
            yield from claims.warnings_of_claim(at, template.get("spec") or {})


def _of_names(path: str, spec: Object) -> Iterator[str]:
    for member, key, word in (("hostAliases", "ip", "ip"), ("imagePullSecrets", "name", "name")):
        seen: set[str] = set()
        for position, item in enumerate(spec.get(member) or []):
            value = item.get(key, "")
            if value in seen:
                yield f"{field.index(f'{path}.{member}', position)}.{key}: duplicate {word} {gofmt.quote(value)}"
            seen.add(value)
    for position, item in enumerate(spec.get("imagePullSecrets") or []):
        if not item.get("name"):
            yield f'{field.index(f"{path}.imagePullSecrets", position)}.name: invalid empty name ""'


def _of_sizes(path: str, holder: Object, *members: str) -> Iterator[str]:
    """Bytes come whole."""
    for name, member in product(_SIZES, members):
        given = (holder.get(member) or {}).get(name)
        if given is not None and (amount := sentamounts.parse(given)).milli() % 1000:
            at = field.key(f"{path}.{member}", name)
            yield f"{at}: fractional byte value {gofmt.quote(str(amount))} is invalid, must be an integer"


def _of_security(prefix: str, spec: Object, found: dict[str, str], *, is_template: bool) -> Iterator[str]:
    """Annotations which fields have replaced."""
    at = f"{prefix}metadata.annotations"
    of_pod = spec.get("securityContext") or {}
    text = 'non-functional in v1.27+; use the "seccompProfile" field instead'
    if podannotations.SECCOMP_POD in found and of_pod.get("seccompProfile") is None:
        yield f"{field.key(at, podannotations.SECCOMP_POD)}: {text}"
    for _, container in windows.containers_with_paths("", spec):
        context, name = container.get("securityContext") or {}, container.get("name", "")
        key = f"{podannotations.SECCOMP_CONTAINER}{name}"
        if key in found and context.get("seccompProfile") is None:
            yield f"{field.key(at, key)}: {text}"
        key = f"{podannotations.APP_ARMOR}{name}"
        has_profile = context.get("appArmorProfile") is not None
        if is_template and key in found and not has_profile and not _is_told(found[key], of_pod):
            yield f'{field.key(at, key)}: deprecated since v1.30; use the "appArmorProfile" field instead'


def _is_told(annotation: str, context: Object) -> bool:
    """Whether the AppArmor profile of the pod is the one of an annotation."""
    profile = context.get("appArmorProfile")
    return profile is not None and profile == podannotations.app_armor_profile(annotation)


def _of_env(path: str, found: list[Object]) -> Iterator[str]:
    seen: set[str] = set()
    for position, variable in enumerate(found):
        name = variable.get("name", "")
        if name in seen and _is_hiding(variable, f"$({name})"):
            shown = gofmt.quote(name)
            yield (
                f"{field.index(path, position)}: hides previous definition of {shown}, which may be dropped when using "
                "apply"
            )
        seen.add(name)


def _is_hiding(variable: Object, reference: str) -> bool:
    """Whether a variable of a name that was there before does not just add to the former value."""
    value = variable.get("value", "")
    return variable.get("valueFrom") is not None or value == reference or reference not in value


def _of_ports(path: str, spec: Object) -> Iterator[str]:
    by_number: dict[tuple[int, str], list[tuple[str, str, int]]] = {}
    for at, container in windows.containers_with_paths(path, spec):
        for position, port in enumerate(container.get("ports") or []):
            place = field.index(f"{at}.ports", position)
            address, host_port = port.get("hostIP", ""), port.get("hostPort", 0)
            if address and not host_port:
                yield f"{place}: hostIP set without hostPort: {_shown_port(port)}"
            others = by_number.setdefault((port.get("containerPort", 0), port.get("protocol", "")), [])
            for other, other_address, other_port in others[:_PORTS_COMPARED_MAX]:
                if word := _relation((address, host_port), (other_address, other_port)):
                    yield f"{place}: {word} port definition with {other}"
            others.append((place, address, host_port))


def _of_port_names(path: str, spec: Object) -> Iterator[str]:
    first: dict[str, str] = {}
    for at, container in windows.containers_with_paths(path, spec):
        for position, port in enumerate(container.get("ports") or []):
            if name := port.get("name"):
                place = field.index(f"{at}.ports", position)
                if (other := first.setdefault(name, place)) != place:
                    yield (
                        f"{place}: duplicate port name {gofmt.quote(name)} with {other}, services and probes that "
                        f"select ports by name will use {other}"
                    )


# Differs from upstream: there every port is compared with all others of its number.
_PORTS_COMPARED_MAX: Final = 100


def _relation(one: tuple[str, int], other: tuple[str, int]) -> str:
    if one == other:
        return "duplicate"
    if not one[1] or not other[1]:
        return "overlapping"
    return "dangerously ambiguous" if one[1] == other[1] and bool(one[0]) != bool(other[0]) else ""


def _shown_port(port: Object) -> str:
    """Go's %+v."""
    names: dict[str, Any] = {"Name": "name", "HostPort": "hostPort", "ContainerPort": "containerPort"}
    shown = [f"{go}:{port.get(name, '' if go == 'Name' else 0)}" for go, name in names.items()]
    return "{" + " ".join([*shown, f"Protocol:{port.get('protocol', '')}", f"HostIP:{port.get('hostIP', '')}"]) + "}"


def _of_affinity(path: str, affinity: Object) -> Iterator[str]:
    for name in ("podAffinity", "podAntiAffinity"):
        of_pods = affinity.get(name) or {}
        for position, term in enumerate(of_pods.get(_REQUIRED) or []):
            if term.get("labelSelector") is None:
                yield f"{field.index(f'{path}.{name}.{_REQUIRED}', position)}.labelSelector: {_NO_SELECTOR}"
        for position, term in enumerate(of_pods.get(_PREFERRED) or []):
            if (term.get("podAffinityTerm") or {}).get("labelSelector") is None:
                at = field.index(f"{path}.{name}.{_PREFERRED}", position)
                yield f"{at}.podAffinityTerm.labelSelector: {_NO_SELECTOR}"


def _of_addresses(path: str, spec: Object) -> Iterator[str]:
    """Addresses in a form that is not the usual one."""
    for position, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or []):
        yield from addresses.warn_of_ip(server, field.index(f"{path}.dnsConfig.nameservers", position))
    for position, alias in enumerate(spec.get("hostAliases") or []):
        yield from addresses.warn_of_ip(alias.get("ip", ""), f"{field.index(f'{path}.hostAliases', position)}.ip")


def of_status(status: Object) -> Iterator[str]:
    for member in ("podIPs", "hostIPs"):
        for position, address in enumerate(status.get(member) or []):
            yield from addresses.warn_of_ip(address.get("ip", ""), f"{field.index(f'status.{member}', position)}.ip")
