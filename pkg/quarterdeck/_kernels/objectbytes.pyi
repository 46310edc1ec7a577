"""The bytes of an object as this server stores it, read and changed without decoding. Body: ext/objectbytes.pyx.

They begin `{"apiVersion":"…","kind":"…","metadata":{`, without blanks, and the resourceVersion, where there is one, is
the first member of the metadata. None where they do not.
"""

def splice_revision(value: bytes, revision: int) -> bytes | None:
    """With this resourceVersion, in the place of the one that is there."""

def holds_any(data: bytes, first: bytes, second: bytes) -> bool:
    """Whether one of the two texts stands anywhere in the bytes."""

def slice_metadata(data: bytes) -> bytes | None:
    """The value of `metadata`, as it stands there."""
