"""Who may use the insecure port: programs of this machine, and no page that a browser of this machine shows.

Whoever can connect to that port is the administrator. A browser can connect, and runs what any site sends it: a page
may send requests across sites, and one whose name is made to point to 127.0.0.1 (DNS rebinding) may even read the
answers. Such requests give themselves away: by a Host that is not this machine, by Origin or Sec-Fetch-Site, or by a
body without a Content-Type, which is the one kind of body that a page may send without asking the server first.

Upstream has removed its insecure port; `kubectl proxy` checks hosts likewise (kubectl/pkg/proxy/proxy_server.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery.errors import Forbidden, UnsupportedMediaType
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo

_NAMES: Final = frozenset(("", "localhost", "127.0.0.1", "[::1]"))
_OWN_SITES: Final = frozenset(("", "none", "same-origin"))


def check_insecure(request: RequestContext, info: RequestInfo) -> None:
    """Raises Forbidden, UnsupportedMediaType. Requests over TLS pass."""
    if request.connection.is_secure:
        return
    headers = request.headers
    if not is_this_machine(headers.get("host", "")):
        raise Forbidden("the insecure port is for this machine alone: the Host is another", {})
    if is_across_sites(headers):
        raise Forbidden("the insecure port is not for web pages", {})
    if request.body and not headers.get("content-type"):
        raise UnsupportedMediaType("a body needs a Content-Type on the insecure port", {})


def is_this_machine(host: str) -> bool:
    """A Host as whoever means the loopback interface sends it; or none."""
    return _name_of(host) in _NAMES


def is_across_sites(headers: Mapping[str, str]) -> bool:
    """A page of another site asks, as browsers tell."""
    return "origin" in headers or headers.get("sec-fetch-site", "") not in _OWN_SITES


def _name_of(host: str) -> str:
    """Without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and (port.isdigit() or not port) else host).lower().rstrip(".")
