"""Whatever a client's patch and webhooks make of an object, the live object that validating admission is shown with it
is the one that was stored: a mutation that reached into it would hide changes, or store them unasked."""

from __future__ import annotations

import asyncio
import base64
import json
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.chain import Chain, Plugins
from quarterdeck.admission.webhooks.counts import MUTATING, WebhookCounts
from quarterdeck.admission.webhooks.hookmatcher import HookMatcher
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.mutating import MutatingWebhooks
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import SYSTEM_MASTERS, User
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import patch, update
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.writes import WriteContext
from quarterdeck.transport.messages import ConnectionInfo, Request
from quarterdeck.webhook.client import Call
from support.control import GROUP, World

Object = dict[str, Any]
ADMIN = User("admin", groups=(SYSTEM_MASTERS,))
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3)
STEPS = st.one_of(NAMES, st.sampled_from(["0", "1", "-"]))
POINTERS = st.one_of(
    st.lists(STEPS, max_size=3).map(lambda steps: "/".join(["/spec", *steps])),
    st.sampled_from(["/metadata/labels", "/metadata/labels/a", "/metadata/annotations", "/data", "/data/a"]),
)
OPERATIONS = st.lists(
    st.one_of(
        st.builds(lambda op, path, value: {"op": op, "path": path, "value": value}, st.sampled_from(["add", "replace"]),
                  POINTERS, VALUES),
        st.builds(lambda path: {"op": "remove", "path": path}, POINTERS),
        st.builds(lambda op, source, path: {"op": op, "from": source, "path": path}, st.sampled_from(["copy", "move"]),
                  POINTERS, POINTERS),
    ),
    max_size=3,
)  # fmt: skip
KINDS = {
    "json-patch": "application/json-patch+json",
    "merge-patch": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class Answering:
    """A webhook that answers each review with these operations."""

    def __init__(self, operations: list[Object]) -> None:
        self._operations = operations

    async def ask(self, call: Call) -> bytes:
        asked = json.loads(call.review)
        patched = base64.b64encode(json.dumps(self._operations).encode()).decode()
        response = {"uid": asked["request"]["uid"], "allowed": True, "patchType": "JSONPatch", "patch": patched}
        return json.dumps({**asked, "request": None, "response": response}).encode()


class Watching:
    """The validating pass: what is live by its account."""

    def __init__(self, live: Object) -> None:
        self._live = live
        self.calls = 0

    def validate(self, attributes: Attributes) -> None:
        self.calls += 1
        assert attributes.old == self._live
        assert attributes.obj is not attributes.old


def webhook() -> Hook:
    rule = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
    made = {"name": "w", "rules": [rule], "clientConfig": {"url": "https://localhost/"}, "sideEffects": "None"}
    return Hook("c", {**made, "admissionReviewVersions": ["v1"], "reinvocationPolicy": "IfNeeded"}, "c/w/0")


def refuse(*_: Any) -> Any:
    raise AssertionError("nobody asks")


async def begin(*, is_custom: bool) -> Scope:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    return world.scope_of("widgets") if is_custom else world.builtin["", "v1", "configmaps"][""]


async def write(scope: Scope, live: Object, verb: str, body: Any, operations: list[Object]) -> None:
    """The client's write of a live object, which a webhook changes by these operations."""
    name = live["metadata"]["name"]
    of = {"apiVersion": scope.resource.api_version, "kind": scope.resource.kind}
    obj: Object = {**of, **live}
    scope.codec.normalize(obj, report_unknown=False)
    await scope.store.create(scope, obj, WriteContext(False, []))
    entry = scope.store.get("ns", name)
    watching = Watching(json_codec.load(entry.data))
    matcher, counts = HookMatcher(refuse, refuse), WebhookCounts(Registry(), MUTATING)
    mutating = MutatingWebhooks(lambda: (webhook(),), Answering(operations), matcher, counts)  # type: ignore[arg-type]
    chain = Chain(Plugins((mutating,), (watching,)))
    if verb in ("put", "apply"):
        body = {**of, **body, "metadata": {**live["metadata"], **body.get("metadata", {})}}
    method, handler = ("PUT", update.UpdateHandler(chain)) if verb == "put" else ("PATCH", patch.PatchHandler(chain))
    headers = {"content-type": KINDS.get(verb, "application/json")}
    query = "fieldManager=m&force=true" if verb == "apply" else ""
    group = f"/apis/{GROUP}/v1" if scope.is_custom else "/api/v1"
    address = f"{group}/namespaces/ns/{scope.resource.name}/{name}"
    http = Request(method, address, query, headers, json.dumps(body).encode(), ConnectionInfo("", is_secure=True))
    request = RequestContext(http, "", 0.0)
    request.user = ADMIN
    try:
        await handler(request, request.info, scope)
    except errors.APIStatus:
        assert scope.store.get("ns", name).data == entry.data
    assert json_codec.load(entry.data)["metadata"].pop("resourceVersion")


def changes(verb: str, content: Object, operations: list[Object], member: str) -> Any:
    return operations if verb == "json-patch" else {member: content, "metadata": {"labels": {"a": "1"}}}


def check(content: st.SearchStrategy[Object], member: str, verbs: list[str], *, is_custom: bool) -> None:
    names = count()
    with asyncio.Runner() as runner:
        scope = runner.run(begin(is_custom=is_custom))

        @settings(max_examples=100, deadline=None)
        @given(content, content, OPERATIONS, OPERATIONS, st.sampled_from(verbs))
        def hold(before: Object, after: Object, sent: list[Object], answered: list[Object], verb: str) -> None:
            metadata = {"name": f"o{next(names)}", "namespace": "ns", "labels": {"a": "0"}}
            body = changes(verb, after, sent, member)
            runner.run(write(scope, {"metadata": metadata, member: before}, verb, body, answered))

        hold()


def test_of_custom_resources() -> None:
    check(OBJECTS, "spec", ["put", "json-patch", "merge-patch", "apply"], is_custom=True)


def test_of_built_in_kinds() -> None:
    texts = st.dictionaries(NAMES, st.sampled_from(["", "x", "y"]), max_size=3)
    check(texts, "data", ["put", *KINDS], is_custom=False)
