"""The log of a container, as its kubelet tells it: text that comes as long as the container runs, where that is asked.

Source: pkg/registry/core/pod/rest/log.go; apiserver/pkg/registry/generic/rest/{streamer,response_checker}.go;
apimachinery/pkg/api/errors/errors.go (NewGenericServerResponse).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.endpoints.proxy import messages
from quarterdeck.endpoints.proxy.forwarding import ForwardedStream
from quarterdeck.endpoints.proxy.locations import Location
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.messages import Headers, Response

_WHOLE_BYTES_MAX: Final = 64 * 1024
_REFUSAL_BYTES_MAX: Final = 50_000
_RESOURCE: Final = "pods/log"
_KNOWN: Final = {
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    429: (
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
    ),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: (
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
}


class KubeletRefusal(errors.APIStatus):
    """What client-go makes of an answer that is no Status, of a pod's log."""

    def __init__(self, status: int, name: str, text: str) -> None:
        reason, message = _describe(status, text)
        super().__init__(f"{message} ( {_RESOURCE} {name})", {"name": name, "kind": _RESOURCE})
        self._status = status
        self._reason = reason

    @property
    def http_code(self) -> int:
        return self._status

    def to_status(self) -> dict[str, object]:
        status = super().to_status()
        code = status.pop("code")
        return {**status, **({"reason": self._reason} if self._reason else {}), "code": code}


def _describe(status: int, text: str) -> tuple[str, str]:
    if status == 403:
        return "Forbidden", text
    if status >= 500 and status not in _KNOWN:
        shown = gofmt.quote(text)
        return "InternalError", f"an error on the server ({shown}) has prevented the request from succeeding"
    unknown = "", f"the server responded with the status code {status} but did not return more details"
    return _KNOWN.get(status, unknown)


async def fetch(http: HTTPClient, where: Location, target: str, name: str) -> Response:
    """`target`: path and query at the kubelet; `name` of the pod. Raises APIStatus."""
    answer = http.stream(
        where.server,
        messages.build_own("GET", target, where.authority, (), agent="kube-apiserver"),
        is_head=False,
        is_repeatable=True,
    )
    try:
        await answer.head()
        if not 200 <= answer.status <= 206:
            raise await _refuse(answer, name)
        headers: Headers = [("Content-Type", "text/plain")]
        if 0 <= answer.length <= _WHOLE_BYTES_MAX:
            return Response(200, headers, await answer.read(_WHOLE_BYTES_MAX))
    except CallFailed as failure:
        raise errors.Unreasoned(f'Get "https://{where.authority}{target}": {failure.text}') from failure
    return ForwardedStream(200, headers, answer)


async def _refuse(answer: StreamedAnswer, name: str) -> errors.APIStatus:
    """Raises CallFailed."""
    text = (await answer.read(_REFUSAL_BYTES_MAX)).decode(errors="replace")
    if answer.status == 500:
        return errors.InternalError.of(text)
    if answer.status == 400:
        return errors.BadRequest(text)
    return KubeletRefusal(answer.status, name, text)
