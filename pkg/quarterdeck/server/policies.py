"""Wiring of admission policies: where they are stored, and what they may ask of the server."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.admission.policy import checks
from quarterdeck.admission.policy.lookups import Lookups
from quarterdeck.admission.policy.plugins import MutatingPolicies, ValidatingPolicies
from quarterdeck.admission.policy.source import PolicySource
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.scope import Builtin
from quarterdeck.storage.cacher import ResourceCache

if TYPE_CHECKING:
    from quarterdeck.admission.policy.compiled import Binding, MutatingPolicy, ValidatingPolicy
    from quarterdeck.coverage.data import CoverageData

_GROUP: Final = ("admissionregistration.k8s.io", "v1")


def build_mutating(
    served: Builtin, lookups: Lookups, metrics: Registry, noted: CoverageData | None
) -> MutatingPolicies:
    """`noted` is where it is counted what becomes of expressions and bindings, None: nowhere."""
    policy = _compile_mutating if noted is None else partial(_compile_counted_mutating, noted)
    source = PolicySource(*_caches(served, "mutating"), policy, _binding(noted))
    return MutatingPolicies(source.concerning, lookups, checks.of_mutating(metrics))


def build_validating(
    served: Builtin, lookups: Lookups, metrics: Registry, noted: CoverageData | None
) -> ValidatingPolicies:
    """Likewise."""
    policy = _compile_validating if noted is None else partial(_compile_counted_validating, noted)
    source = PolicySource(*_caches(served, "validating"), policy, _binding(noted))
    return ValidatingPolicies(source.concerning, lookups, checks.of_validating(metrics))


def _binding(noted: CoverageData | None) -> Callable[[dict[str, Any]], Binding]:
    return _compile_binding if noted is None else partial(_compile_counted_binding, noted)


def _caches(served: Builtin, word: str) -> tuple[ResourceCache, ResourceCache]:
    """Policies and their bindings."""
    policies = served[*_GROUP, f"{word}admissionpolicies"][""].store.cache
    return policies, served[*_GROUP, f"{word}admissionpolicybindings"][""].store.cache


# The compiler of expressions is loaded with the first policy.


def _compile_mutating(obj: dict[str, Any]) -> MutatingPolicy:
    from quarterdeck.admission.policy.compiled import MutatingPolicy

    return MutatingPolicy(obj)


def _compile_validating(obj: dict[str, Any]) -> ValidatingPolicy:
    from quarterdeck.admission.policy.compiled import ValidatingPolicy

    return ValidatingPolicy(obj)


def _compile_binding(obj: dict[str, Any]) -> Binding:
    from quarterdeck.admission.policy.compiled import Binding

    return Binding(obj)


def _compile_counted_binding(noted: CoverageData, obj: dict[str, Any]) -> Binding:
    from quarterdeck.admission.policy import counted

    return counted.compile_binding(noted, obj)


def _compile_counted_mutating(noted: CoverageData, obj: dict[str, Any]) -> MutatingPolicy:
    from quarterdeck.admission.policy import counted

    return counted.compile_mutating(noted.rules_of, obj)


def _compile_counted_validating(noted: CoverageData, obj: dict[str, Any]) -> ValidatingPolicy:
    from quarterdeck.admission.policy import counted

    return counted.compile_validating(noted.rules_of, obj)
