"""What an object is once it was written and read again, without doing either. Body: ext/asread.pyx."""

from typing import Any

def as_read(obj: dict[str, Any], resource_version: str) -> dict[str, Any] | None:
    """What reading the stored bytes of an object gives (codec.json: `encode_stored`, `splice_resource_version`,
    `load`): equal, of the same types, in the same order. Its dict, its metadata and the dicts in that are new,
    everything else is the object's own.

    None where that cannot be: floats without a fraction, integers beyond int64, lone surrogates, what is no JSON,
    metadata that is no object; and for what is nested more than 100 deep.
    """
