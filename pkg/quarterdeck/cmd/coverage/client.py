"""Asks a running server for its coverage (endpoints/coverage.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

_PATH: Final = "/quarterdeck/v1/coverage"

Document = dict[str, Any]


class CoverageClient:
    """`ask(method, path)` gives the object that is answered. `users` and `user_agents` are patterns of the shell."""

    def __init__(self, ask: Callable[[str, str], Any]) -> None:
        self._ask = ask

    def report(self, *, users: str = "*", user_agents: str = "*") -> Document:
        """`callers` with their `requests`, and how many requests were `leftOut`; then, whoever asked, `fields` and
        `rules` of definitions, `conditions` of objects, and `webhooks`."""
        told: Document = self._ask("GET", f"{_PATH}?{urlencode({'users': users, 'userAgents': user_agents})}")
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
    ) -> list[Document]:
        """Objects that allow what was asked and no more, bound to `subject` if one is given; `any_name` and
        `any_namespace` have them hold for other objects and namespaces too."""
        options = {"users": users, "userAgents": user_agents, "name": name, "subject": subject}
        options |= {"names": "any"} if any_name else {}
        options |= {"namespaces": "any"} if any_namespace else {}
        items: list[Document] = self._ask("GET", f"{_PATH}/roles?{urlencode(options)}")["items"]
        return items

    def reset(self) -> None:
        """Nothing has been asked so far."""
        self._ask("DELETE", _PATH)
