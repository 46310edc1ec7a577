"""The webhook server of the recordings: what it does with a review is chosen by the end of the address that is called.

/convert… answers ConversionReviews, everything else AdmissionReviews. All answers are made anew from the request; the
behaviours are those which the server had that the recordings were made with.
"""

from __future__ import annotations

import base64
import copy
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from cryptography import x509

from support.certificates import SERVER, Certificate

Review = dict[str, Any]
Object = dict[str, Any]

_HANG_S = 3.0
_NO_UID = "00000000-0000-0000-0000-000000000000"


class Webhook(NamedTuple):
    url: str
    ca_bundle: str


# What recordings that call no webhook have in its place: an address where nothing listens, and no certificate.
NOWHERE = Webhook("https://127.0.0.1:1/none", base64.b64encode(b"no certificate").decode())

# - conversion


def _split_host_and_port(obj: Object, have: str, want: str) -> None:
    """spec.hostPort of all versions but v2, where it is host and port."""
    spec = obj.get("spec")
    if spec is None:
        return
    if want.endswith("/v2") and not have.endswith("/v2"):
        spec["host"], _, spec["port"] = spec.pop("hostPort", ":").partition(":")
    elif have.endswith("/v2") and not want.endswith("/v2"):
        spec["hostPort"] = f"{spec.pop('host', '')}:{spec.pop('port', '')}"


def _rename(obj: Object, have: str, want: str) -> None:
    obj["metadata"]["name"] = "renamed"


def _label_with_versions(obj: Object, have: str, want: str) -> None:
    text = "-".join(version.rpartition("/")[2] for version in (have, want))
    obj["metadata"].setdefault("labels", {})["converted"] = text


def _keep_version(obj: Object, have: str, want: str) -> None:
    obj["apiVersion"] = have


_CONVERSIONS: dict[str, Callable[[Object, str, str], None]] = {
    "hostport": _split_host_and_port,
    "mutate-meta": _rename,
    "label": _label_with_versions,
    "wrong-version": _keep_version,
}


def convert(behaviour: str, request: Review) -> Review:
    """The response to a ConversionReview's request."""
    if behaviour == "fail":
        refusal = {"status": "Failure", "message": "conversion refused"}
        return {"uid": request["uid"], "convertedObjects": [], "result": refusal}
    converted = []
    for given in request["objects"]:
        obj = copy.deepcopy(given)
        have, want = obj["apiVersion"], request["desiredAPIVersion"]
        obj["apiVersion"] = want
        if behaviour in _CONVERSIONS:
            _CONVERSIONS[behaviour](obj, have, want)
        converted.append(obj)
    if behaviour == "short":
        del converted[-1:]
    uid = _NO_UID if behaviour == "wrong-uid" else request["uid"]
    return {"uid": uid, "convertedObjects": converted, "result": {"status": "Success"}}


# - admission

_ANSWERS: dict[str, Review] = {
    "deny": {"allowed": False, "status": {"code": 403, "message": "denied by policy"}},
    "deny-422": {"allowed": False, "status": {"code": 422, "reason": "Invalid", "message": "not valid here"}},
    "warn": {"warnings": ["first warning", "second warning"]},
    "audit": {"auditAnnotations": {"seen": "yes"}},
    "wrong-uid": {"uid": "x"},
}
_PATCHES: dict[str, Review] = {
    "label": {"op": "add", "path": "/metadata/labels", "value": {"mutated": "true"}},
    "default-replicas": {"op": "add", "path": "/spec/replicas", "value": 7},
    "bad-patch": {"op": "remove", "path": "/spec/absent/deep"},
}


def admit(behaviour: str, request: Review) -> Review:
    """The response to an AdmissionReview's request."""
    response = {"uid": request["uid"], "allowed": True, **_ANSWERS.get(behaviour, {})}
    if behaviour in _PATCHES:
        text = json.dumps([_PATCHES[behaviour]]).encode()
        response |= {"patchType": "JSONPatch", "patch": base64.b64encode(text).decode()}
    return response


def answer(path: str, body: bytes) -> tuple[int, bytes]:
    """Status and body."""
    behaviour = path.rpartition("/")[2]
    if behaviour == "garbage":
        return 200, b"not json"
    if behaviour == "500":
        return 500, b'{"error":"boom"}'
    review = json.loads(body)
    is_conversion = path.startswith("/convert")
    response = (convert if is_conversion else admit)(behaviour, review["request"])
    kind = "ConversionReview" if is_conversion else "AdmissionReview"
    return 200, json.dumps({"apiVersion": review["apiVersion"], "kind": kind, "response": response}).encode()


# - the server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith("/hang"):
            time.sleep(_HANG_S)
        code, data = answer(path, body)
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Clients that leave, or do not like the certificate, are part of the recordings."""


@contextmanager
def serving() -> Iterator[Webhook]:
    names = (x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost"))
    certificate = Certificate("golden-webhook", is_authority=True, key_cert_sign=True, usages=(SERVER,), names=names)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        context.load_cert_chain(*certificate.write(Path(folder)))
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Webhook(f"https://127.0.0.1:{server.server_port}", base64.b64encode(certificate.pem).decode())
        finally:
            server.shutdown()
            thread.join()
