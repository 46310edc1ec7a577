"""Writes the flow schemas and priority levels of a new server, those that are missing at a start.

Source: pkg/registry/flowcontrol/rest/storage_flowcontrol.go, ensurer/strategy.go. An object that is there is left as
it is: what upstream puts back into one comes with another release.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Final

from quarterdeck.apimachinery import clock, meta
from quarterdeck.registry.builtin.flowcontrol.schemas import tell_of_level, told_by
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.interface import KeyExists

MANAGER: Final = "api-priority-and-fairness-config-producer-v1"
AUTOUPDATE: Final = "apf.kubernetes.io/autoupdate-spec"
_API_VERSION: Final = "flowcontrol.apiserver.k8s.io/v1"


async def create_missing(schemas: Scope, levels: Scope) -> None:
    """In one commit, or few: nobody waits for one write before the next. None where all are there."""
    from quarterdeck.controllers.flowcontrol import suggested

    now = clock.now()
    writes = _missing(levels, "PriorityLevelConfiguration", suggested.LEVELS, now)
    writes += _missing(schemas, "FlowSchema", suggested.SCHEMAS, now)
    for outcome in await asyncio.gather(*writes, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, KeyExists):
            raise outcome


def _missing(scope: Scope, kind: str, specs: dict[str, dict[str, Any]], now: str) -> list[Awaitable[int]]:
    writes: list[Awaitable[int]] = []
    for name, spec in specs.items():
        if scope.store.cache.get("", name) is None:
            obj = _build(kind, name, spec, now)
            writes.append(scope.store.put_new(obj, scope.codec.encode(obj)))
    return writes


def _build(kind: str, name: str, spec: dict[str, Any], now: str) -> Object:
    """As it is stored: with what the server sets, and who owns which field."""
    owned = {"f:metadata": {"f:annotations": {".": {}, f"f:{AUTOUPDATE}": {}}}, "f:spec": _own(spec, is_pointer=False)}
    owner = {
        "manager": MANAGER,
        "operation": "Update",
        "apiVersion": _API_VERSION,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
    }
    status: Object = {}
    owners = [owner]
    if kind == "FlowSchema":
        status = tell_of_level({}, spec["priorityLevelConfiguration"]["name"], exists=True)
        owners = [told_by(now), owner]
    metadata = {
        "name": name,
        "uid": meta.new_uid(),
        "generation": 1,
        "creationTimestamp": now,
        "annotations": {AUTOUPDATE: "true"},
        "managedFields": owners,
    }
    return {"apiVersion": _API_VERSION, "kind": kind, "metadata": metadata, "spec": spec, "status": status}


def _own(value: dict[str, Any], *, is_pointer: bool) -> Object:
    owned: Object = {".": {}} if is_pointer else {}
    for name in sorted(value):
        inside = value[name]
        is_struct = isinstance(inside, dict)
        by_value = name == "priorityLevelConfiguration"
        owned[f"f:{name}"] = _own(inside, is_pointer=not by_value) if is_struct else {}
    return owned
