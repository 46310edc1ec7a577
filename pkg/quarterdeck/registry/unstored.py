"""What stands for the store in a Scope whose objects are stored nowhere: reviews, and Scales of built-in kinds.

Compiled, since compiled code believes that a Scope has a Store: nothing else can stand for one.
"""

from __future__ import annotations

from quarterdeck.registry.store import Store


class NoStore(Store):
    """Whatever is asked of it raises AttributeError."""

    def __init__(self) -> None:  # without its own class's: nothing is set
        pass
