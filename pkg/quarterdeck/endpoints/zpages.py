"""/statusz and /flagz: what runs here and with which flags, for people who look into a server.

Plain text, or an object of config.k8s.io for who asks for it by `application/json;g=config.k8s.io;v=…;as=Statusz` or
by application/yaml with the same parameters; that of an old version comes with a warning.
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
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.endpoints import negotiation, respond
from quarterdeck.transport.messages import Request, Response

STATUSZ: Final = "/statusz"
FLAGZ: Final = "/flagz"
_COMPONENT: Final = "apiserver"
_GROUP: Final = "config.k8s.io"
_VERSIONS: Final = ("v1alpha1", "v1beta1")
_DEPRECATED_VERSIONS: Final = frozenset(("v1alpha1",))
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


class _Form(NamedTuple):
    version: str
    media_type: str


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
        kind = "Statusz" if is_status else "Flagz"
        header = request.headers.get("accept", "")
        try:
            form = _negotiate(header, kind)
        except errors.NotAcceptable as refusal:
            output = negotiation.negotiate_error(header)
            if output is None or output.media_type != negotiation.PROTOBUF:
                raise
            # Nothing here is known in protobuf, refusals neither.
            return respond.value_response(refusal.http_code, refusal.to_status(), negotiation.PRETTY_JSON)
        if form is None:
            return respond.text_response(200, self._write_status() if is_status else self._write_flags())
        value = self._describe_status() if is_status else {"flags": self._flags}
        head = {"kind": kind, "apiVersion": f"{_GROUP}/{form.version}", "metadata": {"name": _COMPONENT}}
        return _respond_object(form, {**head, **value})

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


def _respond_object(form: _Form, value: dict[str, Any]) -> Response:
    """The media type in the answer names the object too."""
    kind = value["kind"]
    headers = [("Content-Type", f"{form.media_type};g={_GROUP};v={form.version};as={kind}")]
    if form.version in _DEPRECATED_VERSIONS:
        text = f"This version of the {kind.lower()} endpoint is deprecated. Please use a newer version."
        headers.append(("Warning", f'299 - "{text}"'))
    data = yaml_codec.encode(value) if form.media_type == negotiation.YAML else json_codec.encode(value) + b"\n"
    return Response(200, headers, data, compressible=True)


def _negotiate(header: str, kind: str) -> _Form | None:
    """The object asked for, None for text. Raises NotAcceptable."""
    if not header.strip():
        return None
    for clause in accept_header.parse(header):
        parameters = clause.parameters
        if parameters.get("sv") or parameters.get("stream"):
            continue
        wanted = [parameters.get(name, "") for name in ("g", "v", "as")]
        if not any(wanted):
            if clause.media_type in ("text", "*") and clause.subtype in ("plain", "*"):
                return None
            continue
        if wanted[0] != _GROUP or wanted[1] not in _VERSIONS or wanted[2] != kind:
            continue
        if clause.media_type in ("application", "*") and clause.subtype in ("json", "*"):
            return _Form(wanted[1], negotiation.JSON)
        if clause.media_type == "application" and clause.subtype == "yaml":
            return _Form(wanted[1], negotiation.YAML)
    raise errors.NotAcceptable.of(_MEDIA_TYPES)
