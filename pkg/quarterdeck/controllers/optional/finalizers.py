"""A finalizer that a controller gives to what it protects, and takes from what may go."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery import meta
from quarterdeck.registry.strategy import Object


def protect(finalizer: str) -> Callable[[Object], Object]:
    """A change that adds `finalizer`, unless the object has it or is going."""

    def change(live: Object) -> Object:
        there = live["metadata"].get("finalizers") or []
        if finalizer in there or meta.deletion_timestamp(live):
            return live
        return {**live, "metadata": {**live["metadata"], "finalizers": [*there, finalizer]}}

    return change


def release(finalizer: str) -> Callable[[Object], Object]:
    """A change that takes `finalizer` away."""

    def change(live: Object) -> Object:
        left = [each for each in live["metadata"].get("finalizers") or () if each != finalizer]
        return {**live, "metadata": {**live["metadata"], "finalizers": left}}

    return change
