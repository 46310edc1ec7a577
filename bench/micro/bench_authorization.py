"""What a decision costs: a user with many bindings, asked again and again, and just after a change.

    python bench/micro/bench_authorization.py [BINDINGS]

CPU nanoseconds for each call from Python, the loop's own share included.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.authorization.node.graph import Graph, Vertex
from quarterdeck.authorization.rbac.authorizer import RBACAuthorizer
from quarterdeck.authorization.rbac.resolver import Caches, Resolver
from quarterdeck.metrics.registry import Registry

CALLS = 300_000
BOB = User("bob", groups=("devs", "system:authenticated"))


class _Entry:
    def __init__(self, name: str, obj: dict[str, Any]) -> None:
        self.path = self.name = name
        self.namespace = ""
        self.data = json.dumps({"metadata": {"name": name}, **obj}).encode()


class _Cache:
    """As much of a watch cache as roles and bindings are read from."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self.listeners: list[Any] = []

    @property
    def state(self) -> _Cache:
        return self

    def unordered(self) -> list[_Entry]:
        return list(self._entries.values())

    def get(self, _namespace: str, name: str) -> _Entry | None:
        return self._entries.get(name)


def build(bindings: int) -> tuple[AuthorizerChain, Resolver]:
    """Every second role names objects."""
    roles, bound = [], []
    for number in range(bindings):
        rule: dict[str, Any] = {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]}
        if number % 2 == 0 or number < bindings - 2:
            rule["resourceNames"] = [f"name{number}"]
        if number % 2:
            rule["resources"] = [f"kind{number}"]
        roles.append(_Entry(f"r{number:05}", {"rules": [rule]}))
        subject = {"kind": "User", "name": "bob"}
        role = {"kind": "ClusterRole", "name": f"r{number:05}"}
        bound.append(_Entry(f"b{number:05}", {"subjects": [subject], "roleRef": role}))
    caches: Any = Caches(_Cache([]), _Cache(roles), _Cache([]), _Cache(bound))  # type: ignore[arg-type]
    resolver = Resolver(caches)
    return AuthorizerChain(Registry(), [Named("RBAC", "rbac", RBACAuthorizer(resolver))]), resolver


def measure(name: str, function: Any, *arguments: object, calls: int = CALLS) -> None:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        for _ in range(calls):
            function(*arguments)
        best = min(best, time.process_time() - begin)
    print(f"{name:45} {best / calls * 1e9:10.0f} ns")


def main() -> None:
    bindings = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chain, resolver = build(bindings)
    last = f"name{bindings - 2 - bindings % 2}"
    for title, asked in (
        ("allowed by the first binding", Attributes("get", resource="configmaps", namespace="n", name="name0")),
        ("allowed by the last one", Attributes("get", resource="configmaps", namespace="n", name=last)),
        ("not allowed", Attributes("delete", resource="secrets", namespace="n", name="a")),
        ("a path, not allowed", Attributes("get", path="/metrics", is_resource=False)),
    ):
        print(f"{title}: {chain.allows(BOB, asked)}")
        measure(f"{bindings} bindings, {title}", chain.allows, BOB, asked)
    change: Any = None
    asked = Attributes("get", resource="configmaps", namespace="n", name=last)

    def after_a_change() -> None:
        resolver._forget_users(change)
        chain.allows(BOB, asked)

    measure("the first decision after a change", after_a_change, calls=50)
    graph = Graph()
    for number in range(bindings):
        graph.bind(Vertex("pods", "n", f"p{number}"), f"node{number}", [Vertex("configmaps", "n", "shared")])
    shared = Vertex("configmaps", "n", "shared")
    measure(f"a configmap that {bindings} nodes need", graph.leads, shared, f"node{bindings - 1}")


if __name__ == "__main__":
    main()
