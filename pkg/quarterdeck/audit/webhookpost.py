"""One call of the audit webhook that a kubeconfig describes.

Source: apiserver/plugin/pkg/audit/webhook/webhook.go, pkg/util/webhook/webhook.go; client-go/rest/request.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.webhook.client import WebhookFailed
from quarterdeck.webhook.kubeconfig import Remote

_TIMEOUT_S: Final = 30
_ANSWER_BYTES_MAX: Final = 1024 * 1024
_HEADERS: Final = {
    "User-Agent": "kube-apiserver",
    "Accept": "application/json, */*",
    "Content-Type": "application/json",
}


class WebhookPost:
    """What the other server answers does not matter, as long as it takes the events."""

    def __init__(self, http: HTTPClient, remote: Remote) -> None:
        self._http = http
        self._remote = remote

    async def __call__(self, body: bytes) -> None:
        """Raises WebhookFailed."""
        target, credentials = self._remote
        try:
            answer = await self._http.post(
                Server(target.host or target.name, target.port, target.name, target.trusted),
                f"{target.path}?timeout={_TIMEOUT_S}s",
                {"Host": target.authority, **_HEADERS, **credentials.headers()},
                body,
                timeout_s=_TIMEOUT_S,
                answer_bytes_max=_ANSWER_BYTES_MAX,
                is_repeatable=True,  # events have names: one that comes twice does no harm
            )
        except CallFailed as failure:
            raise WebhookFailed(f"{target.authority}: {failure.text}", is_timeout=failure.is_timeout) from failure
        if not 200 <= answer.status <= 206:
            raise WebhookFailed(f"{target.authority} answered {answer.status}", status=answer.status)
