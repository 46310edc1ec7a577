"""ImagePolicyWebhook: what the webhook is asked, and what becomes of its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.imagepolicy import ImagePolicy
from quarterdeck.admission.pluginsettings import ImagePolicySettings
from quarterdeck.apimachinery import errors
from quarterdeck.webhook.client import WebhookFailed

Object = dict[str, Any]
REVIEW = {"kind": "ImageReview", "apiVersion": "imagepolicy.k8s.io/v1alpha1"}


class Judge:
    """The webhook, with a clock: it answers with `status`, or with what `answer` returns."""

    def __init__(
        self, status: Object | None = None, answer: Callable[[], bytes] | None = None, **settings: Any
    ) -> None:
        self.asked: list[Object] = []
        self.now = 0.0
        self._answer = answer or (lambda: json.dumps({**REVIEW, "status": status}).encode())
        given: Any = {"remote": None, "allowed_s": 10, "denied_s": 5, "delay_s": 0, "is_open": False, **settings}
        self.plugin = ImagePolicy(ImagePolicySettings(**given), self._post, lambda: self.now)

    async def _post(self, body: bytes) -> bytes:
        self.asked.append(json.loads(body))
        return self._answer()

    def look_at(self, *images: str, **more: Any) -> tuple[str, Object]:
        """What the plugin says, and what is told to the audit."""
        annotations: Object = {}
        spec = {"containers": [{"image": image} for image in images], **more.pop("spec", {})}
        attributes: Any = SimpleNamespace(
            obj={"metadata": {"annotations": more.pop("annotations", {})}, "spec": spec},
            **{"operation": "CREATE", "subresource": "", "namespace": "ns", "name": "p", **more},
            annotate=annotations.__setitem__,
        )
        waiting = self.plugin.validate(attributes)
        try:
            if waiting is not None:
                asyncio.run(_wait(waiting))
        except errors.Forbidden as refused:
            return str(refused), annotations
        return "", annotations


async def _wait(waiting: Any) -> None:
    await waiting


def fail(status: int = 0, *, again: bool = False) -> Callable[[], bytes]:
    def answer() -> bytes:
        raise WebhookFailed("oops", status=status, may_be_repeated=again)

    return answer


def test_what_the_webhook_is_asked() -> None:
    judge = Judge({"allowed": True})
    spec = {"initContainers": [{"image": "i"}], "ephemeralContainers": [{"image": "e"}]}
    kept = {"a.image-policy.k8s.io/x": "y"}
    assert judge.look_at("a", "b", annotations={**kept, "image-policy.k8s.io/z": "q", "c": "d"}, spec=spec)[0] == ""
    images = [{"image": image} for image in ("a", "b", "i")]
    wanted = {"containers": images, "annotations": kept, "namespace": "ns"}
    assert judge.asked == [{**REVIEW, "metadata": {}, "spec": wanted, "status": {"allowed": False}}]
    judge.look_at("a", subresource="ephemeralcontainers", operation="UPDATE", spec=spec)
    assert judge.asked[1]["spec"] == {"containers": [{"image": "e"}], "namespace": "ns"}


@pytest.mark.parametrize("more", [{"subresource": "status"}, {"operation": "DELETE"}, {"operation": "CONNECT"}])
def test_what_is_not_asked_about(more: Object) -> None:
    judge = Judge({"allowed": False})
    assert judge.look_at("a", **more)[0] == ""
    assert judge.asked == []


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ({"allowed": False, "reason": "no"}, "image policy webhook backend denied one or more images: no"),
        ({"allowed": False}, "one or more images rejected by webhook backend"),
        ({}, "one or more images rejected by webhook backend"),
    ],
)
def test_images_that_are_denied(status: Object, told: str) -> None:
    assert Judge(status).look_at("a")[0] == f'pods "p" is forbidden: {told}'


def test_verdicts_hold_for_their_time() -> None:
    for status, lasts_s in (({"allowed": True}, 10), ({"allowed": False}, 5)):
        judge = Judge(status)
        for now, count in ((0, 1), (lasts_s - 0.1, 1), (lasts_s, 2)):
            judge.now = now
            judge.look_at("a")
            assert len(judge.asked) == count
        judge.look_at("b")
        assert len(judge.asked) == 3
    judge = Judge({"allowed": False}, denied_s=0)
    for _ in range(2):
        judge.look_at("a")
    assert len(judge.asked) == 2, "a time of nothing"


def test_the_audit_is_told_what_the_webhook_tells() -> None:
    status = {"allowed": True, "auditAnnotations": {"k": "v"}}
    assert Judge(status).look_at("a") == ("", {"imagepolicywebhook.image-policy.k8s.io/k": "v"})


def test_a_webhook_that_fails_shuts_pods_out_or_lets_them_in() -> None:
    assert Judge(answer=fail()).look_at("a") == ('pods "p" is forbidden: oops', {})
    opened = {"imagepolicywebhook.image-policy.k8s.io/failed-open": "true"}
    assert Judge(answer=fail(), is_open=True).look_at("a") == ("", opened)
    assert Judge(answer=fail(403)).look_at("a")[0] == "oops", "it forbids in its own words"


@pytest.mark.parametrize(("answer", "count"), [(fail(again=True), 5), (fail(), 1)])
def test_failures_that_may_pass_are_tried_again(answer: Callable[[], bytes], count: int) -> None:
    judge = Judge(answer=answer)
    judge.look_at("a")
    judge.look_at("a")
    assert len(judge.asked) == 2 * count, "and no failure is remembered"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"garbage", "couldn't get version/kind"),
        (
            json.dumps({**REVIEW, "kind": "Odd"}).encode(),
            'no kind "Odd" is registered for version "imagepolicy.k8s.io/',
        ),
        (json.dumps({**REVIEW, "status": {"allowed": "x"}}).encode(), "cannot unmarshal string into Go struct field"),
    ],
)
def test_answers_that_cannot_be_read_are_failures(answer: bytes, told: str) -> None:
    judge = Judge(answer=lambda: answer)
    assert told in judge.look_at("a")[0]
    assert Judge(answer=lambda: answer, is_open=True).look_at("a")[0] == ""
