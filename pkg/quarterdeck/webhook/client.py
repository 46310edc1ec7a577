"""One call of a webhook: a review out, the bytes of its answer back, or why not in the words of kube-apiserver.

Source: apiserver/pkg/util/webhook/client.go; client-go/rest/request.go (Do, transformResponse, Result.Into);
apimachinery/pkg/api/errors/errors.go (NewGenericServerResponse).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json
from quarterdeck.transport.client.answers import Answer
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.webhook.config import BadConfig, Service, Target, read_target
from quarterdeck.webhook.unpacking import BadPacking, unpack

ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
HEADERS: Final = {
    "User-Agent": "kube-apiserver-admission",
    "Accept": "application/json, */*",
    "Content-Type": "application/json",
    "Accept-Encoding": "gzip",
}
_ALREADY: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
_UNREADABLE: Final = "unexpected error when reading response body. Please retry. Original error: "
_PORT_MAX: Final = 65535
_REPEATABLE: Final = (429, 500, 504)
_SERVERS_OWN: Final = (403, 406, 415)  # told in the server's words

ServiceResolver = Callable[[Service], tuple[str, int]]
About = Callable[[], tuple[str, dict[str, str | int]]]
"""Tells what a call is for, where somebody looks at calls: its name, and what else is known of it."""


class WebhookFailed(Exception):
    """There is no answer that can be used. `is_timeout`: none came within the time given; `status`: of one that came, 0
    for none; `may_be_repeated`: the same question may get another answer (upstream: DefaultShouldRetry)."""

    def __init__(self, text: str, *, is_timeout: bool = False, status: int = 0, may_be_repeated: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.is_timeout = is_timeout
        self.status = status
        self.may_be_repeated = may_be_repeated


class ServiceUnresolved(Exception):
    """Why a service or a URL leads to no address, in upstream's words."""


class Call(NamedTuple):
    """A review (JSON) for a webhook, which is told how long it has got: `told_s`, where that is not `timeout_s`.
    `is_repeatable`: it changes nothing, so that it may be asked again where a kept connection breaks. `headers` beside
    Host. `about` is for who looks at calls."""

    target: Target
    review: bytes
    timeout_s: float
    is_repeatable: bool = False
    headers: Mapping[str, str] = HEADERS
    about: About | None = None
    told_s: float = 0.0

    @property
    def path(self) -> str:
        return f"{self.target.path}?timeout={_format_timeout(self.told_s or self.timeout_s)}"

    @property
    def url(self) -> str:
        return f"{scheme_of(self.target)}://{self.target.authority}{self.path}"


class WebhookClient:
    """`resolve` gives the address of a service. Raises ServiceUnresolved."""

    def __init__(self, http: HTTPClient, resolve: ServiceResolver) -> None:
        self._http = http
        self._resolve = resolve

    async def call(
        self, config: Mapping[str, Any], review: bytes, timeout_s: float, about: About | None = None
    ) -> bytes:
        """A call that changes nothing: a conversion. Raises WebhookFailed."""
        try:
            target = read_target(config)
        except BadConfig as error:
            raise WebhookFailed(str(error)) from error
        return await self.ask(Call(target, review, timeout_s, is_repeatable=True, about=about))

    async def ask(self, call: Call) -> bytes:
        """What the webhook answers (JSON). Raises WebhookFailed."""
        target = call.target
        try:
            host, port = self._dial(target)
            answer = await self._http.post(
                Server(host, port, target.name, target.trusted),
                call.path,
                {"Host": target.authority, **call.headers},
                call.review,
                timeout_s=call.timeout_s,
                answer_bytes_max=ANSWER_BYTES_MAX,
                is_repeatable=call.is_repeatable,
            )
        except ServiceUnresolved as error:
            raise WebhookFailed(f"{_show(call)}: {error}") from error
        except CallFailed as failure:
            raise describe(failure, call) from failure
        try:
            answer = unpack(answer, ANSWER_BYTES_MAX)
        except BadPacking as error:
            raise WebhookFailed(f"{_UNREADABLE}{error}") from error
        if not 200 <= answer.status <= 206:
            again = answer.status in _REPEATABLE or "retry-after" in answer.headers
            raise WebhookFailed(_describe_status(answer), status=answer.status, may_be_repeated=again)
        if not answer.body:
            kind = answer.headers.get("content-type", "")
            raise WebhookFailed(f"0-length response with status code: {answer.status} and content type: {kind}")
        return answer.body

    def _dial(self, target: Target) -> tuple[str, int]:
        if target.port > _PORT_MAX:
            raise ServiceUnresolved(f"dial tcp: address {target.port}: invalid port")
        return (target.host or target.name, target.port) if target.service is None else self._resolve(target.service)


def scheme_of(target: Target) -> str:
    return "http" if target.trusted is None else "https"


def _format_timeout(timeout_s: float) -> str:
    """Go's text of a duration, of whole seconds (rounded up)."""
    seconds = math.ceil(timeout_s)
    return f"{seconds}s" if seconds < 60 else f"{seconds // 60}m{seconds % 60}s"


def _show(call: Call) -> str:
    return f'Post "{call.url}"'


def describe(failure: CallFailed, call: Call) -> WebhookFailed:
    if failure.has_status:
        text = f"{_UNREADABLE}{failure.text}"
    else:
        text = f"{_show(call)}: {failure.text}"
    was_reset = failure.text.endswith("connection reset by peer")
    return WebhookFailed(text, is_timeout=failure.is_timeout, may_be_repeated=was_reset)


def _describe_status(answer: Answer) -> str:
    """The message of a Status in the body, else a text for the code."""
    told = _read_status(answer.body)
    if told:
        return told
    message = "unknown"
    if answer.headers.get("content-type", "").startswith("text/"):
        message = answer.body.decode("utf-8", "replace").strip()
    code = answer.status
    if code in _SERVERS_OWN:
        return _describe_unacceptable(message) if code == 406 else message
    if code >= 500 and code not in _ALREADY:
        return f"an error on the server ({gofmt.quote(message)}) has prevented the request from succeeding"
    unknown = f"the server responded with the status code {code} but did not return more information"
    return _ALREADY.get(code, unknown)


def _describe_unacceptable(message: str) -> str:
    if message in ("", "unknown"):
        return "the server was unable to respond with a content type that the client supports"
    return message


def _read_status(body: bytes) -> str:
    try:
        value: Any = json.decode(body).value
    except json.DecodeError:
        return ""
    if not isinstance(value, dict) or value.get("kind") != "Status" or value.get("status") != "Failure":
        return ""
    message = value.get("message")
    return message if isinstance(message, str) else ""


async def post_to(
    http: HTTPClient, target: Target, credentials: Callable[[], Mapping[str, str]], body: bytes, timeout_s: float
) -> bytes:
    """What a webhook that a kubeconfig describes answers. Raises WebhookFailed."""
    headers = {**HEADERS, "User-Agent": "kube-apiserver", **credentials()}
    return await WebhookClient(http, _no_service).ask(
        Call(target, body, timeout_s, is_repeatable=True, headers=headers)
    )


def _no_service(service: Service) -> tuple[str, int]:
    raise ServiceUnresolved(f"service {gofmt.quote(service.name)} not found")
