"""A small API server behind TLS in threads of the test: one kind, Flunder of wardle.example.com/v1, in memory.

It can die and come back at its port, and tells what it was sent.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import queue
import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509

from support.certificates import SERVER, Certificate
from support.ports import free_port

GROUP = "wardle.example.com"
API_VERSION = f"{GROUP}/v1"
BASE = f"/apis/{GROUP}/v1"
NAMESPACE, SERVICE = "wardle", "api"
ITEMS = f"{BASE}/namespaces/default/flunders"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
VERBS = ["create", "delete", "deletecollection", "get", "list", "watch"]
_ADDRESS = re.compile(f"{BASE}/namespaces/([^/]+)/flunders(?:/([^/]+))?")
_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_OPERATION = {
    "operationId": "listFlunders",
    "parameters": [{"$ref": "#/parameters/limit"}],
    "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/wardle.Flunder"}}},
}
SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "wardle", "version": "v1"},
    "paths": {
        f"{BASE}/namespaces/{{namespace}}/flunders": {"get": _OPERATION},
        "/apis/elsewhere.example.com/v1/": {"get": _OPERATION},
        "/version/": {"get": _OPERATION},
    },
    "definitions": {
        "wardle.Flunder": {
            "type": "object",
            "description": "A flunder.",
            "properties": {
                "metadata": {"$ref": f"#/definitions/{_META}"},
                "spec": {"$ref": "#/definitions/wardle.Spec"},
            },
            "x-kubernetes-group-version-kind": [{"group": GROUP, "version": "v1", "kind": "Flunder"}],
        },
        "wardle.Spec": {"type": "object", "properties": {"size": {"type": "integer", "format": "int32"}}},
        "wardle.Unused": {"type": "object"},
        _META: {"type": "object", "description": "An old one."},
    },
    "parameters": {"limit": {"in": "query", "name": "limit", "type": "integer", "uniqueItems": True}},
}


# Who asks whenever it likes: the aggregator about what is served, the garbage collector about objects.
_ON_THEIR_OWN = (
    "system:kube-aggregator",
    "system:aggregator",
    "system:serviceaccount:kube-system:generic-garbage-collector",
)


class ExtensionServer:
    """`requests`: method, path and fields (in order, as sent) of what came, but for what the server asks for itself.
    `serves_aggregated`: whether it knows aggregated discovery. `clients`: who may vouch for callers (PEM)."""

    def __init__(self, folder: Path, *, clients: bytes = b"", serves_aggregated: bool = True) -> None:
        self.authority = Certificate("an authority", is_authority=True)
        self.requests: list[tuple[str, str, list[tuple[str, str]]]] = []
        self.serves_aggregated = serves_aggregated
        self.left: queue.Queue[str] = queue.Queue()  # paths of watches and upgrades whose clients are gone
        self.documents: dict[str, Any] = {}  # by path, before everything else
        self._objects: dict[tuple[str, str], Any] = {}
        self._watchers: list[queue.Queue[Any]] = []
        names = (x509.DNSName(f"{SERVICE}.{NAMESPACE}.svc"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        leaf = Certificate("extension", issuer=self.authority, usages=(SERVER,), names=names)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*leaf.write(folder))
        if clients:
            self._context.load_verify_locations(cadata=clients.decode())
            self._context.verify_mode = ssl.CERT_REQUIRED
        self.connections: set[ssl.SSLSocket] = set()
        self._server: ThreadingHTTPServer | None = None
        self.port = free_port()  # it may be stopped, and nobody else answers there then
        self.start()

    def start(self) -> None:
        owner = self

        class Handler(_Handler):
            extension = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler, bind_and_activate=False)
        self._server.allow_reuse_address = True
        self._server.daemon_threads = True
        self._server.server_bind()
        self._server.server_activate()
        self._server.socket = self._context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Every connection breaks."""
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        for watcher in self._watchers:
            watcher.put(None)
        for each in tuple(self.connections):
            try:
                each.shutdown(2)
            except OSError:
                pass  # its client has left before

    def api_service(self, **changed: Any) -> dict[str, Any]:
        spec: dict[str, Any] = {
            "group": GROUP,
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "caBundle": base64.b64encode(self.authority.pem).decode(),
            "service": {"namespace": NAMESPACE, "name": SERVICE, "port": 443},
        }
        spec = {name: value for name, value in {**spec, **changed}.items() if value is not None}
        return {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"{spec['version']}.{spec['group']}"},
            "spec": spec,
        }

    # What its handlers do.

    def create(self, namespace: str, obj: dict[str, Any]) -> dict[str, Any]:
        obj = {"apiVersion": API_VERSION, "kind": "Flunder", **obj}
        self._objects[namespace, obj["metadata"]["name"]] = obj
        for watcher in self._watchers:
            watcher.put(obj)
        return obj

    def find(self, namespace: str, name: str) -> Any:
        return self._objects.get((namespace, name))

    def delete(self, namespace: str, name: str = "") -> dict[str, Any]:
        """One object, or all of a namespace; those with finalizers stay."""
        for key, obj in tuple(self._objects.items()):
            if key[0] == namespace and name in ("", key[1]) and not obj["metadata"].get("finalizers"):
                del self._objects[key]
        return {"kind": "Status", "apiVersion": "v1", "status": "Success"}

    def list(self, namespace: str) -> dict[str, Any]:
        items = [obj for key, obj in self._objects.items() if key[0] == namespace]
        return {"apiVersion": API_VERSION, "kind": "FlunderList", "metadata": {}, "items": items}

    def watch(self) -> queue.Queue[Any]:
        made: queue.Queue[Any] = queue.Queue()
        for obj in self._objects.values():
            made.put(obj)
        self._watchers.append(made)
        return made


