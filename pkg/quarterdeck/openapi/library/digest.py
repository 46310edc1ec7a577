"""What the schemas of built-in types are made from, in short: documents in which they stand are others with it."""

from __future__ import annotations

import hashlib
from functools import cache

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.openapi.library import apiextensions, meta, prose


@cache
def of_texts() -> bytes:
    made = hashlib.sha256()
    for text in (meta.TEXT, apiextensions.TEXT, prose.TEXT, *map(reader.text_of, sorted({*reader.TABLES.values()}))):
        made.update(text.encode())
    return made.digest()
