"""Why a call of another server failed, in the words of Go's net/http.

Source: net/http/transport.go, net/dial.go, crypto/tls/alert.go, which client-go and so kube-apiserver pass on.
"""

from __future__ import annotations

import os
import socket
from typing import Final

DEADLINE: Final = "context deadline exceeded"
BROKEN: Final = "net/http: HTTP/1.x transport connection broken: "


class CallFailed(Exception):
    """There is no whole answer. `text` is Go's; `has_status`: the head of an answer had come, so that what failed is
    the reading of its body; `is_unanswered`: the connection ended before the first byte of an answer."""

    def __init__(self, text: str, *, has_status: bool = False, is_unanswered: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.has_status = has_status
        self.is_unanswered = is_unanswered

    @property
    def is_timeout(self) -> bool:
        return self.text == DEADLINE


def address(host: str, port: int) -> str:
    """net.JoinHostPort."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def describe_dial(error: OSError, host: str, port: int) -> str:
    """Why there is no connection to an address."""
    if isinstance(error, socket.gaierror):
        return f"dial tcp: lookup {host}: no such host"
    return f"dial tcp {address(host, port)}: connect: {_describe_errno(error)}"


def describe_broken(error: Exception | None, own: object, other: object) -> str:
    """Why a connection between two addresses ended while it was in use; None: the other side closed it."""
    if not isinstance(error, OSError) or error.errno is None:
        return "EOF"
    return f"read tcp {_describe_end(own)}->{_describe_end(other)}: read: {_describe_errno(error)}"


def _describe_end(end: object) -> str:
    return address(str(end[0]), int(end[1])) if isinstance(end, tuple) else ""


def _describe_errno(error: OSError) -> str:
    text = os.strerror(error.errno) if error.errno is not None else str(error)
    return text[:1].lower() + text[1:]
