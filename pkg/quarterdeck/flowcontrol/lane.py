"""What a request that is let in runs in, as the application sees it."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from quarterdeck.flowcontrol.work import Work
from quarterdeck.metrics.registry import Histogram


@mypyc_attr(allow_interpreted_subclasses=True)
class Lane:
    """`headers` go with every answer. `executions` counts how long requests took that were answered at once."""

    __slots__ = ("executions", "headers")

    def __init__(self, headers: list[tuple[str, str]], executions: Histogram | None) -> None:
        self.headers = headers
        self.executions = executions

    def begin(self, work: Work, details: object, arrived_s: float) -> Callable[[], None]:
        """The request takes its time. What comes back is called once, at its end."""
        raise NotImplementedError
