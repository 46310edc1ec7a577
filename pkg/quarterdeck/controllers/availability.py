"""Tells in the status of each APIService whether what it names can serve it.

A local one is always available. One behind a service is while the service is there, listens on its port, has endpoints
for that port, and what is behind it answers for the version. That is looked at again whenever one of them changes,
every half minute, and sooner where nothing answered.
Source: kube-aggregator/pkg/controllers/status/{local,remote}, pkg/apis/apiregistration/v1/helper.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from quarterdeck.apimachinery import clock as clocks
from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.backoff import Delays
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.apiregistration.apiservice import SERVICE_PORT, build_local_condition
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Builtin
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.storage.cacher import Change, Entry
from quarterdeck.webhook import endpoints

SETTLE_S: Final = 0.25
RESYNC_S: Final = 30.0
RETRY_FIRST_S: Final = 0.01

_TYPE: Final = "Available"
_WORKERS: Final = 5  # a server that does not answer holds up one of them for a while
_SERVICE_NAME: Final = "kubernetes.io/service-name"
_SERVICE: Final = b'"service":'
_FAILED_CHECK: Final = "FailedDiscoveryCheck"

Check = Callable[[Object], Awaitable[str]]
"""Asks the server behind an APIService: empty text where it serves the version, else why not."""


class Verdict(NamedTuple):
    """What the condition says."""

    status: str
    reason: str
    message: str


class AvailabilityController(Settling):
    """`builtin` are the scopes of all built-in resources.

    `check` and `is_known` are handed in before the start. `is_known` tells of services that are to be found whatever
    their objects say: those are asked at once.
    """

    def __init__(self, builtin: Builtin, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.check: Check = _pass
        self.unavailable: dict[str, bool] = {}  # by name, as they were looked at last
        self.count_unavailable: Callable[[str, str], None] = _count_nothing
        self.is_known: Callable[[str, str, int], bool] = _is_unknown
        self._status = builtin["apiregistration.k8s.io", "v1", "apiservices"]["status"]
        self._services = builtin["", "v1", "services"][""]
        self._slices = builtin["discovery.k8s.io", "v1", "endpointslices"][""]
        self._endpoints = builtin["", "v1", "endpoints"][""]
        self._retries = Delays(RETRY_FIRST_S, RESYNC_S)
        self._named_by: dict[str, set[str]] = {}  # path of a service: APIServices
        self._names: dict[str, str] = {}  # APIService: path of its service
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self.controller = Controller("available", self.sync, workers=_WORKERS, clock=clock)

    def take_up(self) -> None:
        cache = self._status.store.cache
        for entry in cache.state.all():
            self._follow(entry)
        self.is_settled = False
        cache.listeners.append(self._on_api_service)
        self._status.store.after_create = self._settle
        self._services.store.cache.listeners.append(self._on_service)
        self._endpoints.store.cache.listeners.append(self._on_service)
        self._slices.store.cache.listeners.append(self._on_slice)

    def _on_api_service(self, change: Change) -> None:
        if change.entry is not None:
            self._follow(change.entry)
        elif change.old is not None:
            self._forget(change.old.name)

    def _follow(self, entry: Entry) -> None:
        self._forget(entry.name)
        is_local = _SERVICE not in entry.data
        service = None if is_local else (json_codec.load(entry.data).get("spec") or {}).get("service")
        if service is not None:
            path = f"{service.get('namespace', '')}/{service.get('name', '')}"
            self._names[entry.name] = path
            self._named_by.setdefault(path, set()).add(entry.name)
        if self.is_settled:
            self.unavailable[entry.name] = False  # else it would come back later
        else:
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
            for name in sorted(self._named_by.get(entry.path, ())):
                self.controller.add(name)

    def _on_slice(self, change: Change) -> None:
        if not self._named_by:
            return
        for entry in (change.old, change.entry):
            if entry is not None:
                for name in sorted(self._named_by.get(_service_of(json_codec.load(entry.data)), ())):
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
            self._retries.forget(name)
            self.unavailable.pop(name, None)
            return
        obj = json_codec.load(entry.data)
        verdict = await self._judge(obj)
        self.unavailable[name] = verdict.status != "True"
        if (obj.get("spec") or {}).get("service") is not None:
            self._come_again(name, verdict)
        if _with_verdict(obj, verdict) == obj:
            return

        def transform(live: Object | None) -> Object:
            assert live is not None
            if live.get("spec") != obj.get("spec"):
                return live  # another service was meant: its change brings the name again
            new = _with_verdict(live, verdict)
            self._status.own(live, new, MANAGER)
            return new

        try:
            await self.identity.update(self._status, "", name, transform)
        except errors.NotFound:
            return
        if verdict.status != "True" and _is_available(obj):
            self.count_unavailable(name, verdict.reason)

    def _come_again(self, name: str, verdict: Verdict) -> None:
        """Nothing tells of what is behind a service."""
        if verdict.reason != _FAILED_CHECK:
            self._retries.forget(name)
            self.controller.add_after(name, RESYNC_S)
            return
        self.controller.add_after(name, self._retries.next_s(name))

    async def _judge(self, obj: Object) -> Verdict:
        reference = (obj.get("spec") or {}).get("service")
        if reference is None:
            local = build_local_condition()
            return Verdict(local["status"], local["reason"], local["message"])
        namespace, name = reference.get("namespace", ""), reference.get("name", "")
        port = reference.get("port", SERVICE_PORT)
        if not self.is_known(namespace, name, port) and (found := self._judge_service(namespace, name, port)):
            return found
        if text := await self.check(obj):
            return Verdict("False", _FAILED_CHECK, text)
        return Verdict("True", "Passed", "all checks passed")

    def _judge_service(self, namespace: str, name: str, port: int) -> Verdict | None:
        """What is wrong with the service or its endpoints."""
        shown = f"service/{name} in {gofmt.quote(namespace)}"
        entry = self._services.store.cache.get(namespace, name)
        if entry is None:
            return Verdict("False", "ServiceNotFound", f"{shown} is not present")
        service = json_codec.load(entry.data)["spec"]
        if service["type"] != "ClusterIP":
            return None
        found = next((each for each in service.get("ports") or () if each["port"] == port), None)
        if found is None:
            return Verdict("False", "ServicePortError", f"{shown} is not listening on port {port}")
        port_name = found.get("name") or ""
        slices = [
            each
            for kept in self._slices.store.cache.state.range(f"{namespace}/")
            if _service_of(each := json_codec.load(kept.data)) == f"{namespace}/{name}"
        ]
        # Differs from upstream: an Endpoints object counts too, which a controller makes slices of there.
        kept = self._endpoints.store.cache.get(namespace, name)
        subsets = [] if kept is None else json_codec.load(kept.data).get("subsets") or []
        if not slices and not subsets:
            return Verdict("False", "EndpointsNotFound", f"cannot find endpointslices for {shown}")
        if endpoints.pick(slices, port_name) or endpoints.pick_from_endpoints({"subsets": subsets}, port_name):
            return None
        text = f"endpointslices for {shown} have no addresses with port name {gofmt.quote(port_name)}"
        return Verdict("False", "MissingEndpoints", text)


def _service_of(each: Object) -> str:
    """The path of the service that a slice belongs to."""
    metadata = each["metadata"]
    return f"{metadata.get('namespace', '')}/{(metadata.get('labels') or {}).get(_SERVICE_NAME, '')}"


def _is_available(obj: Object) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == _TYPE and each.get("status") == "True" for each in conditions)


async def _pass(_: Object) -> str:
    return ""


def _count_nothing(_name: str, _reason: str) -> None:
    return None


def _is_unknown(_namespace: str, _name: str, _port: int) -> bool:
    return False


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
