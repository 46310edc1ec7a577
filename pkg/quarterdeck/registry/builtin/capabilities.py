"""What pods may ask for on this server, decided once, when it starts: one process is one server.

Source: pkg/capabilities/capabilities.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Capabilities:
    allows_privileged: bool = False
    """Whether containers may have all rights of their node (--allow-privileged)."""


CAPABILITIES: Final = Capabilities()
