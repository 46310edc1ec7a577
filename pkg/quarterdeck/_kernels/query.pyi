def parse_query(text: str, wanted: frozenset[str] | None = None, *, keeps_bytes: bool = False) -> dict[str, list[str]]:
    """The values of each name, or of those that are wanted, as Go's url.ParseQuery reads them. A pair with a bad escape
    or a semicolon is left out. Escaped bytes that are no UTF-8 are replaced as Python does; with `keeps_bytes` a text
    keeps them as surrogates (PEP 383)."""
