"""Of which version a body says it is, where an endpoint takes several.

Source: apiserver/pkg/endpoints/handlers/create.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext


def claimed_version(request: RequestContext) -> str:
    """The apiVersion that a body says it is of; "" where it says none, or cannot be read: `decode_object` tells why."""
    media_type = codec.media_type_of(request.headers.get("content-type", ""))
    try:
        if media_type == codec.PROTOBUF:
            return protobuf.api_version_of(request.body)
        is_yaml = media_type == codec.YAML
        value = body.read_yaml(request).value if is_yaml else json_codec.decode(request.body).value
        group, version, _ = codec.interpret(value, is_patched=is_yaml)
    except (yaml_codec.DecodeError, json_codec.DecodeError, protobuf.DecodeError, errors.BadRequest):
        return ""
    return meta.join_api_version(group, version)
