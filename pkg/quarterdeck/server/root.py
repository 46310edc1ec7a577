"""Lists the paths of this server at /.

Source: apiserver/pkg/server/routes/index.go.
"""

from __future__ import annotations

from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.endpoints.openid import PATHS as OPENID_PATHS
from quarterdeck.server.resources import ServedResources


def list_paths(resources: ServedResources, definitions: ServedDefinitions) -> list[str]:
    """Every group and version that is served among them."""
    paths = {
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        *OPENID_PATHS,
        "/metrics",
        "/metrics/slis",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    }
    served = [(group, name) for group, name, _ in resources.builtin()]
    served += [(each.group, each.version) for each in resources.unstored]
    served += [(each.group, name) for each in definitions.all() for name in each.scopes]
    for group, name in served:
        paths |= {f"/apis/{group}", f"/apis/{group}/{name}"} if group else {f"/api/{name}"}
    return sorted(paths)
