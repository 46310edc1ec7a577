"""The audit of one request: what is known of it so far, and its events as it goes on.

`RequestReceived` comes before anything is done for the request, `ResponseStarted` with the head of a long-running
answer (a watch), `ResponseComplete` with the end, `Panic` in its place where the server has a bug.

Source: apiserver/pkg/audit/{context,request}.go, pkg/endpoints/filters/audit.go.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec.yaml import Decoded
from quarterdeck.apimachinery.user import User
from quarterdeck.audit import levels, objects
from quarterdeck.audit.event import Event
from quarterdeck.audit.origin import Origin
from quarterdeck.audit.policy import Decision
from quarterdeck.audit.shown import complete_ref, show_seconds, show_user
from quarterdeck.audit.streams import AuditedStream
from quarterdeck.audit.times import format_ns
from quarterdeck.transport.messages import Response, Stream

_CLOSED_EARLY: Final = {"metadata": {}, "status": "Success", "message": "Connection closed early", "code": 200}
_LATENCY_NS: Final = 500_000_000
_TOTAL_LATENCY: Final = "apiserver.latency.k8s.io/total"
# The one annotation that shows what a request holds, and so needs the level Request.
_PATCHES: Final = "patch.webhook.admission.k8s.io/"
_STATUS_MEMBERS: Final = ("status", "message", "reason", "details")


class Sink(Protocol):
    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        """Takes an event, and encodes it. What it gives is to be awaited before the request goes on: whether the event
        was kept. `is_last`: nothing comes behind it that would be awaited as well."""


class Record:
    """`clock` gives nanoseconds since 1970. `is_refused`: the request did not come as far as its audit."""

    __slots__ = (
        "_acting",
        "_clock",
        "_constraint",
        "_decision",
        "_hides_answer",
        "_object_ref",
        "_origin",
        "_patch",
        "_received",
        "_sent",
        "_sink",
        "_status",
        "_waits",
        "is_refused",
    )

    def __init__(self, sink: Sink, decision: Decision, origin: Origin, clock: Callable[[], int] = time.time_ns) -> None:
        self._sink = sink
        self._decision = decision
        self._origin = origin
        self._clock = clock
        self._object_ref = origin.object_ref
        self._received = format_ns(origin.received_ns)
        self._status: dict[str, Any] | None = None
        self._acting: User | None = None
        self._constraint = ""
        self._sent: bytes | None = None
        self._patch: tuple[bytes, object] | None = None
        self._waits: list[Awaitable[bool]] = []
        self._hides_answer = False
        self.is_refused = False

    # What is found out while the request is worked on.

    def impersonate(self, user: User, constraint: str) -> None:
        """`constraint`: the verb of the narrow way that allowed it, "" for the old one."""
        self._acting = user
        self._constraint = constraint

    def log_object(self, obj: Mapping[str, Any]) -> None:
        """The object of the body, as decoded."""
        metadata = obj.get("metadata")
        ref = self._object_ref
        if isinstance(metadata, dict) and ref is not None:
            self._object_ref = complete_ref(ref, metadata)
        if self._decision.level >= levels.REQUEST:
            self._sent = objects.encode_sent(obj, omits_managed_fields=self._decision.omits_managed_fields)

    def log_options(self, value: object) -> None:
        """A body that is no object of the resource (DeleteOptions)."""
        if self._decision.level >= levels.REQUEST and isinstance(value, dict):
            self._sent = objects.encode_sent(value, omits_managed_fields=False)

    def log_patch(self, patch: bytes, decoded: object) -> None:
        """`decoded`: what has been read of it already (a YAML body)."""
        if self._decision.level >= levels.REQUEST:
            self._patch = (patch, decoded if isinstance(decoded, Decoded) else None)

    def log_status(self, status: Mapping[str, Any]) -> None:
        """The Status that is answered."""
        kept = {name: status[name] for name in _STATUS_MEMBERS if status.get(name)}
        if "details" in status:  # though there be none
            kept["details"] = status["details"]
        self._status = {"metadata": {}, **kept}

    def hide_answer(self) -> None:
        """What is answered is not looked into: another server answers, which has an audit of its own, or the client
        takes none of the forms that there are."""
        self._hides_answer = True

    # Stages.

    def receive(self, annotations: dict[str, str]) -> Awaitable[bool] | None:
        """`annotations`: those that there are by now."""
        return self._emit(levels.REQUEST_RECEIVED, self._received, None, annotations.copy())

    def finish(self, response: Response, annotations: dict[str, str]) -> Response | Awaitable[Response]:
        """The answer as it is to be sent; awaited first where a backend wants to be waited for."""
        if isinstance(response, Stream):
            return AuditedStream(response, partial(self._start, annotations), partial(self._end, annotations))
        shown: objects.Pieces | None = None
        if self._decision.level >= levels.REQUEST:
            found = self._find_shown(response)
            if isinstance(found, Awaitable) or self._has_large_patch():
                return self._finish_later(response, annotations, found)
            self._take_patch()
            shown = found
        self._complete(response.status, annotations, shown)
        return self._when_kept(response) if self._waits else response

    def abandon(self, annotations: dict[str, str]) -> None:
        """The client has gone before there was an answer."""
        self._status = dict(_CLOSED_EARLY)
        self._complete(200, annotations, None)

    def panic(self, error: BaseException, annotations: dict[str, str]) -> None:
        status = {
            "metadata": {},
            "status": "Failure",
            "message": f"APIServer panic'd: {error}",
            "reason": "InternalError",
            "code": 500,
        }
        self._note(self._emit(levels.PANIC, self._now(), status, annotations))

    def await_at_end(self, waiting: Awaitable[bool]) -> None:
        """Before the answer is sent."""
        self._waits.append(waiting)

    def _find_shown(self, response: Response) -> objects.Pieces | Awaitable[objects.Pieces | None] | None:
        if self._decision.level < levels.REQUEST_RESPONSE or self._hides_answer:
            return None
        if not self._origin.shows_response and self._status is None:
            return None
        return objects.of_response(response, omits_managed_fields=self._decision.omits_managed_fields)

    def _has_large_patch(self) -> bool:
        return self._patch is not None and len(self._patch[0]) > offload.LARGE_BYTES

    def _take_patch(self) -> None:
        if self._patch is not None:
            self._sent = objects.encode_patch(*self._patch)
            self._patch = None

    async def _finish_later(
        self,
        response: Response,
        annotations: dict[str, str],
        found: objects.Pieces | Awaitable[objects.Pieces | None] | None,
    ) -> Response:
        """Of large objects, which are read beside the event loop."""
        await offload.run(self._take_patch)
        shown = await found if isinstance(found, Awaitable) else found
        self._complete(response.status, annotations, shown)
        return await self._when_kept(response)

    def _complete(self, code: int, annotations: dict[str, str], shown: objects.Pieces | None) -> None:
        status = self._status_of(code)
        if self.is_refused or self._origin.is_long_running:
            self._note(self._emit(levels.RESPONSE_STARTED, self._now(), status, annotations, shown))
        if not self.is_refused:
            self._close(status, annotations, shown)

    def _start(self, annotations: dict[str, str], code: int) -> None:
        """The head of a streamed answer is sent, which is long-running unless another server has sent it."""
        if not self._origin.is_long_running:
            return
        self._note(self._emit(levels.RESPONSE_STARTED, self._now(), self._status_of(code), annotations))

    def _end(self, annotations: dict[str, str], code: int) -> None:
        """A long-running answer has ended."""
        self._close(self._status_of(code), annotations, None)

    def _close(self, status: dict[str, Any], annotations: dict[str, str], shown: objects.Pieces | None) -> None:
        now_ns = self._clock()
        if now_ns - self._origin.received_ns > _LATENCY_NS:
            annotations[_TOTAL_LATENCY] = show_seconds(now_ns - self._origin.received_ns)
        self._note(self._emit(levels.RESPONSE_COMPLETE, format_ns(now_ns), status, annotations, shown))

    def _status_of(self, code: int) -> dict[str, Any]:
        status = self._status
        return {"metadata": {}, "code": code} if status is None else {**status, "code": code}

    def _now(self) -> str:
        return format_ns(self._clock())

    def _note(self, waiting: Awaitable[bool] | None) -> None:
        if waiting is not None:
            self.await_at_end(waiting)

    async def _when_kept(self, response: Response) -> Response:
        """Whether they were kept does not matter any more: the request is done."""
        for waiting in self._waits:
            await waiting
        return response

    def _emit(
        self,
        stage: str,
        at: str,
        status: dict[str, Any] | None,
        annotations: dict[str, str] | None,
        shown: objects.Pieces | None = None,
    ) -> Awaitable[bool] | None:
        if stage in self._decision.omitted:
            return None
        members = self._describe(stage, status)
        members["requestReceivedTimestamp"] = self._received
        members["stageTimestamp"] = at
        if annotations and (told := self._select(annotations)):
            members["annotations"] = told
        origin = self._origin
        event = Event(self._decision.level, members, origin.user, self._acting, self._sent, shown)
        return self._sink.process(event, is_last=stage != levels.REQUEST_RECEIVED)

    def _describe(self, stage: str, status: dict[str, Any] | None) -> dict[str, Any]:
        origin = self._origin
        members: dict[str, Any] = {
            "level": levels.LEVELS[self._decision.level],
            "auditID": origin.audit_id,
            "stage": stage,
            "requestURI": origin.uri,
            "verb": origin.verb,
            "user": show_user(origin.user),
        }
        if self._acting is not None:
            members["impersonatedUser"] = self._acting.to_user_info()
            if self._constraint:
                members["authenticationMetadata"] = {"impersonationConstraint": self._constraint}
        if origin.source_ips:
            members["sourceIPs"] = origin.source_ips
        if origin.user_agent:
            members["userAgent"] = origin.user_agent
        if self._object_ref is not None:
            members["objectRef"] = self._object_ref
        if status is not None:
            members["responseStatus"] = status
        return members

    def _select(self, annotations: dict[str, str]) -> dict[str, str]:
        """Those of the level."""
        if self._decision.level >= levels.REQUEST:
            return annotations
        for name in annotations:
            if name.startswith(_PATCHES):
                return {name: value for name, value in annotations.items() if not name.startswith(_PATCHES)}
        return annotations
