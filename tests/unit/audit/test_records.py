"""The events of one request, as they are written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import orjson

from quarterdeck.apimachinery.user import User
from quarterdeck.audit import levels
from quarterdeck.audit.event import Event
from quarterdeck.audit.origin import Origin
from quarterdeck.audit.policy import Decision
from quarterdeck.audit.record import Record
from quarterdeck.transport.messages import Response, Stream, StreamWriter

BEGIN_NS = 1_800_000_000_123_456_789
ADMIN = User("admin", "u1", ("g",), {"k": ("v",)})
REF = {"resource": "widgets", "namespace": "default", "apiGroup": "example.com", "apiVersion": "v1"}
BASE = {
    "kind": "Event",
    "apiVersion": "audit.k8s.io/v1",
    "auditID": "id",
    "requestURI": "/apis/example.com/v1/namespaces/default/widgets?x=1",
    "verb": "create",
    "user": {"username": "admin", "uid": "u1", "groups": ["g"], "extra": {"k": ["v"]}},
    "sourceIPs": ["10.0.0.1"],
    "userAgent": "kubectl/v1",
    "requestReceivedTimestamp": "2027-01-15T08:00:00.123456Z",
}
JSON = [("Content-Type", "application/json")]


class Kept:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        self.events.append(event)
        return None

    def read(self) -> list[dict[str, Any]]:
        return [orjson.loads(b"".join(event.line())) for event in self.events]


class Ticking:
    """A millisecond later each time."""

    def __init__(self) -> None:
        self.now_ns = BEGIN_NS

    def __call__(self) -> int:
        self.now_ns += 1_000_000
        return self.now_ns


def begin(level: int, kept: Kept, *, verb: str = "create", omits_managed_fields: bool = False) -> Record:
    origin = Origin(
        "id",
        str(BASE["requestURI"]),
        verb,
        ADMIN,
        ["10.0.0.1"],
        "kubectl/v1",
        REF,
        BEGIN_NS,
        is_long_running=verb == "watch",
        shows_response=True,
    )
    return Record(kept, Decision(level, frozenset(), omits_managed_fields), origin, Ticking())


def finish(record: Record, response: Response, annotations: dict[str, str] | None = None) -> None:
    assert record.finish(response, annotations or {}) is response


def test_metadata_of_a_create() -> None:
    kept = Kept()
    record = begin(levels.METADATA, kept)
    record.receive({})
    record.log_object({"metadata": {"name": "a", "uid": "u", "resourceVersion": "7"}, "spec": 1})
    annotations = {"patch.webhook.admission.k8s.io/round_0_index_0": "{}", "b/b": "2", "a/a": "1"}
    finish(record, Response(201, JSON, b"{}"), annotations)
    received, complete = kept.read()
    assert received == BASE | {
        "level": "Metadata",
        "stage": "RequestReceived",
        "objectRef": REF,
        "stageTimestamp": "2027-01-15T08:00:00.123456Z",
    }
    assert complete == BASE | {
        "level": "Metadata",
        "stage": "ResponseComplete",
        "objectRef": REF | {"name": "a", "uid": "u", "resourceVersion": "7"},
        "responseStatus": {"metadata": {}, "code": 201},
        "stageTimestamp": "2027-01-15T08:00:00.124456Z",
        "annotations": {"a/a": "1", "b/b": "2"},
    }


def test_members_stand_in_upstreams_order() -> None:
    kept = Kept()
    record = begin(levels.REQUEST_RESPONSE, kept)
    record.impersonate(User("jane"), "impersonate:user-info")
    record.log_object({"metadata": {"name": "a"}})
    finish(record, Response(201, JSON, b'{"a":1}'), {"patch.webhook.admission.k8s.io/round_0_index_0": "{}"})
    event = kept.read()[0]
    assert list(event) == [
        *("kind", "apiVersion", "level", "auditID", "stage", "requestURI", "verb", "user", "impersonatedUser"),
        *("authenticationMetadata", "sourceIPs", "userAgent", "objectRef", "responseStatus", "requestObject"),
        *("responseObject", "requestReceivedTimestamp", "stageTimestamp", "annotations"),
    ]
    assert event["impersonatedUser"] == {"username": "jane"}
    assert event["authenticationMetadata"] == {"impersonationConstraint": "impersonate:user-info"}
    assert event["requestObject"] == {"metadata": {"name": "a"}}
    assert event["responseObject"] == {"a": 1}
    assert list(event["annotations"]) == ["patch.webhook.admission.k8s.io/round_0_index_0"]


def test_a_refusal_shows_its_status() -> None:
    kept = Kept()
    record = begin(levels.METADATA, kept)
    record.log_status({"kind": "Status", "status": "Failure", "message": "no", "reason": "NotFound", "code": 404})
    finish(record, Response(404, JSON, b"{}"))
    wanted = {"metadata": {}, "status": "Failure", "message": "no", "reason": "NotFound", "code": 404}
    assert kept.read()[0]["responseStatus"] == wanted


def test_a_panic_takes_the_place_of_the_end() -> None:
    kept = Kept()
    begin(levels.METADATA, kept).panic(ValueError("boom"), {})
    event = kept.read()[0]
    assert event["stage"] == "Panic"
    assert event["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": "APIServer panic'd: boom",
        "reason": "InternalError",
        "code": 500,
    }


def test_what_was_refused_before_its_audit_is_one_event() -> None:
    kept = Kept()
    record = begin(levels.METADATA, kept, verb="watch")
    record.is_refused = True
    finish(record, Response(401, JSON, b"{}"))
    assert [event["stage"] for event in kept.read()] == ["ResponseStarted"]


def test_a_slow_request_tells_how_long_it_took() -> None:
    kept = Kept()
    record = begin(levels.METADATA, kept)
    clock: Any = record._clock  # a millisecond a call
    clock.now_ns += 1_500_000_000
    finish(record, Response(200, JSON, b"{}"))
    assert kept.read()[0]["annotations"] == {"apiserver.latency.k8s.io/total": "1.501s"}


class Silent(Stream):
    __slots__ = ()

    def opened(self, writer: StreamWriter) -> None: ...

    def resumed(self) -> None: ...

    def closed(self) -> None: ...


def test_a_watch_has_a_start_and_an_end() -> None:
    kept = Kept()
    stream: Any = begin(levels.REQUEST_RESPONSE, kept, verb="watch").finish(Silent(200, []), {})
    stream.opened(None)
    assert [event["stage"] for event in kept.read()] == ["ResponseStarted"]
    stream.closed()
    events = kept.read()
    assert [event["stage"] for event in events] == ["ResponseStarted", "ResponseComplete"]
    assert [event["responseStatus"]["code"] for event in events] == [200, 200]
    assert not any("responseObject" in event for event in events)


def test_a_watch_that_the_transport_refuses_shows_that() -> None:
    kept = Kept()
    stream: Any = begin(levels.METADATA, kept, verb="watch").finish(Silent(200, []), {})
    stream.status = 429
    stream.closed()
    assert [event["responseStatus"]["code"] for event in kept.read()] == [429, 429]


def test_managed_fields_are_left_out_where_the_policy_says_so() -> None:
    owned = {"name": "a", "managedFields": [{"manager": "m"}]}
    bare = {"metadata": {"name": "a"}}
    for shown, wanted in (
        ({"metadata": owned}, bare),
        ({"kind": "List", "metadata": {}, "items": [{"metadata": owned}]}, {"items": [bare]}),
        ({"kind": "Table", "rows": [{"object": {"metadata": owned}}]}, {"rows": [{"object": bare}]}),
    ):
        kept = Kept()
        record = begin(levels.REQUEST_RESPONSE, kept, omits_managed_fields=True)
        record.log_object({"metadata": owned})
        finish(record, Response(200, JSON, orjson.dumps(shown)))
        event = kept.read()[0]
        assert event["requestObject"] == bare
        assert event["responseObject"] == {**shown, **wanted}
    kept = Kept()
    finish(begin(levels.REQUEST_RESPONSE, kept), Response(200, JSON, orjson.dumps({"metadata": owned})))
    assert kept.read()[0]["responseObject"] == {"metadata": owned}


def patched(patch: bytes) -> Any:
    kept = Kept()
    record = begin(levels.REQUEST, kept)
    record.log_patch(patch, None)
    finish(record, Response(200, JSON, b"{}"))
    assert b"\n" not in b"".join(kept.events[0].line())[:-1]
    return kept.read()[0]["requestObject"]


def test_patches_are_shown_as_sent_and_always_in_one_line() -> None:
    assert patched(b'[{"op": "remove", "path": "/a"}]') == [{"op": "remove", "path": "/a"}]
    assert patched(b'{\n  "a": "x\\ny"\n}\n') == {"a": "x\ny"}
    assert patched(b"kind: X\nspec:\n  a: 1\n") == {"kind": "X", "spec": {"a": 1}}
    assert patched(b"{\xff") == "{\ufffd"


def test_answers_in_other_forms_are_shown_as_json() -> None:
    kept = Kept()
    finish(begin(levels.REQUEST_RESPONSE, kept), Response(200, JSON, b'{\n "a": 1\n}'))
    yaml = Response(200, [("Content-Type", "application/yaml")], b"a: 1\n")
    finish(begin(levels.REQUEST_RESPONSE, kept), yaml)
    finish(begin(levels.REQUEST_RESPONSE, kept), Response(200, [("Content-Type", "text/plain")], b"ok"))
    assert [event.get("responseObject") for event in kept.read()] == [{"a": 1}, {"a": 1}, None]


async def test_a_large_answer_is_read_beside_the_loop() -> None:
    kept = Kept()
    body = orjson.dumps({"metadata": {"managedFields": []}, "data": "x" * 100_000})
    record = begin(levels.REQUEST_RESPONSE, kept, omits_managed_fields=True)
    waiting = record.finish(Response(200, JSON, [body[:50_000], body[50_000:]]), {})
    assert isinstance(waiting, Awaitable)
    assert (await waiting).status == 200
    assert kept.read()[0]["responseObject"] == {"metadata": {}, "data": "x" * 100_000}


async def test_the_answer_waits_for_its_events() -> None:
    class Slow(Kept):
        def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
            super().process(event, is_last=is_last)
            return future

    future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    waiting = begin(levels.METADATA, Slow()).finish(Response(200, JSON, b"{}"), {})
    task = asyncio.ensure_future(waiting)  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert not task.done()
    future.set_result(False)
    assert (await task).status == 200


def test_the_legacy_format() -> None:
    kept = Kept()
    record = begin(levels.METADATA, kept)
    record.receive({})
    record.impersonate(User("jane", groups=("x", "y")), "")
    finish(record, Response(200, JSON, b"{}"))
    received, complete = (event.legacy_line().decode() for event in kept.events)
    tail = f'user-agent="kubectl/v1" namespace="default" uri="{BASE["requestURI"]}" response='
    begins = '2027-01-15T08:00:00.123456Z AUDIT: id="id" stage='
    middle = 'ip="10.0.0.1" method="create" user="admin" groups="\\"g\\""'
    assert received == f'{begins}"RequestReceived" {middle} as="<self>" asgroups="<lookup>" {tail}"<deferred>"\n'
    assert complete == (f'{begins}"ResponseComplete" {middle} as="jane" asgroups="\\"x\\",\\"y\\"" {tail}"200"\n')


def test_no_text_of_a_client_prevents_an_event() -> None:
    kept = Kept()
    finish(begin(levels.METADATA, kept), Response(200, JSON, b"{}"), {"a/b": "\ud800"})
    assert kept.read()[0]["annotations"] == {"a/b": "?"}
