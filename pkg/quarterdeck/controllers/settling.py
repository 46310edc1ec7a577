"""Controllers that need not look at all that is stored where the server before had nothing left to do.

The servers of logical clusters begin on what another server of the same process has left. Each knows there whether all
had settled at the newest revision: then it follows what changes, and does not begin with what has not changed.
"""

from __future__ import annotations

from collections.abc import Collection

from quarterdeck.controllers.workqueue import Controller


class Settling:
    """`is_settled` is set before the start. A key that waits for its time is no work that is left, where it is one of
    `returning`: those that come back later at every start."""

    is_settled = False
    returning: Collection[str] = ()
    controller: Controller

    @property
    def has_settled(self) -> bool:
        return self.controller.awaits_only(self.returning)
