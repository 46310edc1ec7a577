"""/statusz and /flagz: what runs here and with which flags, for people who look into a server.

Plain text, or an object of config.k8s.io for who asks for it by `application/json;g=config.k8s.io;v=…;as=Statusz`.
The text's delimiter changes from server to server, so that nobody parses it.
Source: apiserver/pkg/server/statusz, apiserver/pkg/server/flagz (KEP 4827, KEP 4828).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import accept as accept_header
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import negotiation, respond
from quarterdeck.transport.messages import Request, Response

STATUSZ: Final = "/statusz"
FLAGZ: Final = "/flagz"
_COMPONENT: Final = "kube-apiserver"
_GROUP: Final = "config.k8s.io"
_VERSIONS: Final = ("v1alpha1", "v1beta1")
_MEDIA_TYPES: Final = [negotiation.JSON, negotiation.YAML, "text/plain"]
_DELIMITERS: Final = (":", ": ", "=", " ")
_WARNING: Final = (
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for"
    " debugging purposes only.\n"
)
# They are there to be used, not to look into the server.
_NOT_FOR_DEBUGGING: Final = frozenset(("/apis", "/api", "/openid", "/openapi", "/.well-known"))


class Process(NamedTuple):
    """`started` in seconds since the epoch; `language` is the version of what runs it, `version` that of the API."""

    started: Callable[[], float]
    language: str
    version: str
    emulated_version: str


class ZPages:
    """`paths`: what / lists; `flags`: by name without dashes, as text."""

    def __init__(self, process: Process, paths: Callable[[], Iterable[str]], flags: Mapping[str, str]) -> None:
        self._process = process
        self._paths = paths
        self._flags = dict(sorted(flags.items()))
        self._delimiter = random.choice(_DELIMITERS)

    def __call__(self, request: Request) -> Response | None:
        if request.path not in (STATUSZ, FLAGZ):
            return None
        is_status = request.path == STATUSZ
        version = _negotiate(request.headers.get("accept", ""), "Statusz" if is_status else "Flagz")
        if not version:
            return respond.text_response(200, self._write_status() if is_status else self._write_flags())
        value = self._describe_status() if is_status else {"flags": self._flags}
        head = {"kind": "Statusz" if is_status else "Flagz", "apiVersion": f"{_GROUP}/{version}"}
        return respond.json_response(200, json_codec.encode({**head, "metadata": {"name": _COMPONENT}, **value}))

    def _describe_status(self) -> dict[str, Any]:
        process = self._process
        started = int(process.started())
        return {
            "startTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "uptimeSeconds": max(0, int(time.time()) - started),
            "goVersion": process.language,
            "binaryVersion": process.version,
            "emulationVersion": process.emulated_version,
            "paths": _keep_for_debugging(self._paths()),
        }

    def _write_status(self) -> str:
        status, process = self._describe_status(), self._process
        minutes, seconds = divmod(status["uptimeSeconds"], 60)
        lines = (
            ("Started", time.strftime("%a %b %e %H:%M:%S UTC %Y", time.gmtime(int(process.started())))),
            ("Up", f"{minutes // 60} hr {minutes % 60:02} min {seconds:02} sec"),
            ("Go version", process.language),
            ("Binary version", process.version),
            ("Emulation version", process.emulated_version),
            ("Paths", " ".join(status["paths"])),
        )
        text = "".join(f"{name}{self._delimiter} {value}\n" for name, value in lines)
        return f"\n{_COMPONENT} statusz\n{_WARNING}\n{text}"

    def _write_flags(self) -> str:
        text = "".join(f"{name}{self._delimiter}{value}\n" for name, value in self._flags.items())
        return f"\n{_COMPONENT} flagz\n{_WARNING}{text}"


def _keep_for_debugging(paths: Iterable[str]) -> list[str]:
    """The first part of each."""
    folders = {"/" + path.split("/")[1] for path in paths}
    return sorted(folders - _NOT_FOR_DEBUGGING - {"/"})


def _negotiate(header: str, kind: str) -> str:
    """The version of the object asked for, "" for text. Raises NotAcceptable, and what upstream says to YAML."""
    if not header.strip():
        return ""
    for clause in accept_header.parse(header):
        parameters = clause.parameters
        if parameters.get("sv") or parameters.get("stream"):
            continue
        wanted = [parameters.get(name, "") for name in ("g", "v", "as")]
        if not any(wanted):
            if clause.media_type in ("text", "*") and clause.subtype in ("plain", "*"):
                return ""
            continue
        if wanted[0] != _GROUP or wanted[1] not in _VERSIONS or wanted[2] != kind:
            continue
        if clause.media_type in ("application", "*") and clause.subtype in ("json", "*"):
            return wanted[1]
        if clause.media_type == "application" and clause.subtype == "yaml":
            raise errors.Unreasoned("content negotiation failed: unsupported media type 'application/yaml'")
    raise errors.NotAcceptable.of(_MEDIA_TYPES)
