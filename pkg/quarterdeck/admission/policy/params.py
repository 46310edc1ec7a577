"""The parameters that a binding evaluates its policy with.

Source: apiserver/pkg/admission/plugin/policy/generic/{policy_dispatcher,policy_source}.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quarterdeck.admission.policy.lookups import Lookups, ParamStore
from quarterdeck.apimachinery import labels, meta

Object = dict[str, Any]
_NO_NAMESPACE: Final = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
_WITHOUT: Final[list[Object | None]] = [None]


class NotConfigured(Exception):
    """A policy or a binding cannot be used as it is; the text says why."""


def find_store(kind: Object | None, lookups: Lookups) -> ParamStore | None:
    """Raises NotConfigured where nothing of the kind is served."""
    if kind is None:
        return None
    api_version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    found = lookups.params_of(api_version, name)
    if found is None:
        group, version = meta.split_api_version(api_version)
        text = f"failed to find resource referenced by paramKind: '{group}/{version}, Kind={name}'"
        raise NotConfigured(text)
    return found


def collect(store: ParamStore | None, reference: Object | None, namespace: str) -> Sequence[Object | None]:
    """One evaluation for each; None is one without parameters. Raises NotConfigured."""
    if store is None or reference is None:
        return _WITHOUT
    wanted = reference.get("namespace") or ""
    if store.namespaced:
        wanted = wanted or namespace
        if not wanted:
            raise NotConfigured(_NO_NAMESPACE)
    elif wanted:
        raise NotConfigured("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
    found = _find(store, reference, wanted)
    if not found and reference.get("parameterNotFoundAction") == "Deny":
        raise NotConfigured("no params found for policy binding with `Deny` parameterNotFoundAction")
    return found


def _find(store: ParamStore, reference: Object, namespace: str) -> list[Object]:
    name = reference.get("name")
    if name:
        found = store.get(namespace, name)
        return [] if found is None else [found]
    return store.select(namespace, labels.from_label_selector(reference.get("selector") or {}))
