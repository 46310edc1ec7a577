def unquote_plus(text: str) -> str:
    """urllib.parse.unquote_plus, at the same cost for each character. A `%` without two digits stays."""