class _Handler(BaseHTTPRequestHandler):
    extension: ExtensionServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        self.extension.connections.add(self.request)
        super().setup()

    def finish(self) -> None:
        self.extension.connections.discard(self.request)
        super().finish()

    def handle(self) -> None:
        try:
            self.request.do_handshake()
            super().handle()
        except OSError:
            pass

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("X-Remote-User") not in _ON_THEIR_OWN:
            self.extension.requests.append((self.command, self.path, list(self.headers.items())))
        url = urlsplit(self.path)
        if url.path == ITEMS and "watch=" in url.query:
            self._watch()
        elif url.path == f"{BASE}/large":
            self._send_large(int(url.query.rstrip("=")))  # as a name without a value is spelled on the way
        else:
            self._answer(url.path, body)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

    def _answer(self, path: str, body: bytes) -> None:
        extension = self.extension
        if path in extension.documents:
            self._send(200, extension.documents[path])
        elif path == "/apis":
            if not extension.serves_aggregated:
                self._send(406, {"kind": "Status"})
            else:
                self._send(200, _aggregated(), AGGREGATED, ETag='"one"')
        elif path == BASE:
            self._send(200, _resources())
        elif path == "/openapi/v3":
            address = f"/openapi/v3{BASE}?hash=1"
            self._send(200, {"paths": {BASE.removeprefix("/"): {"serverRelativeURL": address}}})
        elif path == "/openapi/v2" and self.headers.get("If-None-Match") == '"two"':
            self._send(304, None)
        elif path == "/openapi/v2":
            self._send(200, SWAGGER, ETag='"two"')
        elif path == f"/openapi/v3{BASE}":
            self._send(200, {"openapi": "3.0.0", "info": {"title": "wardle"}})
        elif path == f"{BASE}/away":
            self._send(302, {}, Location="https://elsewhere.example.com/")
        elif path == f"{BASE}/switched":
            self._switch()
        elif path == f"{BASE}/not-switched":
            self._send(403, {"kind": "Status", "code": 403})
        elif path == f"{BASE}/broken":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            self.close_connection = True
        elif (address := _ADDRESS.fullmatch(path)) is not None:
            self._answer_objects(address[1], address[2] or "", body)
        else:
            self._send(404, {"kind": "Status", "code": 404})

    def _answer_objects(self, namespace: str, name: str, body: bytes) -> None:
        extension = self.extension
        if self.command == "POST":
            self._send(201, extension.create(namespace, json.loads(body)))
        elif self.command == "DELETE":
            self._send(200, extension.delete(namespace, name))
        elif not name:
            self._send(200, extension.list(namespace))
        elif (found := extension.find(namespace, name)) is not None:
            self._send(200, found)
        else:
            self._send(404, {"kind": "Status", "code": 404})

    def _switch(self) -> None:
        """From now on each line comes back in capitals, until one says bye."""
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: capitals\r\nConnection: Upgrade\r\n\r\nHELLO\n")
        self.close_connection = True
        if "Upgrade" not in self.headers:
            return
        while line := self.rfile.readline():
            self.wfile.write(line.upper())
            if line == b"bye\n":
                return
        self.extension.left.put(self.path)

    def _send(self, status: int, value: Any, kind: str = "application/json", **headers: str) -> None:
        data = json.dumps(value).encode() if value is not None else b""
        self.send_response(status)
        for name, each in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, each)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin_chunks(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _watch(self) -> None:
        events = self.extension.watch()
        self._begin_chunks()
        try:
            while (obj := events.get()) is not None:
                line = json.dumps({"type": "ADDED", "object": obj}).encode() + b"\n"
                self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        except OSError:
            pass
        self.extension.left.put(self.path)
        self.close_connection = True

    def _send_large(self, size: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        piece = b"x" * 65536
        while size > 0:
            self.wfile.write(piece[:size])
            size -= len(piece)

    def log_message(self, *_: object) -> None:
        """The test's output stays its own."""


def _aggregated() -> dict[str, Any]:
    kind = {"group": GROUP, "version": "v1", "kind": "Flunder"}
    resource = {
        "resource": "flunders",
        "responseKind": kind,
        "scope": "Namespaced",
        "singularResource": "flunder",
        "verbs": VERBS,
    }
    version = {"version": "v1", "resources": [resource], "freshness": "Current"}
    group = {"metadata": {"name": GROUP}, "versions": [version]}
    head = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2"}
    return {**head, "metadata": {}, "items": [group]}


def _resources() -> dict[str, Any]:
    entry = {"name": "flunders", "singularName": "flunder", "namespaced": True, "kind": "Flunder", "verbs": VERBS}
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": API_VERSION, "resources": [entry]}
