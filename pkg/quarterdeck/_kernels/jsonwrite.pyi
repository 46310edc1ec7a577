"""JSON written as Go writes it. Body: ext/jsonwrite.pyx."""

def encode(root: object) -> bytes:
    """JSON without spaces; floats as encoding/json writes them; any depth. TypeError for what is no JSON value."""

def integers_for_floats(root: object) -> object:
    """Floats without a fraction that fit int64 become ints, in place: what writing and reading JSON makes of them."""
