"""GET of an issuer's documents: over TLS alone, bounded in size and time, redirects followed.

Differs from upstream: plain HTTP is refused, where a redirect or a distributed claim leads there, and answers are
bounded.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from quarterdeck.authentication.oidc import signatures
from quarterdeck.transport.client.answers import Answer
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.client.trust import Trust

ANSWER_BYTES_MAX: Final = 1024 * 1024
_TIMEOUT_S: Final = 30.0
_REDIRECTS_MAX: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_HTTPS_PORT: Final = 443
_PATH_SAFE: Final = "/%$&+,:;=@-_.~!*'()[]"
_SHOWN_CHARS_MAX: Final = 1024


class FetchFailed(Exception):
    """Why there is no document."""


class Fetcher:
    """`trusted`: whom to believe to be the issuer."""

    def __init__(self, http: HTTPClient, trusted: Trust) -> None:
        self._http = http
        self._trusted = trusted

    async def get_document(self, url: str) -> tuple[Any, bytes]:
        """A JSON document, and its bytes. Raises FetchFailed."""
        answer = await self.get(url)
        if answer.status != HTTPStatus.OK:
            raise FetchFailed(f"{show_status(answer)}: {answer.body[:_SHOWN_CHARS_MAX].decode('utf-8', 'replace')}")
        try:
            return signatures.load(answer.body), answer.body
        except ValueError as error:
            kind = answer.headers.get("content-type", "")
            raise FetchFailed(f'expected Content-Type = application/json, got "{kind}": {error}') from error

    async def get(self, url: str, *, access_token: str = "") -> Answer:
        """Raises FetchFailed. An access token goes to the first server alone."""
        headers = {"User-Agent": "kube-apiserver", "Accept": "*/*"}
        target = first = _split(url)
        for _ in range(_REDIRECTS_MAX):
            if access_token and target.netloc == first.netloc:
                headers["Authorization"] = f"Bearer {access_token}"
            else:
                headers.pop("Authorization", None)
            answer = await self._call(target, headers)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or not location:
                return answer
            target = _split(urljoin(target.geturl(), location))
        raise FetchFailed(f'Get "{target.geturl()}": stopped after {_REDIRECTS_MAX} redirects')

    async def _call(self, target: SplitResult, headers: dict[str, str]) -> Answer:
        host = target.hostname or ""
        path = quote(target.path or "/", safe=_PATH_SAFE)
        if target.query:
            path += "?" + quote(target.query, safe=_PATH_SAFE + "?")
        server = Server(host, target.port or _HTTPS_PORT, host, self._trusted)
        try:
            return await self._http.get(
                server,
                path,
                {"Host": target.netloc, **headers},
                timeout_s=_TIMEOUT_S,
                answer_bytes_max=ANSWER_BYTES_MAX,
            )
        except (CallFailed, ValueError) as failure:
            text = failure.text if isinstance(failure, CallFailed) else str(failure)
            raise FetchFailed(f'Get "{target.geturl()}": {text}') from failure


def _split(url: str) -> SplitResult:
    try:
        target = urlsplit(url)
        is_good = target.scheme == "https" and bool(target.hostname) and "@" not in target.netloc
        is_good = is_good and (target.port is None or target.port > 0)
    except ValueError as error:
        raise FetchFailed(f'parse "{url}": {error}') from error
    if not is_good:
        raise FetchFailed(f'Get "{url}": only https is called')
    return target


def show_status(answer: Answer) -> str:
    try:
        return f"{answer.status} {HTTPStatus(answer.status).phrase}"
    except ValueError:
        return str(answer.status)
