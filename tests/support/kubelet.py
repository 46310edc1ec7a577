"""A kubelet behind TLS in threads of the test: it runs commands of pods (WebSockets), and has pages."""

from __future__ import annotations

import base64
import hashlib
import http.server
import ipaddress
import json
import ssl
import struct
import threading
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509

from support.certificates import SERVER, Certificate

_GUID: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_STDIN, _STDOUT, _ERROR, _CLOSED = 0, 1, 3, 255
# By container, where its log is no usual one.
_LOGS: Final = {
    "long": (200, "".join(f"{number}\n" for number in range(50_000)).encode()),
    "waiting": (400, b'container "waiting" is not there yet'),
    "closed": (401, b"Unauthorized"),
    "broken": (500, b"out of order"),
}
_SUCCESS: Final = {"metadata": {}, "status": "Success"}


class Kubelet:
    """`requests`: method, path with query and fields of what came. `clients`: whose certificates it asks for (PEM)."""

    def __init__(self, folder: Path, clients: bytes = b"", *, is_plain: bool = False) -> None:
        self.authority = Certificate("authority of kubelets", is_authority=True)
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        owner = self

        class Handler(_Handler):
            kubelet = owner

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        if not is_plain:
            names = (x509.IPAddress(ipaddress.ip_address("127.0.0.1")),)
            leaf = Certificate("kubelet", issuer=self.authority, usages=(SERVER,), names=names)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*leaf.write(folder))
            if clients:
                context.load_verify_locations(cadata=clients.decode())
                context.verify_mode = ssl.CERT_REQUIRED
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def node(self, name: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": self.port}},
            },
        }

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    kubelet: Kubelet
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing is told."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.kubelet.requests.append((self.command, self.path, dict(self.headers.items())))
        if self.headers.get("Upgrade") == "websocket" and self.path.startswith(("/exec/", "/attach/")):
            self._run()
        elif self.path.startswith("/moved"):
            self._send(302, b"", Location="/elsewhere?x=1")
        elif self.path.startswith("/containerLogs/"):
            self._send(*_LOGS.get(urlsplit(self.path).path.rsplit("/", 1)[1], (200, b"a line\nanother\n")))
        else:
            self._send(200, f"{self.command} {self.path} {body.decode()}".encode())

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Content-Type": "text/plain", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _run(self) -> None:
        """Every command prints what it is given, in capitals, until its input ends."""
        key = self.headers["Sec-WebSocket-Key"]
        accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        self.send_response(101)
        offered = [each.strip() for each in self.headers["Sec-WebSocket-Protocol"].split(",")]
        fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept}
        for name, value in (fields | {"Sec-WebSocket-Protocol": offered[0]}).items():
            self.send_header(name, value)
        self.end_headers()
        self._write(_STDOUT, b"hello\n")
        if "input=1" in self.path:
            while (message := self._read()) and message[:2] != bytes((_CLOSED, _STDIN)):
                if message[0] == _STDIN and len(message) > 1:
                    self._write(_STDOUT, message[1:].upper())
        self._write(_ERROR, json.dumps(_SUCCESS).encode())
        self.wfile.write(b"\x88\x02\x03\xe8")  # a normal end
        self.close_connection = True

    def _write(self, channel: int, data: bytes) -> None:
        payload = bytes((channel,)) + data
        size = len(payload)
        head = struct.pack("!BB", 0x82, size) if size < 126 else struct.pack("!BBH", 0x82, 126, size)
        self.wfile.write(head + payload)

    def _read(self) -> bytes:
        """The next message; empty at the end."""
        head = self.rfile.read(2)
        if len(head) < 2 or head[0] & 0xF == 8:
            return b""
        size = head[1] & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self.rfile.read(2))
        mask = self.rfile.read(4)
        payload = self.rfile.read(size)
        return bytes(octet ^ mask[at % 4] for at, octet in enumerate(payload))
