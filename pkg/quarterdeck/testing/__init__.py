"""Control planes for tests: `ControlPlane` is a context manager, `quarterdeck.testing.plugin` has pytest's fixtures.

Nothing is imported here before it is used: pytest loads the plugin wherever this package is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarterdeck.testing.controlplane import ControlPlane as ControlPlane
    from quarterdeck.testing.controlplane import StartError as StartError
    from quarterdeck.testing.faults import NeverFired as NeverFired

__all__ = ["ControlPlane", "NeverFired", "StartError"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quarterdeck.testing import controlplane, faults

    return getattr(faults if name == "NeverFired" else controlplane, name)
