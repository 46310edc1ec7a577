"""What the schemas of built-in types are made from, in short: documents in which they stand are others with it."""

from __future__ import annotations

import hashlib
from functools import cache

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apis.enablement import is_stable
from quarterdeck.openapi.library import apiextensions, meta, prose


@cache
def of_texts() -> bytes:
    tables = {table for (_, version), table in reader.TABLES.items() if is_stable(version)}
    return _digest(meta.TEXT, apiextensions.TEXT, prose.TEXT, *map(reader.text_of, sorted(tables)))


@cache
def of_version(group: str, version: str) -> bytes:
    """The same of what only a version has that is off where nothing is said; b"" of all others."""
    table = reader.TABLES.get((group, version))
    if table is None or is_stable(version):
        return b""
    from quarterdeck.openapi.library.prose import further

    return _digest(further.TEXT, reader.text_of(table))


def _digest(*texts: str) -> bytes:
    made = hashlib.sha256()
    for text in texts:
        made.update(text.encode())
    return made.digest()
