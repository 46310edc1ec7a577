"""Discovery documents in the forms that are rarely asked for: indented JSON, YAML, protobuf.

Made from the JSON on each request. Source: apiserver/pkg/endpoints/handlers/responsewriters.
"""

from __future__ import annotations

import orjson

from quarterdeck.apimachinery.codec import protobuf, yaml
from quarterdeck.discovery import negotiate


def encode(data: bytes, media_type: str, kind: str) -> bytes:
    """`data` (JSON) in another form; JSON is indented."""
    document = orjson.loads(data)
    if media_type == negotiate.JSON:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2)
    if media_type == negotiate.YAML:
        return yaml.encode(document)
    # The envelope tells what the document says of itself: the core group's say no version.
    version = document.get("apiVersion", "")
    return protobuf.enclosing(version, kind)(protobuf.encode_message(document, version or "v1", kind))
