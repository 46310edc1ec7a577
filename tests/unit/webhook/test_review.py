"""Answers read as reviews."""

from __future__ import annotations

import pytest

from quarterdeck.webhook import review
from quarterdeck.webhook.client import WebhookFailed

GROUP = "admission.k8s.io"
META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def decode(data: bytes, version: str = "v1") -> dict[str, object]:
    return review.decode(data, GROUP, version, review.ADMISSION[version])


def test_a_review_is_read_without_what_nobody_asks_for() -> None:
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


@pytest.mark.parametrize(
    ("request_sent", "told"),
    [
        ("1", "number into Go struct field AdmissionReview.request of type v1.AdmissionRequest"),
        ('{"uid": 1}', "number into Go struct field AdmissionRequest.request.uid of type types.UID"),
        ('{"kind": "x"}', "string into Go struct field AdmissionRequest.request.kind of type v1.GroupVersionKind"),
        ('{"kind": {"group": []}}', "array into Go struct field GroupVersionKind.request.kind.group of type string"),
        (
            '{"requestResource": {"version": true}}',
            "bool into Go struct field GroupVersionResource.request.requestResource.version of type string",
        ),
        ('{"operation": {}}', "object into Go struct field AdmissionRequest.request.operation of type v1.Operation"),
        ('{"dryRun": "x"}', "string into Go struct field AdmissionRequest.request.dryRun of type bool"),
        (
            '{"userInfo": {"extra": {"a": 1}}}',
            "number into Go struct field UserInfo.request.userInfo.extra of type v1.ExtraValue",
        ),
    ],
)
def test_what_was_asked_is_decoded_where_it_comes_back(request_sent: str, told: str) -> None:
    data = f'{{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{request_sent}}}'
    with pytest.raises(WebhookFailed, match="json: cannot unmarshal ") as failed:
        decode(data.encode())
    assert str(failed.value).endswith(told)


@pytest.mark.parametrize("request_sent", ["null", "{}", '{"object": 1, "options": [], "other": 1, "dryRun": null}'])
def test_what_was_asked_may_be_anything_where_its_type_is_not_told(request_sent: str) -> None:
    data = f'{{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{request_sent}}}'
    assert "request" not in decode(data.encode())


@pytest.mark.parametrize(
    ("request_sent", "told"),
    [
        ('{"desiredAPIVersion": 1}', "ConversionRequest.request.desiredAPIVersion of type string"),
        ('{"objects": {}}', "ConversionRequest.request.objects of type []runtime.RawExtension"),
    ],
)
def test_what_a_conversion_was_asked_is_decoded_too(request_sent: str, told: str) -> None:
    data = f'{{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{request_sent}}}'
    with pytest.raises(WebhookFailed) as failed:
        review.decode(data.encode(), "apiextensions.k8s.io", "v1", review.CONVERSION["v1"])
    assert str(failed.value).endswith(told)
