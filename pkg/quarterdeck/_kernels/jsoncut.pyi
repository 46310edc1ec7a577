"""The values at one place of a JSON text, and the text without them. Body: ext/jsoncut.pyx.

`path`: names of members, as they are written; None stands for each item of a list. `data` is what this server encoded:
without blanks. ValueError where it is something else; what is passed over is not looked at closely. It takes a tenth of
what decoding takes.
"""

def values(data: bytes, path: tuple[bytes | None, ...]) -> list[bytes]:
    """The values at `path`, in their order."""

def without(data: bytes, path: tuple[bytes | None, ...]) -> bytes:
    """The text with null for each value at `path`."""

def apart(data: bytes, path: tuple[bytes | None, ...]) -> tuple[bytes, list[bytes]]:
    """`without` and `values`, by one look at the text."""

def filled(data: bytes, path: tuple[bytes | None, ...], values: list[bytes]) -> bytes:
    """The text with these values at `path`, of which there are as many, in their order."""

def rules_and_defaults(data: bytes) -> tuple[bool, bool]:
    """Of a JSONSchemaProps: whether there are x-kubernetes-validations, wherever a schema may stand in it, and whether
    there is a default outside of allOf, anyOf, oneOf and not. The first of what is repeated counts as well."""
