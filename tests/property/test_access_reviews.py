"""A review tells what a request gets: for random roles, bindings, users and requests; and the rules that a user is told
allow just that. The large matrix is tests/fuzz/access_matrix.py, run by hand."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from support import access
from support.access import VERBS, Action, Resource
from support.in_process import InProcess, running

Object = dict[str, Any]

GROUP = "rbac.authorization.k8s.io"
NAMESPACES = ("default", "kube-system")
USERS = {f"user{n}": [f"team{n % 3}"] for n in range(6)}
ROUNDS = 6
ACTIONS_A_ROUND = 60


class Writing:
    """Random roles and bindings, written by the administrator."""

    def __init__(self, server: InProcess, seed: int, resources: list[Resource]) -> None:
        self._server = server
        self._random = random.Random(seed)
        self._resources = resources
        self._count = 0

    def rule(self) -> Object:
        some = self._random
        chosen = some.sample(self._resources, some.randint(1, 4))
        names = [f"{each.name}/{each.subresource}" if each.subresource else each.name for each in chosen]
        rule: Object = {
            "verbs": some.choice([["*"], some.sample(VERBS, some.randint(1, 4))]),
            "apiGroups": some.choice([["*"], sorted({each.group for each in chosen})]),
            "resources": some.choice([["*"], names, names, ["*/status", *names]]),
        }
        if some.random() < 0.3:
            rule["resourceNames"] = some.sample(["a", "b", "c"], some.randint(1, 2))
        return rule

    def subject(self) -> Object:
        some = self._random
        if some.random() < 0.5:
            return {"kind": "User", "apiGroup": GROUP, "name": some.choice([*USERS])}
        return {"kind": "Group", "apiGroup": GROUP, "name": f"team{some.randrange(3)}"}

    async def write(self) -> None:
        """A role and a binding of it, in the cluster or in a namespace."""
        self._count += 1
        some, name = self._random, f"r{self._count}"
        namespace = some.choice(["", *NAMESPACES])
        of_namespace = bool(namespace) and some.random() < 0.5
        role_kind = "Role" if of_namespace else "ClusterRole"
        role: Object = {"kind": role_kind, "metadata": {"name": name}, "rules": [self.rule()]}
        await self._create(role, namespace if of_namespace else "")
        binding: Object = {
            "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
            "metadata": {"name": name},
            "subjects": [self.subject()],
            "roleRef": {"apiGroup": GROUP, "kind": role_kind, "name": name},
        }
        await self._create(binding, namespace)

    async def _create(self, obj: Object, namespace: str) -> None:
        place = f"namespaces/{namespace}/" if namespace else ""
        path = f"/apis/{GROUP}/v1/{place}{obj['kind'].lower()}s"
        answer = await self._server.call("POST", path, {"apiVersion": f"{GROUP}/v1", **obj})
        assert answer.status == 201, answer.body

    def action(self) -> Action:
        some = self._random
        while True:
            resource = some.choice(self._resources)
            verb = some.choice(VERBS)
            if verb not in resource.verbs or (resource.subresource and verb not in ("get", "update", "patch")):
                continue
            name = some.choice("abc") if verb in ("get", "update", "patch", "delete") else ""
            namespace = some.choice(NAMESPACES)
            if not name and verb in ("list", "watch") and some.random() < 0.3:
                namespace = ""
            return Action(verb, resource, namespace if resource.is_namespaced else "", name)


@pytest.mark.parametrize("seed", [1, 2])
def test_reviews_and_rules_tell_what_requests_get(tmp_path: Path, seed: int) -> None:
    async def run() -> None:
        async with running(tmp_path, access.tokens_of(USERS)) as server:
            writing = Writing(server, seed, await access.discover(server))
            outcomes: list[bool] = []
            for _ in range(ROUNDS):
                for _ in range(4):
                    await writing.write()
                for _ in range(ACTIONS_A_ROUND):
                    outcomes.append(await _compare(server, writing.action(), random.Random(len(outcomes))))
            assert {True, False} <= {*outcomes}, "some are allowed, some are not"

    asyncio.run(run())


async def _compare(server: InProcess, action: Action, some: random.Random) -> bool:
    user = some.choice([*USERS])
    asked = action.attributes()
    told = await access.may_by_review(server, user, asked)
    assert await access.may_by_request(server, user, action) is told, (user, action)
    if action.namespace:
        rules = await _rules_of(server, user, action.namespace)
        assert access.allows(rules, asked) is told, (user, action)
    return told


async def _rules_of(server: InProcess, user: str, namespace: str) -> list[Object]:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    }
    answer = await server.call("POST", f"{access.REVIEWS}/selfsubjectrulesreviews", body, **access.headers_of(user))
    status = json.loads(access.body_of(answer))["status"]
    assert status["incomplete"] is False
    found: list[Object] = status["resourceRules"]
    return found


def test_a_matrix_of_users_verbs_and_resources(tmp_path: Path) -> None:
    """`view`, `edit` and `admin` in one namespace, and nobody: every verb of every resource."""
    roles = {"viewer": "view", "editor": "edit", "owner": "admin", "nobody": ""}

    async def run() -> None:
        async with running(tmp_path, access.tokens_of({user: [] for user in roles})) as server:
            for user, role in roles.items():
                if role:
                    await _bind(server, user, role)
            differing = await access.find_differing(server, [*roles])
            assert not differing

    asyncio.run(run())


async def _bind(server: InProcess, user: str, role: str) -> None:
    binding = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": user},
        "subjects": [{"kind": "User", "apiGroup": GROUP, "name": user}],
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
    }
    answer = await server.call("POST", f"/apis/{GROUP}/v1/namespaces/default/rolebindings", binding)
    assert answer.status == 201, answer.body
