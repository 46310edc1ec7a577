"""Lists the paths of this server at /.

Source: apiserver/pkg/server/routes/index.go.
"""

from __future__ import annotations

from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.openid import PATHS as OPENID_PATHS
from quarterdeck.endpoints.zpages import FLAGZ, STATUSZ


def list_paths(discovery: DiscoveryDocuments) -> list[str]:
    """Every group and version among them, other servers' too."""
    paths = {
        "/api",
        "/apis",
        FLAGZ,
        "/healthz",
        "/livez",
        *OPENID_PATHS,
        "/metrics",
        "/metrics/slis",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        STATUSZ,
        "/version",
    }
    for group, name in discovery.group_versions():
        paths |= {f"/apis/{group}", f"/apis/{group}/{name}"} if group else {f"/api/{name}"}
    return sorted(paths)
