"""Answers read as reviews."""

from __future__ import annotations

import pytest

from quarterdeck.webhook import review
from quarterdeck.webhook.client import WebhookFailed

GROUP = "admission.k8s.io"
META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def decode(data: bytes, version: str = "v1") -> dict[str, object]:
    return review.decode(data, GROUP, version, review.ADMISSION[version])


def test_review() -> None:
    assert decode(
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"a":1},'
        b'"response":{"uid":"u","allowed":true,"other":1,"status":{"code":403,"message":"m"},"warnings":["w"]}}'
    ) == {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "response": {
            "uid": "u",
            "allowed": True,
            "status": {"metadata": {}, "message": "m", "code": 403},
            "warnings": ["w"],
        },
    }


def test_yaml_and_missing_kinds_are_read() -> None:
    assert decode(b"response:\n  allowed: true\n") == {"response": {"uid": "", "allowed": True}}


NO_KIND = "couldn't get version/kind; json parse error: "
WRONG = {
    b"not json": f"{NO_KIND}json: cannot unmarshal string into Go value of type {META}",
    b"[]": f"{NO_KIND}json: cannot unmarshal array into Go value of type {META}",
    b"{": f"{NO_KIND}unexpected end of JSON input",
    b'{"kind":"Status","apiVersion":"v1"}': "converting (v1.Status) to (v1.AdmissionReview): unknown conversion",
    b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}': (
        "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"
    ),
    b'{"kind":"Foo","apiVersion":"a/v1"}': (
        'no kind "Foo" is registered for version "a/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'
    ),
    b'{"response":{"allowed":"yes"}}': (
        "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool"
    ),
}


@pytest.mark.parametrize("data", WRONG)
def test_wrong_answer(data: bytes) -> None:
    with pytest.raises(WebhookFailed) as caught:
        decode(data)
    assert caught.value.text == WRONG[data]
