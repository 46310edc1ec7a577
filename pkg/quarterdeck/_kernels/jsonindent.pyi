"""JSON set out in lines for a person to read. Body: ext/jsonindent.pyx."""

def indent(data: bytes, size_max: int) -> bytes | None:
    """Valid JSON with two spaces a level, as Go's json.Indent writes it; None where that takes more than about
    `size_max` bytes: a deep document grows by its depth for each of its lines. What is no JSON comes out as something,
    within the same bounds."""
