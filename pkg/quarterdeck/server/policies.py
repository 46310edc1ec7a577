"""Wiring of admission policies: where they are stored, and what they may ask of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.admission.policy.plugins import MutatingPolicies, ValidatingPolicies
from quarterdeck.admission.policy.source import PolicySource
from quarterdeck.admission.policy.surroundings import Surroundings
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import ResourceCache

if TYPE_CHECKING:
    from quarterdeck.admission.policy.compiled import MutatingPolicy, ValidatingPolicy

Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]
_GROUP: Final = ("admissionregistration.k8s.io", "v1")


def build_mutating(served: Builtin, around: Surroundings) -> MutatingPolicies:
    return MutatingPolicies(PolicySource(*_caches(served, "mutating"), _compile_mutating).concerning, around)


def build_validating(served: Builtin, around: Surroundings) -> ValidatingPolicies:
    return ValidatingPolicies(PolicySource(*_caches(served, "validating"), _compile_validating).concerning, around)


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
