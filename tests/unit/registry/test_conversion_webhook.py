"""Objects that a webhook converts: what it is asked, what is taken of its answers, and how often it is asked."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.metrics.exposition import format_pieces
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry import awaited
from quarterdeck.registry.customresource import conversion_review
from quarterdeck.registry.customresource.callers import Caller
from quarterdeck.registry.customresource.codec import CustomResourceCodec
from quarterdeck.registry.customresource.conversion import ConversionError
from quarterdeck.registry.customresource.forms import AwaitedForm
from quarterdeck.registry.customresource.webhook import WebhookConverter
from quarterdeck.storage.cacher import Entry, encode
from quarterdeck.webhook.client import WebhookFailed
from support.webhooks import LocalWebhook, NoWebhooks, converting

GROUP = "example.com"
VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v2")
FAILED = "conversion webhook for example.com/v1, Kind=Widget"
Object = dict[str, Any]


def widget(name: str, version: str = "v1", **metadata: Any) -> Object:
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Widget",
        "metadata": {"name": name, "uid": f"uid-{name}", **metadata},
        "spec": {"x": 1},
    }


def answer(change: Callable[[Object], Any] = lambda obj: obj, **response: Any) -> Callable[[Object], Object]:
    """The response of a webhook that converts, and then changes each object. `response` takes members' places."""

    def respond(request: Object) -> Object:
        converted = [
            change({**copy.deepcopy(obj), "apiVersion": request["desiredAPIVersion"]}) for obj in request["objects"]
        ]
        return {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}, **response}

    return respond


def converter(
    webhook: Caller, review_versions: tuple[str, ...] = ("v1",), metrics: Registry | None = None
) -> WebhookConverter:
    config = {"conversionReviewVersions": review_versions}
    return WebhookConverter(config, VERSIONS, converting(webhook, metrics), "widgets.example.com")


class Configured:
    """`bundle` is that with which a call is made."""

    bundle = "none"

    async def call(self, config: Mapping[str, Any], review: bytes, timeout_s: float, about: object = None) -> bytes:
        self.bundle = config["caBundle"]
        raise WebhookFailed("not called")


@pytest.mark.parametrize(("bundle", "used"), [("IAo=", ""), ("", ""), ("bm8=", "bm8=")])
async def test_a_ca_bundle_of_white_space_counts_as_none(bundle: str, used: str) -> None:
    webhook = Configured()
    config = {"conversionReviewVersions": ("v1",), "clientConfig": {"url": "https://a.b", "caBundle": bundle}}
    called = WebhookConverter(config, VERSIONS, converting(webhook), "widgets.example.com")
    with pytest.raises(ConversionError):
        await called.fetch([widget("a")], VERSIONS[1])
    assert webhook.bundle == used


def with_metadata(obj: Object, **members: Any) -> Object:
    return {**obj, "metadata": {**obj["metadata"], **members}}


@pytest.mark.parametrize(
    ("respond", "text"),
    [
        (answer(uid="other"), f'{FAILED} failed: expected response.uid="<uid>", got "other"'),
        (answer(result={"status": "Failure", "message": "no"}), f"{FAILED} failed: no"),
        (answer(result={"status": "Failure"}), f"{FAILED} failed: response.result.status was 'Failure', not 'Success'"),
        (answer(result={}), f"{FAILED} failed: response.result.status was '', not 'Success'"),
        (answer(convertedObjects=[]), f"{FAILED} returned 0 objects, expected 1"),
        (
            answer(lambda obj: {**obj, "apiVersion": "example.com/v3"}),
            f"{FAILED} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received "
            "example.com/v3)",
        ),
        (
            answer(lambda obj: {**obj, "kind": "Gadget"}),
            f"{FAILED} returned invalid object at index 0: invalid kind (expected Widget, received Gadget)",
        ),
        (
            answer(lambda obj: {**obj, "apiVersion": 5}),
            f"{FAILED} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received )",
        ),
        (
            answer(lambda obj: {**obj, "apiVersion": "example.com/"}),
            f"{FAILED} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received "
            "example.com/)",
        ),
        (answer(lambda obj: None), "unexpected end of JSON input"),
        (answer(lambda obj: "x"), "json: cannot unmarshal string into Go value of type map[string]interface {}"),
        (answer(lambda obj: {"kind": 5}), "Object 'Kind' is missing in '{\"kind\": 5}'"),
        (
            answer(lambda obj: {"kind": "Widget", "apiVersion": "a/b/c"}),
            'Object \'Kind\' is missing in \'{"kind": "Widget", "apiVersion": "a/b/c"}\'',
        ),
        (
            answer(convertedObjects={}),
            f"{FAILED} failed: json: cannot unmarshal object into Go struct field "
            "ConversionResponse.response.convertedObjects of type []runtime.RawExtension",
        ),
        (
            answer(partial(with_metadata, name="b")),
            f"{FAILED} returned invalid object: must have the same name: a != b",
        ),
        (
            answer(partial(with_metadata, uid="b")),
            f"{FAILED} returned invalid object: must have the same UID: uid-a != b",
        ),
        (
            answer(partial(with_metadata, labels=["x"])),
            f"{FAILED} returned invalid metadata: invalid metadata.labels of type []interface {{}} in converted object",
        ),
        (
            answer(partial(with_metadata, labels={"x": 1})),
            f"{FAILED} returned invalid metadata: metadata.labels[x] must be a string, but is int64 in converted "
            "object",
        ),
    ],
)
async def test_what_is_not_taken(respond: Callable[[Object], Object], text: str) -> None:
    webhook = LocalWebhook(respond)
    with pytest.raises(ConversionError) as refused:
        await converter(webhook).fetch([widget("a")], VERSIONS[1])
    assert refused.value.message == text.replace("<uid>", webhook.requests[-1]["uid"])


