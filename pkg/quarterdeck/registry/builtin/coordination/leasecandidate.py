"""Candidates for leases.

Source: pkg/registry/coordination/leasecandidate/strategy.go, pkg/apis/coordination/validation.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel import lib_semver
from quarterdeck.cel.lib_semver import Semver
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_OLDEST: Final = "OldestEmulationVersion"
_ZERO: Final = Semver((0, 0, 0), ())
_NOT_SEMANTIC: Final = "must be a valid semantic version"


class LeaseCandidateStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    allow_create_on_update = True
    checks_finalizer_domains = False

    def __init__(self) -> None:
        super().__init__(namespaced=True, name_check=_name_is_config_map_key)

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        lease, strategy = spec.get("leaseName") or "", spec.get("strategy") or ""
        problems = [] if lease else [field.required("spec.leaseName")]
        emulated, found = _validate_versions(spec)
        problems += found
        if not strategy:
            return [*problems, field.required("spec.strategy")]
        if strategy == _OLDEST and emulated == _ZERO:
            detail = f"must be specified when `strategy` is '{_OLDEST}'"
            problems.append(field.required("spec.emulationVersion", detail))
        return problems + validate_strategy("spec.strategy.strategy", strategy)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems, lease = self.check(new), (new.get("spec") or {}).get("leaseName") or ""
        if lease != ((old.get("spec") or {}).get("leaseName") or ""):
            problems.append(field.invalid("spec.leaseName", lease, checks.IMMUTABLE))
        return problems


def validate_strategy(path: str, strategy: str) -> list[FieldError]:
    """Names without a domain are Kubernetes' own."""
    if "/" not in strategy:
        return checks.one_of(path, strategy, (_OLDEST,))
    return checks.name(path, strategy, names.qualified_name)


def _validate_versions(spec: Object) -> tuple[Semver, list[FieldError]]:
    """The emulated version; what cannot be read counts as zero."""
    emulation, binary = spec.get("emulationVersion") or "", spec.get("binaryVersion") or ""
    emulated, problems = _read("spec.emulationVersion", emulation) if emulation else (_ZERO, [])
    if not binary:
        return emulated, [*problems, field.required("spec.binaryVersion")]
    built, found = _read("spec.binaryVersion", binary)
    problems += found
    if emulation and lib_semver.is_less_than(built, emulated):
        detail = "must be greater than or equal to `emulationVersion`"
        problems.append(field.invalid("spec.binaryVersion", binary, detail))
    return emulated, problems


def _read(path: str, text: str) -> tuple[Semver, list[FieldError]]:
    found = lib_semver.to_semver(text)
    if isinstance(found, Semver):
        return found, []
    return _ZERO, [field.invalid(path, text, _NOT_SEMANTIC)]


def _name_is_config_map_key(value: str, is_prefix: bool = False) -> list[str]:
    return names.config_map_key(value)
