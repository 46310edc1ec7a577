"""A small HTTPS server in a thread, for what a server under test calls."""

from __future__ import annotations

import ipaddress
import json
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509

from support.certificates import SERVER, Certificate

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


def as_json(value: Any, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


class TLSServer:
    """`answer(method, path, headers, body)` is called in threads. `clients`: PEM of who may vouch for clients."""

    def __init__(
        self,
        folder: Path,
        answer: Callable[[str, str, dict[str, str], bytes], Answer],
        *,
        authority: Certificate | None = None,
        clients: Path | None = None,
    ) -> None:
        self.authority = authority or Certificate("an authority", is_authority=True)
        names = (x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost"))
        leaf = Certificate("127.0.0.1", issuer=self.authority, usages=(SERVER,), names=names)
        certificate, key = leaf.write(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if clients is not None:
            context.load_verify_locations(clients)
            context.verify_mode = ssl.CERT_REQUIRED

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body leave one by one

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                status, sent, data = answer(self.command, self.path, headers, body)
                self.send_response(status)
                for name, value in sent.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                """The test's output stays its own."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
