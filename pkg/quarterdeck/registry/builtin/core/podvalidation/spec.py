"""A pod's spec as a whole, in a pod or in a template.

Source: pkg/apis/core/validation/validation.go (ValidatePodSpec, ValidatePodCreate, ValidatePodTemplateSpec).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.poddropped import drop_disabled, restore_spec
from quarterdeck.registry.builtin.core.podvalidation import (
    claims,
    containers,
    env,
    podannotations,
    resources,
    scheduling,
    security,
    volumes,
    windows,
)
from quarterdeck.registry.builtin.scheduling.priorityclass import PREEMPTION_POLICIES
from quarterdeck.schema import objectmeta

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_DEADLINE_MAX: Final = 2**31 - 1
_NAMESERVERS_MAX: Final = 3
_SEARCHES_MAX: Final = 32
_SEARCH_BYTES_MAX: Final = 2048
_HOSTNAME_BYTES_MAX: Final = 64


def validate_new_pod(pod: Object) -> list[FieldError]:
    """A pod that is created, without its metadata's common rules."""
    spec, metadata = pod["spec"], pod["metadata"]
    problems = validate_pod(pod)
    if spec.get("ephemeralContainers"):
        problems.append(field.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        problems.append(field.forbidden("spec.nodeName", detail))
    if metadata.get("annotations"):
        problems += podannotations.validate_seccomp_matches(metadata, spec, "spec")
        problems += podannotations.validate_app_armor_matches(metadata, spec, "spec")
    return problems


def validate_pod(pod: Object, old: Object | None = None, restored: Object | None = None) -> list[FieldError]:
    """What holds of every pod, new or changed. `old`: the pod before an update. `restored`: its spec with what the
    request has written down empty, where the spec is not the request's as a whole."""
    spec, metadata = restore_spec(pod["spec"], "spec") if restored is None else restored, pod["metadata"]
    found = metadata.get("annotations") or {}
    problems = podannotations.validate(found, spec, "metadata.annotations", annotations_of(old))
    is_static = podannotations.MIRROR in found
    problems += validate_pod_spec(spec, "spec", metadata.get("name", ""), is_pod=True, is_static=is_static)
    if not spec.get("serviceAccountName"):
        for position, volume in enumerate(spec.get("volumes") or []):
            for number, source in enumerate((volume.get("projected") or {}).get("sources") or []):
                if source.get("serviceAccountToken") is not None:
                    at = field.index(f"{field.index('spec.volumes', position)}.projected.sources", number)
                    detail = "must not be specified when serviceAccountName is not set"
                    problems.append(field.forbidden(f"{at}.serviceAccountToken", detail))
    for member in ("containers", "initContainers"):
        problems += containers.validate_images(f"spec.{member}", spec.get(member) or [])
    return problems


def annotations_of(pod: Object | None) -> Object:
    return (pod["metadata"].get("annotations") or {}) if pod else {}


def validate_template(template: Object, path: str) -> list[FieldError]:
    """A template of pods, decoded at that path of the object."""
    return validate_whole_template(written.restore(template, *path.split(".")), path)


def validate_whole_template(template: Object, path: str) -> list[FieldError]:
    """A template with what the request has written down empty in it, which counts (written.py)."""
    metadata, spec = template.get("metadata") or {}, template["spec"]
    drop_disabled(spec)
    problems = validate_template_metadata(template, path)
    problems += validate_pod_spec(spec, f"{path}.spec", "", is_pod=False)
    problems += podannotations.validate_seccomp_matches(metadata, spec, f"{path}.spec")
    problems += podannotations.validate_app_armor_matches(metadata, spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        problems.append(field.forbidden(f"{path}.spec.ephemeralContainers", detail))
    return problems


def validate_template_metadata(template: Object, path: str) -> list[FieldError]:
    metadata = template.get("metadata") or {}
    found = metadata.get("annotations") or {}
    problems = checks.labels(f"{path}.labels", metadata.get("labels") or {})
    problems += objectmeta.validate_annotations(found, f"{path}.annotations")
    return problems + podannotations.validate(found, template["spec"], f"{path}.annotations")


def validate_pod_spec(
    spec: Object, path: str, pod_name: str, *, is_pod: bool, is_static: bool = False
) -> list[FieldError]:
    """Of a pod, or of a template (`is_pod` False, without a name). `is_static`: a kubelet made it of a file.
    Source: pkg/apis/core/validation/validation.go (ValidatePodSpec)."""
    grace_s = spec.get("terminationGracePeriodSeconds")
    problems = [field.required(f"{path}.terminationGracePeriodSeconds")] if grace_s is None else []
    found: dict[str, Object] = {}
    if given := spec.get("volumes"):
        found, wrong = volumes.validate_volumes(f"{path}.volumes", given, pod_name, is_pod=is_pod)
        problems += wrong
    names_of_claims: set[str] = set()
    if claimed := spec.get("resourceClaims"):
        names_of_claims = {claim["name"] for claim in claimed if claim.get("name")}
        problems += claims.validate_pod_claims(f"{path}.resourceClaims", claimed, is_static=is_static)
    facts = containers.PodFacts(
        found,
        names_of_claims,
        grace_s,
        spec.get("restartPolicy", ""),
        spec.get("hostUsers") is not False,
    )
    main, init = spec.get("containers") or [], spec.get("initContainers") or []
    problems += containers.validate_containers(f"{path}.containers", main, facts)
    if init:
        problems += containers.validate_init_containers(f"{path}.initContainers", init, main, facts)
    if ephemeral := spec.get("ephemeralContainers"):
        problems += containers.validate_ephemeral_containers(
            f"{path}.ephemeralContainers", ephemeral, [*main, *init], facts
        )
    if "resources" in spec:
        problems += resources.validate_pod_resources(f"{path}.resources", spec, names_of_claims)
    if spec.get("hostNetwork"):
        problems += _host_ports(f"{path}.containers", main, is_pod=is_pod)
    problems += _validate_rest(spec, path)
    if facts.has_odd_variables:
        problems += env.validate_file_volumes(path, spec)
    return problems


def _validate_rest(spec: Object, path: str) -> list[FieldError]:
    """What is not of single containers, in upstream's order."""
    problems: list[FieldError] = []
    if (policy := spec.get("restartPolicy", "")) not in _RESTART_POLICIES:
        problems += checks.required_one_of(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    if (policy := spec.get("dnsPolicy", "")) not in _DNS_POLICIES:
        problems += checks.required_one_of(f"{path}.dnsPolicy", policy, _DNS_POLICIES)
    if found := spec.get("nodeSelector"):
        problems += checks.labels(f"{path}.nodeSelector", found)
    if spec.get("securityContext") or spec.get("shareProcessNamespace"):
        problems += security.validate_pod_security_context(f"{path}.securityContext", spec)
    if affinity := spec.get("affinity"):
        problems += scheduling.validate_affinity(f"{path}.affinity", affinity)
    if "dnsConfig" in spec or spec.get("dnsPolicy") == "None":
        problems += _dns(f"{path}.dnsConfig", spec)
    for position, gate in enumerate(spec.get("readinessGates") or []):
        at = f"{field.index(f'{path}.readinessGates', position)}.conditionType"
        problems += checks.name(at, gate.get("conditionType", ""), names.qualified_name)
    if gates := spec.get("schedulingGates"):
        problems += _scheduling_gates(f"{path}.schedulingGates", gates)
    if constraints := spec.get("topologySpreadConstraints"):
        problems += scheduling.validate_spread(f"{path}.topologySpreadConstraints", constraints)
    problems += windows.validate_host_process(path, spec)
    problems += security.validate_host_users(path, spec)
    problems += _names(spec, path)
    if (overhead := spec.get("overhead")) is not None:
        problems += resources.validate_overhead(f"{path}.overhead", overhead)
    return problems + windows.validate_system(path, spec)


def _names(spec: Object, path: str) -> list[FieldError]:
    """Names and numbers that stand in the spec itself."""
    problems = _hostname_override(f"{path}.hostnameOverride", spec) if "hostnameOverride" in spec else []
    for name in ("serviceAccountName", "nodeName"):
        if (value := spec.get(name)) and (texts := names.dns1123_subdomain(value)):
            problems += checks.all_of(f"{path}.{name}", value, texts)
    if (deadline := spec.get("activeDeadlineSeconds")) is not None:
        problems += checks.in_range(f"{path}.activeDeadlineSeconds", deadline, 1, _DEADLINE_MAX)
    for name in ("hostname", "subdomain"):
        if value := spec.get(name):
            problems += checks.name(f"{path}.{name}", value, names.dns1123_label)
    if tolerations := spec.get("tolerations"):
        problems += scheduling.validate_tolerations(f"{path}.tolerations", tolerations)
    for position, alias in enumerate(spec.get("hostAliases") or []):
        at = field.index(f"{path}.hostAliases", position)
        problems += addresses.validate_ip(alias.get("ip", ""), f"{at}.ip")
        for number, hostname in enumerate(alias.get("hostnames") or []):
            problems += checks.name(field.index(f"{at}.hostnames", number), hostname, names.dns1123_subdomain)
    if value := spec.get("priorityClassName"):
        problems += checks.name(f"{path}.priorityClassName", value, names.dns1123_subdomain)
    if (value := spec.get("runtimeClassName")) is not None:
        problems += checks.name(f"{path}.runtimeClassName", value, names.dns1123_subdomain)
    if (policy := spec.get("preemptionPolicy")) is not None:
        problems += checks.required_one_of(f"{path}.preemptionPolicy", policy, PREEMPTION_POLICIES)
    return problems


def _hostname_override(path: str, spec: Object) -> list[FieldError]:
    name = spec.get("hostnameOverride")
    if name is None:
        return []
    problems: list[FieldError] = []
    if spec.get("setHostnameAsFQDN"):
        problems.append(field.forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.get("hostNetwork"):
        problems.append(field.forbidden(path, "may not be specified when hostNetwork is true"))
    if len(name.encode()) > _HOSTNAME_BYTES_MAX:
        problems.append(field.too_long(path, _HOSTNAME_BYTES_MAX))
    return problems + checks.name(path, name, names.dns1123_subdomain)


def _host_ports(path: str, found: list[Object], *, is_pod: bool) -> list[FieldError]:
    """On the host's network a port is the host's. In a template it may be left out."""
    problems: list[FieldError] = []
    for position, container in enumerate(found):
        at = f"{field.index(path, position)}.ports"
        for number, port in enumerate(container.get("ports") or []):
            own = port.get("hostPort", 0)
            if (is_pod or own) and own != port.get("containerPort", 0):
                detail = "must match `containerPort` when `hostNetwork` is true"
                problems.append(field.invalid(f"{field.index(at, number)}.hostPort", own, detail))
    return problems


def _scheduling_gates(path: str, gates: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, gate in enumerate(gates):
        at, name = field.index(path, position), gate.get("name", "")
        problems += checks.name(at, name, names.qualified_name)
        if name in seen:
            problems.append(field.duplicate(at, name))
        seen.add(name)
    return problems


def _dns(path: str, spec: Object) -> list[FieldError]:
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            return [field.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.get("nameservers"):
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [field.required(f"{path}.nameservers", detail)]
    if config is None:
        return []
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    problems: list[FieldError] = []
    if len(servers) > _NAMESERVERS_MAX:
        detail = f"must not have more than {_NAMESERVERS_MAX} nameservers"
        problems.append(field.invalid(f"{path}.nameservers", servers, detail))
    for position, server in enumerate(servers):
        problems += addresses.validate_ip(server, field.index(f"{path}.nameservers", position))
    if len(searches) > _SEARCHES_MAX:
        detail = f"must not have more than {_SEARCHES_MAX} search paths"
        problems.append(field.invalid(f"{path}.searches", searches, detail))
    if len(" ".join(searches).encode()) > _SEARCH_BYTES_MAX:
        detail = f"must not have more than {_SEARCH_BYTES_MAX} characters (including spaces) in the search list"
        problems.append(field.invalid(f"{path}.searches", searches, detail))
    for position, search in enumerate(searches):
        if search != ".":
            value = search.removesuffix(".")
            problems += checks.name(field.index(f"{path}.searches", position), value, names.subdomain_with_underscore)
    for position, option in enumerate(config.get("options") or []):
        if not option.get("name"):
            problems.append(field.required(field.index(f"{path}.options", position), "must not be empty"))
    return problems
