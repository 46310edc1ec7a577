"""Wiring of resource quotas: what is used is written to their status in the server's own name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from quarterdeck.admission.chain import Chain
from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.plugins.quota.devices import DeviceClasses, DeviceEvaluator
from quarterdeck.admission.plugins.quota.evaluators import Evaluators
from quarterdeck.admission.plugins.quota.plugin import ResourceQuota
from quarterdeck.admission.pluginsettings import LimitedResource
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.registry.identity import LOOPBACK, UNADMITTED, Identity
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.registry.strategy import copy_object

_MANAGER: Final = "kube-apiserver"
_DEVICES: Final = ("resource.k8s.io", "v1")

Object = dict[str, Any]


def build(served: Builtin, limited: Sequence[LimitedResource]) -> ResourceQuota:
    """`complete` has to follow."""
    scopes = served["", "v1", "resourcequotas"]
    charge = partial(_charge, UNADMITTED, scopes["status"])
    return ResourceQuota(ByNamespace(scopes[""].store.cache), charge, build_evaluators(served), limited)


def complete(plugin: ResourceQuota, served: Builtin, chain: Chain) -> None:
    """What the plugin itself writes goes through the whole chain."""
    plugin.charge = partial(_charge, Identity(chain, LOOPBACK), served["", "v1", "resourcequotas"]["status"])


def build_evaluators(served: Builtin) -> Evaluators:
    pods, claims, classes = (
        served[*kind][""].store.cache
        for kind in (("", "v1", "pods"), (*_DEVICES, "resourceclaims"), (*_DEVICES, "deviceclasses"))
    )

    def find_pod(namespace: str, name: str) -> Object | None:
        entry = pods.get(namespace, name)
        return json.load(entry.data) if entry is not None else None

    def find_claims(namespace: str, uid: str) -> Iterable[Object]:
        text = uid.encode()
        return (json.load(entry.data) for entry in claims.state.range(f"{namespace}/") if text in entry.data)

    return Evaluators(DeviceEvaluator(DeviceClasses(ByNamespace(classes)), find_pod, find_claims))


async def _charge(identity: Identity, scope: Scope, quota: Object, used: dict[str, str]) -> None:
    metadata = quota["metadata"]
    transform = partial(_with_used, scope, quota, used)
    try:
        await identity.update(scope, metadata["namespace"], metadata["name"], transform)
    except errors.Conflict:
        if scope.store.lags:  # another server charged it: what it wrote is there when this is tried again
            await scope.store.cache.shared.catch_up()
        raise


def _with_used(scope: Scope, read: Object, used: dict[str, str], live: Object | None) -> Object:
    """Raises Conflict where the status is another than the one that was read."""
    name = read["metadata"]["name"]
    if live is None:
        raise errors.NotFound.of("", "resourcequotas", name)
    if live.get("status") != read.get("status") or live["metadata"].get("uid") != read["metadata"].get("uid"):
        raise errors.Conflict.of("", "resourcequotas", name, "the object has been modified")
    new = copy_object(live)
    new["status"] = {**(new.get("status") or {}), "used": used}
    scope.own(live, new, _MANAGER)
    return new
