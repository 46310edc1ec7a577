"""The clocks by which controllers wait."""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.controllers.workqueue import Clock


class Clocks(NamedTuple):
    """`own`: by which the server keeps up what is its own, `shown` by which what clients see waits for its time. None:
    the event loop's."""

    own: Clock | None = None
    shown: Clock | None = None


LOOPS: Final = Clocks()
