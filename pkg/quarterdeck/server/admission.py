"""Wiring of admission: which plugins stand in the chain, in upstream's order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from quarterdeck.admission.chain import Chain
from quarterdeck.admission.plugins.namespace_lifecycle import NamespaceLifecycle, Phase
from quarterdeck.admission.plugins.pods import PodDefaults
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.scope import Scope

Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]


def build(served: Builtin) -> Chain:
    lifecycle = NamespaceLifecycle(partial(_phase_of, served["", "v1", "namespaces"][""]))
    return Chain((lifecycle, PodDefaults()), ())


def _phase_of(namespaces: Scope, name: str) -> Phase:
    entry = namespaces.store.cache.get("", name)
    if entry is None:
        return Phase.ABSENT
    if b'"deletionTimestamp"' in entry.data and meta.deletion_timestamp(json_codec.load(entry.data)):
        return Phase.TERMINATING
    return Phase.ACTIVE
