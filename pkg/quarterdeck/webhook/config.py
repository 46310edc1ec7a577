"""Where a webhook is and whom to believe that it is it: the WebhookClientConfig of configurations and definitions.

Source: apiserver/pkg/util/webhook/client.go (HookClient); client-go/rest/url_utils.go, request.go (URL).
"""

from __future__ import annotations

import base64
import binascii
import posixpath
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from quarterdeck.apimachinery import gofmt
from quarterdeck.transport.client.failures import address
from quarterdeck.transport.client.trust import Trust, UntrustableBundle, trust_of

HTTPS_PORT: Final = 443
_PATH_SAFE: Final = "/$&+,:;=@-_.~"  # what Go's net/url leaves as it is in a path


class BadConfig(ValueError):
    """It leads to no webhook; the text is upstream's."""


class Service(NamedTuple):
    namespace: str
    name: str
    port: int


class Target(NamedTuple):
    """`authority` is what URLs show and the Host header holds; `name` what the certificate has to be for. Where
    `service` is set, it tells at each call which address to dial; else `host` (or `name`) and `port` do. `trusted` is
    None for plain HTTP."""

    authority: str
    name: str
    port: int
    path: str
    service: Service | None
    trusted: Trust | None
    host: str = ""


def read_target(config: Mapping[str, Any]) -> Target:
    """Of a WebhookClientConfig with its defaults. Raises BadConfig."""
    try:
        trusted = trust_of(base64.b64decode(config.get("caBundle") or ""))
    except (UntrustableBundle, binascii.Error) as error:
        raise BadConfig(str(error)) from error
    service = config.get("service")
    if service is not None:
        return _of_service(service, trusted)
    url = config.get("url")
    if not url:
        raise BadConfig("webhook configuration must have either service or URL")
    return _of_url(url, trusted)


def is_blank(bundle: str) -> bool:
    """Whether a base64 caBundle holds something, and that is white space alone."""
    data = base64.b64decode(bundle).decode("utf-8", "replace")
    return bool(data) and not data.strip()


def _of_service(service: Mapping[str, Any], trusted: Trust) -> Target:
    found = Service(service.get("namespace") or "", service.get("name") or "", service.get("port") or HTTPS_PORT)
    name = f"{found.name}.{found.namespace}.svc"
    return Target(address(name, found.port), name, found.port, join_path(service.get("path") or ""), found, trusted)


def _of_url(url: str, trusted: Trust) -> Target:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadConfig(f"Unparsable URL: {error}") from error
    path = join_path(unquote(parts.path))
    return Target(parts.netloc, parts.hostname or "", _read_port(parts.netloc), path, None, trusted)


def _read_port(netloc: str) -> int:
    """Any number, if it can be dialed or not: that is told by whoever dials."""
    end = netloc.rpartition("@")[2].rpartition("]")[2]
    port = end.partition(":")[2]
    if port and not port.isdecimal():
        raise BadConfig(f"Unparsable URL: invalid port {gofmt.quote(f':{port}')} after host")
    return int(port) if port else HTTPS_PORT


def join_path(path: str) -> str:
    """Go's path.Join below "/", escaped: no end in "/", nothing doubled, no dots."""
    cleaned = posixpath.normpath("/" + path)
    return quote(cleaned[1:] if cleaned.startswith("//") else cleaned, safe=_PATH_SAFE)
