"""Reads --runtime-config: which of the built-in resources are served.

A version of a group is on or off, and so is a single resource, which counts more; what nothing is said of is as usual.
`api/all`, `api/ga`, `api/beta` and `api/alpha` come first, then versions, then resources. An empty group is the core's:
`/v1`, for which `v1` and `api/v1` stand too, whatever resource follows them. Alpha and beta versions are off where
nothing is said of them. Of most that upstream knows nothing is served any more, and of some not without a feature gate:
switching those on says nothing, as upstream has it.

Source: apiserver/pkg/server/options/api_enablement.go, resourceconfig/helpers.go, storage/resource_config.go, whose
errors these are; pkg/controlplane/apiserver/options/options.go (Complete); k8s.io/api for the versions that upstream
knows (1.36).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.meta import join_api_version
from quarterdeck.apis.enablement import Enablement
from quarterdeck.apis.priorities import FURTHER, PRIORITIES

_ALL: Final = "api/all"
_LEGACY: Final = "api/legacy"
_CORE: Final = re.compile(r"(api/)?v1(/|\Z)")
_LEVELS: Final = {
    _ALL: re.compile(""),
    "api/ga": re.compile(r"v\d+\Z"),
    "api/beta": re.compile(r"v\d+beta\d+\Z"),
    "api/alpha": re.compile(r"v\d+alpha\d+\Z"),
}
_USUAL: Final = frozenset((*PRIORITIES, ("apiregistration.k8s.io", "v1")))
_BUILT: Final = _USUAL.union(FURTHER)
# Versions that upstream knows beside the stable ones.
_KNOWN: Final = {
    "admission.k8s.io": "v1 v1beta1",
    "admissionregistration.k8s.io": "v1alpha1 v1beta1",
    "apiextensions.k8s.io": "v1beta1",
    "apiregistration.k8s.io": "v1beta1",
    "apps": "v1beta1 v1beta2",
    "authentication.k8s.io": "v1alpha1 v1beta1",
    "authorization.k8s.io": "v1beta1",
    "batch": "v1beta1",
    "certificates.k8s.io": "v1alpha1 v1beta1",
    "coordination.k8s.io": "v1alpha2 v1beta1",
    "discovery.k8s.io": "v1beta1",
    "events.k8s.io": "v1beta1",
    "extensions": "v1beta1",
    "flowcontrol.apiserver.k8s.io": "v1beta1 v1beta2 v1beta3",
    "imagepolicy.k8s.io": "v1alpha1",
    "internal.apiserver.k8s.io": "v1alpha1",
    "networking.k8s.io": "v1beta1",
    "node.k8s.io": "v1alpha1 v1beta1",
    "policy": "v1beta1",
    "rbac.authorization.k8s.io": "v1alpha1 v1beta1",
    "resource.k8s.io": "v1alpha3 v1beta1 v1beta2",
    "scheduling.k8s.io": "v1alpha2 v1beta1",
    "storage.k8s.io": "v1alpha1 v1beta1",
    "storagemigration.k8s.io": "v1beta1",
}
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_FALSE: Final = ("0", "f", "F", "false", "FALSE", "False")


def parse(given: Mapping[str, str]) -> Enablement:
    """ValueError for what upstream refuses."""
    given = {"/v1" if _CORE.match(key) else key: value for key, value in given.items() if key != _LEGACY}
    if given.get(_ALL) == "false" and len(given) == 1:
        raise ValueError(f"invalid runtime-config with only {_ALL}=false")
    keys = {key: _split(key) for key in given if key not in _LEVELS}
    _check_groups(keys.values())
    served = set(_USUAL)
    for level, pattern in _LEVELS.items():
        if level in given:
            of_level = {known for known in _BUILT if pattern.match(known[1])}
            served = served | of_level if _parse_level(level, given[level]) else served - of_level
    resources: dict[tuple[str, str, str], bool] = {}
    for key, (group, version, resource) in keys.items():
        is_enabled = _parse_key(key, given[key], group, version, resource)
        if resource:
            resources[group, version, resource] = is_enabled
        elif (group, version) not in _BUILT:
            continue
        elif is_enabled:
            served.add((group, version))
        else:
            served.discard((group, version))
    return Enablement(_USUAL - served, resources, frozenset(served - _USUAL))


def _split(key: str) -> tuple[str, str, str]:
    parts = key.split("/")
    if len(parts) not in (2, 3):
        raise ValueError(f"runtime-config invalid key {key}")
    return parts[0], parts[1], "".join(parts[2:])


def _check_groups(keys: Iterable[tuple[str, str, str]]) -> None:
    groups = {*_KNOWN, *(group for group, _ in _BUILT)}
    unknown = sorted({join_api_version(group, version) for group, version, _ in keys if group not in groups})
    if unknown:
        raise ValueError(f"unknown api groups {','.join(unknown)}")


def _parse_level(level: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError(f"invalid value {level}={value}")
    return value == "true"


def _parse_key(key: str, value: str, group: str, version: str, resource: str) -> bool:
    shown = join_api_version(group, version)
    if (group, version) not in _USUAL and version not in _KNOWN.get(group, "").split():
        raise ValueError(f"group version {shown} that has not been registered")
    if value not in ("", *_TRUE, *_FALSE):
        text = f"strconv.ParseBool: parsing {gofmt.quote(value)}: invalid syntax"
        raise ValueError(f"invalid value of {key}: {value}, err: {text}")
    if resource.lower() != resource:
        raise ValueError(
            f"invalid key {key}: group/version/resource and resource is always lowercase plural, "
            f"not {gofmt.quote(resource)}"
        )
    return value not in _FALSE
