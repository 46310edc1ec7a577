"""What is counted of issuers. Names of issuers and of the server go in as digests.

Source: plugin/pkg/authenticator/token/oidc/metrics.go.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from quarterdeck.metrics.digests import digest
from quarterdeck.metrics.registry import Registry

_BOUNDS: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class OIDCMetrics:
    """`server_id`: the name of the server's identity lease."""

    def __init__(self, registry: Registry, server_id: str) -> None:
        self.server = digest(server_id.encode())
        self.latency = registry.histogram(
            "apiserver_authentication_jwt_authenticator_latency_seconds",
            "[ALPHA] Latency of jwt authentication operations in seconds. This is the time spent authenticating a "
            "token for cache miss only (i.e. when the token is not found in the cache).",
            _BOUNDS,
            ("result", "jwt_issuer_hash"),
        )
        self.fetched = registry.gauge(
            "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
            "[ALPHA] Timestamp of the last successful or failed JWKS fetch split by result, api server identity and "
            "jwt issuer for the JWT authenticator.",
            ("result", "jwt_issuer_hash", "apiserver_id_hash"),
        )
        self.documents: dict[str, str] = {}
        """Of key sets, by issuer; both digests."""
        registry.read_gauge(
            "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
            "[ALPHA] Information about the last JWKS fetched by the JWT authenticator with hash as label, split by api "
            "server identity and jwt issuer.",
            self._read_documents,
            ("jwt_issuer_hash", "apiserver_id_hash", "hash"),
        )

    def _read_documents(self) -> Iterable[tuple[tuple[str, ...], float]]:
        return [((issuer, self.server, document), 1.0) for issuer, document in self.documents.items()]


class IssuerMetrics:
    """Of one issuer."""

    def __init__(self, shared: OIDCMetrics, issuer: str) -> None:
        self._shared = shared
        self._issuer = digest(issuer.encode())

    def observe(self, seconds: float, *, is_good: bool) -> None:
        self._shared.latency.labels("success" if is_good else "failure", self._issuer).observe(seconds)

    def note_keys(self, document: bytes | None) -> None:
        if document is not None:
            self._shared.documents[self._issuer] = digest(document)
        result = "failure" if document is None else "success"
        self._shared.fetched.labels(result, self._issuer, self._shared.server).set(time.time())

    def forget(self) -> None:
        """The issuer is not believed any more."""
        self._shared.documents.pop(self._issuer, None)
        for result in ("success", "failure"):
            self._shared.fetched.remove((result, self._issuer, self._shared.server))
