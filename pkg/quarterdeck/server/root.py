"""Lists the paths of this server at /.

Source: apiserver/pkg/server/routes/index.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.openid import PATHS as OPENID_PATHS
from quarterdeck.endpoints.zpages import FLAGZ, STATUSZ
from quarterdeck.server import health


def list_paths(discovery: DiscoveryDocuments, checks: Mapping[str, health.Check]) -> list[str]:
    """Every group and version among them, other servers' too, and every check of health."""
    paths = {
        "/api",
        "/apis",
        "/apis/",
        FLAGZ,
        *health.list_paths(checks),
        *OPENID_PATHS,
        "/metrics",
        "/metrics/slis",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        STATUSZ,
        "/version",
    }
    for group, name in discovery.group_versions():
        paths |= {f"/apis/{group}", f"/apis/{group}/{name}"} if group else {f"/api/{name}"}
    return sorted(paths)
