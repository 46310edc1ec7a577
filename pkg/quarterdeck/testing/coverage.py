"""What an operator under test has asked of the API and used of it, and the smallest roles for it
(docs/api-coverage.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quarterdeck.cmd.coverage.client import CoverageClient


class CoverageError(RuntimeError):
    """The server does not tell: it was started without coverage=True, or --enable-api-coverage."""


class Coverage(CoverageClient):
    """`call(method, path)` answers status and object."""

    def __init__(self, call: Callable[[str, str], tuple[int, Any]]) -> None:
        def ask(method: str, path: str) -> Any:
            status, answer = call(method, path)
            if status != 200:
                raise CoverageError(f"{status}: {answer}")
            return answer

        super().__init__(ask)
