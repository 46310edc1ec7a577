"""Control planes that start before they are asked for, and end after they are given back."""

from __future__ import annotations

import threading

from quarterdeck.testing.controlplane import ControlPlane


class Spares:
    """One control plane of `flags` waits, started, for the next who takes one: it starts beside the test before."""

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._spare: ControlPlane | None = None
        self._endings: list[threading.Thread] = []

    def take(self) -> ControlPlane:
        """The caller gives it back. Raises StartError."""
        taken, self._spare = self._spare or self._begin(), None
        try:
            taken.wait()
        except BaseException:
            taken.stop()
            raise
        self._spare = self._begin()
        return taken

    def give_back(self, plane: ControlPlane) -> None:
        """It ends meanwhile."""
        self._endings = [each for each in self._endings if each.is_alive()]
        ending = threading.Thread(target=plane.stop, name="end of a control plane")
        ending.start()
        self._endings.append(ending)

    def close(self) -> None:
        if self._spare is not None:
            self._spare.stop()
            self._spare = None
        for ending in self._endings:
            ending.join()

    def _begin(self) -> ControlPlane:
        plane = ControlPlane(*self._flags)
        plane.begin()
        return plane