async def test_only_labels_and_annotations_of_metadata_are_taken() -> None:
    change = partial(with_metadata, labels={"a": "1"}, annotations=None, finalizers=["a.b/c"], generation=7)
    (converted,) = await converter(LocalWebhook(answer(change))).fetch(
        [widget("a", annotations={"x": "y"})], VERSIONS[1]
    )
    assert converted["metadata"] == {"name": "a", "uid": "uid-a", "labels": {"a": "1"}}


async def test_v1beta1_answers_need_no_uid() -> None:
    webhook = LocalWebhook(answer(uid="other"))
    (converted,) = await converter(webhook, ("v9", "v1beta1")).fetch([widget("a")], VERSIONS[1])
    assert converted["apiVersion"] == VERSIONS[1]


async def test_there_has_to_be_a_version_of_the_review_that_both_know() -> None:
    with pytest.raises(ConversionError, match="no supported conversion review versions"):
        await converter(LocalWebhook(answer()), ("v9",)).fetch([widget("a")], VERSIONS[1])


async def test_a_thousand_objects_take_twenty_calls_at_most() -> None:
    webhook = LocalWebhook(answer())
    objs = [widget(str(number)) for number in range(1000)]
    converted = await converter(webhook).fetch(objs, VERSIONS[1])
    assert [obj["metadata"]["name"] for obj in converted] == [obj["metadata"]["name"] for obj in objs]
    assert len(webhook.requests) <= 20


async def test_a_batch_fails_as_its_first_bad_object_does() -> None:
    def rename(obj: Object) -> Object:
        name = obj["metadata"]["name"]
        return with_metadata(obj, name="renamed") if name in ("3", "5") else obj

    with pytest.raises(ConversionError, match="must have the same name: 3 != renamed"):
        await converter(LocalWebhook(answer(rename))).fetch([widget(str(number)) for number in range(9)], VERSIONS[1])


async def test_a_step_is_called_again_until_its_conversions_are_there() -> None:
    webhook = LocalWebhook(answer())
    convert = converter(webhook)
    calls = 0

    def step() -> tuple[Object, Object]:
        nonlocal calls
        calls += 1
        return convert.convert(widget("a"), VERSIONS[1]), convert.convert(widget("b"), VERSIONS[1])

    first, second = await awaited.settle(step)
    assert (first["metadata"]["name"], second["metadata"]["name"], calls) == ("a", "b", 3)
    assert convert.results == {}
    await awaited.settle(step)  # nothing is kept for others: the webhook may answer differently
    assert len(webhook.requests) == 4


async def test_what_a_step_cannot_have_is_its_error() -> None:
    convert = converter(LocalWebhook(answer(convertedObjects=[])))
    with pytest.raises(ConversionError, match="returned 0 objects"):
        await awaited.settle(partial(convert.convert, widget("a"), VERSIONS[1]))
    assert convert.results == {}


async def test_what_converts_nothing_calls_nobody() -> None:
    webhook = LocalWebhook(answer())
    convert = converter(webhook)
    assert await awaited.settle(partial(convert.convert, widget("a"), VERSIONS[0])) == widget("a")
    assert webhook.requests == []


