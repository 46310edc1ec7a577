"""What every server makes in a store that does not have it: namespaces, roles, priorities, flows of requests."""

from __future__ import annotations

from collections.abc import Collection

from quarterdeck.controllers import defaultnamespaces, systempriorities
from quarterdeck.controllers.flowcontrol import bootstrap as flow_bootstrap
from quarterdeck.controllers.rbac import bootstrap
from quarterdeck.registry.builtin.flowcontrol.resources import GROUP as FLOW
from quarterdeck.registry.builtin.flowcontrol.resources import LEVELS
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Builtin


async def make_missing(identity: Identity, builtin: Builtin, aggregates: bool, features: Collection[str] = ()) -> None:
    """`aggregates`: whether the controller of aggregated roles runs. `features`: those that are on although they are
    off by default."""
    await defaultnamespaces.create_missing(identity, builtin["", "v1", "namespaces"][""])
    scopes = bootstrap.select_scopes(builtin)
    await bootstrap.ensure_policy(identity, scopes, aggregates=aggregates, features=features)
    await systempriorities.create_missing(identity, builtin["scheduling.k8s.io", "v1", "priorityclasses"][""])
    await flow_bootstrap.create_missing(builtin[FLOW, "v1", "flowschemas"][""], builtin[FLOW, "v1", LEVELS][""])
