"""What an operator under test has asked of the API, and the smallest roles for it (docs/api-coverage.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

_PATH: Final = "/quarterdeck/v1/coverage"


class CoverageError(RuntimeError):
    """The server does not tell: it was started without coverage=True, or --enable-api-coverage."""


class Coverage:
    """`call(method, path)` answers status and object. `users` and `user_agents` are patterns of the shell."""

    def __init__(self, call: Callable[[str, str], tuple[int, Any]]) -> None:
        self._call = call

    def report(self, *, users: str = "*", user_agents: str = "*") -> dict[str, Any]:
        """`callers` with their `requests`, and how many requests were `leftOut`."""
        told: dict[str, Any] = self._ask("GET", "", {"users": users, "userAgents": user_agents})
        return told

    def roles(
        self,
        *,
        users: str = "*",
        user_agents: str = "*",
        name: str = "coverage",
        subject: str = "",
        any_name: bool = False,
        any_namespace: bool = False,
    ) -> list[dict[str, Any]]:
        """Objects that allow what was asked and no more, bound to `subject` if one is given; `any_name` and
        `any_namespace` have them hold for other objects and namespaces too."""
        options = {"users": users, "userAgents": user_agents, "name": name, "subject": subject}
        options |= {"names": "any"} if any_name else {}
        options |= {"namespaces": "any"} if any_namespace else {}
        items: list[dict[str, Any]] = self._ask("GET", "/roles", options)["items"]
        return items

    def reset(self) -> None:
        """Nothing has been asked so far."""
        self._ask("DELETE", "", {})

    def _ask(self, method: str, path: str, options: dict[str, str]) -> Any:
        status, answer = self._call(method, f"{_PATH}{path}?{urlencode(options)}")
        if status != 200:
            raise CoverageError(f"{status}: {answer}")
        return answer
