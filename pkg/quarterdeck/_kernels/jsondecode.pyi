"""JSON as Go decodes it. Body: ext/jsondecode.pyx."""

def decode(data: bytes, depth_max: int) -> tuple[object, list[str], tuple[int, str] | str | None, str | None]:
    """(value, duplicates, error, bad_number).

    `duplicates`: paths (`spec.l[0].x`) of keys that their object holds more than once, at most 100, each once.
    `error`: a syntax error as (byte, context) of Go's `invalid character 'byte' context`, or a whole text.
    `bad_number`: the first literal that float64 cannot hold; in the value such ones are infinite.
    """
