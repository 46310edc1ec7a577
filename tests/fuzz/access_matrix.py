"""Who may do what, for many users: every verb of every resource, by review and by request. Run by hand.

    python tests/fuzz/access_matrix.py [USERS] [SEED]

Prints how many answers were compared and where they differ; the exit code tells whether any did.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import access
from support.in_process import InProcess, running

GROUP = "rbac.authorization.k8s.io"
ROLES = ("view", "edit", "admin", "cluster-admin", "system:node", "system:kube-scheduler", "system:discovery", "")


async def _bind(server: InProcess, user: str, role: str, namespace: str) -> None:
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    binding: dict[str, Any] = {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": {"name": user},
        "subjects": [{"kind": "User", "apiGroup": GROUP, "name": user}],
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
    }
    place = f"namespaces/{namespace}/" if namespace else ""
    answer = await server.call("POST", f"/apis/{GROUP}/v1/{place}{kind.lower()}s", binding)
    assert answer.status == 201, answer.body


async def _compare(users_count: int, seed: int) -> int:
    some = random.Random(seed)
    users = [f"user{number}" for number in range(users_count)]
    with tempfile.TemporaryDirectory() as folder:
        async with running(Path(folder), access.tokens_of({user: [] for user in users})) as server:
            for user in users:
                if role := some.choice(ROLES):
                    await _bind(server, user, role, some.choice(["default", "default", "kube-system", ""]))
            begin = time.monotonic()
            differing = await access.find_differing(server, users)
            print(f"{users_count} users: {len(differing)} differ, {time.monotonic() - begin:.0f} s")
    for user, action in differing[:50]:
        print(user, action)
    return bool(differing)


def main() -> int:
    numbers = [int(argument) for argument in sys.argv[1:]]
    return asyncio.run(_compare(*numbers, *(200, 1)[len(numbers) :]))


if __name__ == "__main__":
    sys.exit(main())