class Engine:
    """No schema."""

    def prune_and_default(self, obj: Object, *, report_unknown: bool) -> list[str]:
        return []

    def default_applied(self, obj: Object) -> tuple[bool, bool]:
        return False, False

    def default_admitted(self, obj: Object) -> None: ...

    def settle_admitted(self, obj: Object) -> None: ...

    def drop_unseen(self, obj: Object) -> bool:
        return False

    def prune(self, obj: Object) -> None: ...

    def default(self, obj: Object) -> bool:
        return False


def form(webhook: LocalWebhook) -> AwaitedForm:
    gvk = GroupVersionKind(GROUP, "v2", "Widget")
    engines = dict.fromkeys(VERSIONS, Engine())
    return AwaitedForm(CustomResourceCodec(gvk, VERSIONS[0], engines, converter(webhook)), gvk)  # type: ignore[arg-type]


def entry(name: str, revision: int) -> Entry:
    return Entry(name, "", json_codec.encode(widget(name)), revision, revision)


async def test_an_object_is_converted_once_for_all_who_ask_at_the_same_time() -> None:
    webhook = LocalWebhook(answer())
    shown = form(webhook)
    first, second = entry("a", 1), entry("b", 2)
    await asyncio.gather(shown.prepare([first]), shown.prepare([first, second]), shown.prepare([second]))
    await shown.prepare([entry for entry in (first, second) if entry.encoding(shown) is None])
    assert sorted(obj["metadata"]["name"] for request in webhook.requests for obj in request["objects"]) == ["a", "b"]
    assert json_codec.load(encode(first, shown))["apiVersion"] == VERSIONS[1]


async def test_what_converts_stored_objects_is_told_no_revision() -> None:
    webhook = LocalWebhook(answer())
    shown, one = form(webhook), Entry("a", "", json_codec.encode(widget("a", resourceVersion="7")), 7, 7)
    await shown.prepare([one])
    assert json_codec.load(encode(one, shown))["metadata"]["resourceVersion"] == "7"
    read = await awaited.settle(partial(shown._codec.decode, one.data))
    assert read["metadata"]["resourceVersion"] == "7"
    metadata = [obj["metadata"] for request in webhook.requests for obj in request["objects"]]
    assert metadata == [{"name": "a", "uid": "uid-a"}] * 2


def test_a_review_has_a_response_in_which_nothing_is_set() -> None:
    review = json_codec.load(conversion_review.build("v1", "u", [widget("a")], VERSIONS[1]))
    assert review == {
        "kind": "ConversionReview",
        "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "u", "desiredAPIVersion": VERSIONS[1], "objects": [widget("a")]},
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }


async def test_who_waited_for_another_asks_again_where_that_failed() -> None:
    replies = iter([answer(convertedObjects=[]), answer()])

    def respond(request: Object) -> Object:
        return next(replies)(request)

    webhook = LocalWebhook(respond)
    shown, one = form(webhook), entry("a", 1)
    outcomes = await asyncio.gather(shown.prepare([one]), shown.prepare([one]), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ConversionError, type(None)]
    assert one.encoding(shown) is not None


@pytest.mark.parametrize(
    ("webhook", "failure"),
    [
        (LocalWebhook(answer()), ""),
        (NoWebhooks(), "conversion_webhook_call_failure"),
        (LocalWebhook(answer(uid="other")), "conversion_webhook_malformed_response_failure"),
        (LocalWebhook(answer(convertedObjects=[])), "conversion_webhook_partial_response_failure"),
        (LocalWebhook(answer(lambda obj: None)), "conversion_webhook_invalid_converted_object_failure"),
    ],
)
async def test_calls_are_counted_and_timed(webhook: Caller, failure: str) -> None:
    metrics = Registry()
    asked = converter(webhook, metrics=metrics).fetch([widget("a")], VERSIONS[1])
    if failure:
        with pytest.raises(ConversionError):
            await asked
    else:
        await asked
    labels = f'failure_type="{failure}",result="{"failure" if failure else "success"}"'
    what = (
        f'crd_name="widgets.example.com",from_version="v1",succeeded="{"false" if failure else "true"}",to_version="v2"'
    )
    lines = b"".join(format_pieces(metrics)).decode().splitlines()
    counts = [line for line in lines if "_count" in line or ("_total" in line and line[0] != "#")]
    assert counts == [
        f"apiserver_conversion_webhook_duration_seconds_count{{{labels}}} 1",
        f"apiserver_conversion_webhook_request_total{{{labels}}} 1",
        f"apiserver_crd_conversion_webhook_duration_seconds_count{{{what}}} 1",
    ]
