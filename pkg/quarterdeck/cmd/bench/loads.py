"""The names of the loads, and what they do."""

from __future__ import annotations

from typing import Final

# Of a hundred operations of `mixed`.
MIXED: Final = {"get": 55, "list": 3, "create": 8, "update": 10, "patch": 10, "apply": 6, "delete": 8}
SCENARIOS: Final = {
    "get": "one object after another",
    "list": "the collection, page by page",
    "create": "new objects",
    "update": "whole objects, as they were answered last",
    "patch": "merge patches of one member",
    "apply": "server-side applies of whole objects",
    "delete": "objects; each is created first, which does not count",
    "mixed": ", ".join(f"{share} % {verb}" for verb, share in MIXED.items()),
    "controller": "a controller on each connection: its informer's list and watch, then reconciliations (get, patch of "
    "the status)",
}
