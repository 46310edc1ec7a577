"""JSON written as Go writes it. Body: ext/jsonwrite.pyx."""

from typing import Any

def encode(root: object) -> bytes:
    """JSON without spaces; floats as encoding/json writes them; any depth. TypeError for what is no JSON value."""

def encode_stored(obj: dict[str, Any], bytes_max: int = 0, is_untyped: bool = False) -> bytes | None:
    """An object as it is stored: apiVersion, kind and metadata first, without the metadata's resourceVersion.

    None where that takes more than `bytes_max` bytes (0: no limit); no more than about twice as many are ever held.

    `is_untyped`: its numbers are read as what they look like, so that -0.0 is a plain zero once it is stored.

    Absent ones of them are written as "" and {}; TypeError for metadata that is no object.
    """

def keep_text(value: dict[str, Any], text: bytes) -> None:
    """Whoever writes this very value, alone or within another one, writes this text, which is what `encode` makes of
    it: nobody changes it any more. A few of them are kept, those that are not too large."""

def integers_for_floats(root: object) -> object:
    """Floats without a fraction that fit int64 become ints, in place: what writing and reading JSON makes of them."""
