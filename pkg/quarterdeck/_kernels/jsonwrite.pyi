"""JSON written as Go writes it. Body: ext/jsonwrite.pyx."""

from typing import Any

def encode(root: object) -> bytes:
    """JSON without spaces; floats as encoding/json writes them; any depth. TypeError for what is no JSON value."""

def encode_stored(obj: dict[str, Any]) -> bytes:
    """An object as it is stored: apiVersion, kind and metadata first, without the metadata's resourceVersion.

    Absent ones of them are written as "" and {}; TypeError for metadata that is no object.
    """

def integers_for_floats(root: object) -> object:
    """Floats without a fraction that fit int64 become ints, in place: what writing and reading JSON makes of them."""
