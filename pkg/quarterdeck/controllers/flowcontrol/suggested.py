"""The specs of the flow schemas and priority levels of a new server, by name.

Source: pkg/apis/flowcontrol/bootstrap/default.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.registry.builtin.flowcontrol import mandatory
from quarterdeck.registry.builtin.flowcontrol.mandatory import ANYBODY, build_schema, group

Spec = dict[str, Any]


def _user(name: str) -> Spec:
    return {"kind": "User", "user": {"name": name}}


def _limited(shares: int, queues: int, hand: int, lendable: int) -> Spec:
    queuing = {"queues": queues, "handSize": hand, "queueLengthLimit": 50}
    response = {"type": "Queue", "queuing": queuing}
    limited = {"nominalConcurrencyShares": shares, "limitResponse": response, "lendablePercent": lendable}
    return {"type": "Limited", "limited": limited}


_CONTROLLER_MANAGER: Final = _user("system:kube-controller-manager")
_SCHEDULER: Final = _user("system:kube-scheduler")
_SYSTEM_ACCOUNTS: Final = {
    "kind": "ServiceAccount",
    "serviceAccount": {"namespace": "kube-system", "name": "*"},
}
_NODES: Final = group("system:nodes")
_LEASES: Final = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "namespaces": ["*"]}
_NODE_OBJECTS: Final = {
    "verbs": ["*"],
    "apiGroups": [""],
    "resources": ["nodes", "nodes/status"],
    "clusterScope": True,
    "namespaces": ["*"],
}
_HEALTH: Final = {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}

LEVELS: Final[dict[str, Spec]] = {
    "system": _limited(30, 64, 6, 33),
    "node-high": _limited(40, 64, 6, 25),
    "leader-election": _limited(10, 16, 4, 0),
    "workload-high": _limited(40, 128, 6, 50),
    "workload-low": _limited(100, 128, 6, 90),
    "global-default": _limited(20, 128, 6, 50),
    **mandatory.LEVELS,
}
SCHEMAS: Final[dict[str, Spec]] = {
    "system-nodes": build_schema("system", 500, "ByUser", _NODES),
    "system-node-high": build_schema(
        "node-high", 400, "ByUser", _NODES, resourceRules=[_NODE_OBJECTS, {"verbs": ["*"], **_LEASES}]
    ),
    "probes": build_schema("exempt", 2, "", *ANYBODY, nonResourceRules=[_HEALTH]),
    "system-leader-election": build_schema(
        "leader-election",
        100,
        "ByUser",
        _CONTROLLER_MANAGER,
        _SCHEDULER,
        _SYSTEM_ACCOUNTS,
        resourceRules=[{"verbs": ["get", "create", "update"], **_LEASES}],
    ),
    "kube-controller-manager": build_schema("workload-high", 800, "ByNamespace", _CONTROLLER_MANAGER),
    "kube-scheduler": build_schema("workload-high", 800, "ByNamespace", _SCHEDULER),
    "kube-system-service-accounts": build_schema("workload-high", 900, "ByNamespace", _SYSTEM_ACCOUNTS),
    "service-accounts": build_schema("workload-low", 9000, "ByUser", group("system:serviceaccounts")),
    "global-default": build_schema("global-default", 9900, "ByUser", *ANYBODY),
    **mandatory.SCHEMAS,
}
