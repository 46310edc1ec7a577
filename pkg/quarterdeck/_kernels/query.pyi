def unquote_plus(text: str) -> str:
    """urllib.parse.unquote_plus, at the same cost for each character. A `%` without two digits stays."""

def parse_query(text: str, wanted: frozenset[str] | None = None) -> dict[str, list[str]]:
    """The values of each name, or of those that are wanted, as Go's url.ParseQuery reads them. A pair with a bad escape
    or a semicolon is left out."""
