"""PodSecurityConfiguration: levels of namespaces that do not say theirs, and who and what is exempt.

Source: pod-security-admission/admission/api/{load,validation,v1}, api/helpers.go (ToPolicy).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from quarterdeck.admission.pluginsettings import PodSecuritySettings
from quarterdeck.admission.podsecurity.levels import (
    LEVELS,
    MODES,
    LevelVersion,
    Policy,
    fault_of_level,
    fault_of_version,
)
from quarterdeck.apimachinery import errors, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import STRING, Field, ListOf, Struct

Object = dict[str, Any]

_GROUP: Final = "pod-security.admission.config.k8s.io"
_KIND: Final = "PodSecurityConfiguration"
_VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")
_SCHEME: Final = "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31"
_INIT: Final = 'failed to initialize admission plugin "PodSecurity": PodSecurity'


def _struct(version: str) -> Struct:
    defaults = {name: Field(STRING) for mode in MODES for name in (mode, f"{mode}-version")}
    exemptions = {name: Field(ListOf(STRING)) for name in ("usernames", "namespaces", "runtimeClasses")}
    fields = {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "defaults": Field(Struct("PodSecurityDefaults", defaults, version)),
        "exemptions": Field(Struct("PodSecurityExemptions", exemptions, version)),
    }
    return Struct(_KIND, fields, version)


def parse(data: bytes) -> PodSecuritySettings:
    """Raises BadFile."""
    decoded = configfile.decode(data, {(_GROUP, each, _KIND): _struct(each) for each in _VERSIONS}, _SCHEME)
    policy = _read_policy(decoded["defaults"])
    exempt = decoded["exemptions"]
    if problems := list(_check(exempt)):
        raise BadFile(f"{_INIT} invalid: {field.aggregate_message(problems)}")
    sets = (frozenset(exempt.get(name) or ()) for name in ("usernames", "namespaces", "runtimeClasses"))
    return PodSecuritySettings(policy, *sets)


def _read_policy(defaults: Object) -> Policy:
    texts = []
    levels = []
    for mode in MODES:
        level, version = defaults.get(mode) or LEVELS[0], defaults.get(f"{mode}-version") or "latest"
        faults = {mode: fault_of_level(level), f"{mode}-version": fault_of_version(version)}
        texts += [f"{name}: {fault}" for name, fault in faults.items() if fault]
        levels.append(LevelVersion(level, version))
    if texts:
        raise BadFile(f"{_INIT} configuration error: {errors.aggregate(texts)}")
    return Policy(*levels)


def _check(exempt: Object) -> Iterator[FieldError]:
    rules: dict[str, Callable[[str], list[str]]] = {
        "namespaces": names.dns1123_label,
        "runtimeClasses": names.dns1123_subdomain,
        "usernames": lambda name: [] if name else ["username must not be empty"],
    }
    for member, rule in rules.items():
        seen = set()
        for position, name in enumerate(exempt.get(member) or ()):
            path = field.index(f"exemptions.{member}", position)
            if faults := rule(name):
                yield field.invalid(path, name, ", ".join(faults))
            elif name in seen:
                yield field.duplicate(path, name)
            seen.add(name)
