"""How JSON is laid out in lines, as far as YAML minds. Body: ext/jsonlayout.pyx."""

def fits_yaml(data: bytes) -> bool:
    """Whether each key of a valid JSON text has its colon in its line, 1024 bytes behind its beginning at most, and no
    tab stands in a line behind the last value: what YAML refuses of a layout. What is no JSON gives either."""
