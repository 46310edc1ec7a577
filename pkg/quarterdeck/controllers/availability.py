"""Tells in the status of each APIService whether what it names can serve it, as far as that is known here.

A local one is always available. One behind a service is not while the service is absent or does not listen on its port;
no endpoints are known here, so that a service with an address of its own has none.
Source: kube-aggregator/pkg/controllers/status/{local,remote}, pkg/apis/apiregistration/v1/helper.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import clock as clocks
from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.apiregistration.apiservice import SERVICE_PORT, build_local_condition
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.storage.cacher import Change, Entry

SETTLE_S: Final = 0.25

_TYPE: Final = "Available"


class Verdict(NamedTuple):
    """What the condition says."""

    status: str
    reason: str
    message: str


class AvailabilityController:
    """`status` is the scope of the status of APIServices, `services` that of services."""

    def __init__(self, status: Scope, services: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._status = status
        self._services = services
        self._named_by: dict[str, set[str]] = {}  # path of a service: APIServices
        self._names: dict[str, str] = {}  # APIService: path of its service
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self.controller = Controller("available", self.sync, clock=clock)

    def take_up(self) -> None:
        cache = self._status.store.cache
        for entry in cache.state.all():
            self._follow(entry)
        cache.listeners.append(self._on_api_service)
        self._status.store.after_create = self._settle
        self._services.store.cache.listeners.append(self._on_service)

    def _on_api_service(self, change: Change) -> None:
        if change.entry is not None:
            self._follow(change.entry)
        elif change.old is not None:
            self._forget(change.old.name)

    def _follow(self, entry: Entry) -> None:
        self._forget(entry.name)
        service = (json_codec.load(entry.data).get("spec") or {}).get("service")
        if service is not None:
            path = f"{service.get('namespace', '')}/{service.get('name', '')}"
            self._names[entry.name] = path
            self._named_by.setdefault(path, set()).add(entry.name)
        self.controller.add(entry.name)

    def _forget(self, name: str) -> None:
        path = self._names.pop(name, None)
        if path is not None:
            self._named_by[path].discard(name)
            if not self._named_by[path]:
                del self._named_by[path]

    def _on_service(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None:
            for name in self._named_by.get(entry.path, ()):
                self.controller.add(name)

    async def _settle(self, name: str) -> None:
        """Wait a moment for the condition of a new APIService: whoever created it reads the condition then."""
        if self.controller.is_at_work_on(name):
            judged = self._awaited.setdefault(name, asyncio.get_running_loop().create_future())
            await asyncio.wait((judged,), timeout=SETTLE_S)

    async def sync(self, name: str) -> None:
        try:
            await self._update_condition(name)
        finally:
            judged = self._awaited.pop(name, None)
            if judged is not None and not judged.done():
                judged.set_result(None)

    async def _update_condition(self, name: str) -> None:
        entry = self._status.store.cache.get("", name)
        if entry is None:
            return
        obj = json_codec.load(entry.data)
        verdict = self._judge(obj.get("spec") or {})
        if verdict is None or _with_verdict(obj, verdict) == obj:
            return

        def transform(live: Object | None) -> Object:
            assert live is not None
            new = _with_verdict(live, verdict)
            assert self._status.ownership is not None
            api_version = self._status.resource.api_version
            self._status.ownership.update(
                live, new, manager=MANAGER, subresource="status", api_version=api_version, now=clocks.now()
            )
            return new

        try:
            await self.identity.update(self._status, "", name, transform)
        except errors.NotFound:
            return

    def _judge(self, spec: dict[str, Any]) -> Verdict | None:
        """None: nothing is known."""
        reference = spec.get("service")
        if reference is None:
            local = build_local_condition()
            return Verdict(local["status"], local["reason"], local["message"])
        namespace, name = reference.get("namespace", ""), reference.get("name", "")
        shown = f"service/{name} in {gofmt.quote(namespace)}"
        entry = self._services.store.cache.get(namespace, name)
        if entry is None:
            return Verdict("False", "ServiceNotFound", f"{shown} is not present")
        service = json_codec.load(entry.data)["spec"]
        # Differs from upstream: there the server behind the service is asked.
        if service["type"] != "ClusterIP":
            return None
        port = reference.get("port", SERVICE_PORT)
        if all(each["port"] != port for each in service.get("ports") or []):
            return Verdict("False", "ServicePortError", f"{shown} is not listening on port {port}")
        return Verdict("False", "EndpointsNotFound", f"cannot find endpointslices for {shown}")


def _with_verdict(obj: Object, verdict: Verdict) -> Object:
    """The APIService with the condition; a status that stays keeps its time."""
    new = copy_object(obj)
    conditions = [dict(one) for one in (obj.get("status") or {}).get("conditions") or []]
    known = next((one for one in conditions if one.get("type") == _TYPE), None)
    if known is None:
        known = {"type": _TYPE, "status": "", "lastTransitionTime": ""}
        conditions.append(known)
    if known["status"] != verdict.status:
        known |= {"status": verdict.status, "lastTransitionTime": clocks.now()}
    known |= {"reason": verdict.reason, "message": verdict.message}
    new["status"] = {**(obj.get("status") or {}), "conditions": conditions}
    return new
