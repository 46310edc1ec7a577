"""What the port of the page answers: the page's files to everybody here, reads of the API to who has the token.

    GET /, /…             the files, which hold nothing of anybody
    GET anything else     with `Authorization: Bearer TOKEN`: what the API answers the administrator

Whoever has the token may read everything, so that it goes where no other page and no log sees it: in the fragment of
the address that the server tells its starter, which browsers send nowhere, then in a header of each request. There is
no cookie that a browser would add to the requests of other pages. A request is refused that came by another interface,
whose Host is not this machine (DNS rebinding), that another page has sent (Origin, Sec-Fetch-Site), or that is more
than a read.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Mapping
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.filters.insecure import is_across_sites, is_this_machine
from quarterdeck.livepage import identity
from quarterdeck.livepage.files import File
from quarterdeck.transport.messages import Application, Request, Response

_READS: Final = ("GET", "HEAD")
_SCHEME: Final = "bearer"


class PageApplication:
    """`files` by path."""

    def __init__(self, application: Application, token: str, files: Mapping[str, File]) -> None:
        self._application = application
        self._token = token.encode()
        self._files = files

    def __call__(self, http: Request) -> Response | Awaitable[Response]:
        try:
            _check_sender(http)
            file = self._files.get(http.path)
            if file is not None:
                return file.respond()
            self._check_token(http)
        except errors.APIStatus as error:
            return _refuse(error)
        identity.mark(http)
        return self._application(http)

    def _check_token(self, http: Request) -> None:
        """Raises Unauthorized. The header is taken off, so that nothing behind this can leak it."""
        scheme, _, token = http.headers.pop("authorization", "").partition(" ")
        sent = token.strip().encode("utf-8", "surrogatepass")
        if scheme.lower() != _SCHEME or not hmac.compare_digest(sent, self._token):
            raise errors.Unauthorized


def _check_sender(http: Request) -> None:
    """Raises Forbidden, MethodNotAllowed."""
    if not _is_loopback(http.connection.remote_address):
        raise errors.Forbidden("the live page is for this machine alone", {})
    host = http.headers.get("host", "")
    if not host or not is_this_machine(host):
        raise errors.Forbidden("the live page is for this machine alone: the Host is another", {})
    own = f"http://{host}"  # scripts of a page are asked for with its origin, whichever it is
    if http.headers.pop("origin", own) != own or is_across_sites(http.headers):
        raise errors.Forbidden("the live page answers no other page", {})
    if http.method not in _READS or http.body or "upgrade" in http.headers:
        raise errors.MethodNotAllowed("the live page only reads", {})


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _refuse(error: errors.APIStatus) -> Response:
    return respond.json_response(error.http_code, json.encode(error.to_status()))
