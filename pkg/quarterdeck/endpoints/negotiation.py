"""Content negotiation: which media type, and which transformation of an object, an Accept header asks for.

Source: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from quarterdeck.apimachinery import errors

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
# As upstream lists them; custom resources name protobuf too although they cannot be written in it.
MEDIA_TYPES: Final = [JSON, YAML, PROTOBUF]

TABLE: Final = "Table"
PARTIAL_METADATA: Final = "PartialObjectMetadata"
PARTIAL_METADATA_LIST: Final = "PartialObjectMetadataList"
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = ("v1", "v1beta1")
_TRANSFORMATIONS: Final = (TABLE, PARTIAL_METADATA, PARTIAL_METADATA_LIST)
_ACCEPT_CACHED_MAX: Final = 256
_CLAUSES_MAX: Final = 64


class Output(NamedTuple):
    """`as_kind` is "" for the object as it is; `meta_version` the version of meta.k8s.io that was asked for."""

    media_type: str
    as_kind: str = ""
    meta_version: str = ""
    pretty: bool = False


PLAIN_JSON: Final = Output(JSON)


class Clause(NamedTuple):
    media_type: str
    subtype: str
    parameters: dict[str, str]
    quality: float


@lru_cache(maxsize=_ACCEPT_CACHED_MAX)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """The clauses of an Accept header, best first (equal ones as written). Malformed ones are left out."""
    clauses = []
    for part in header.split(",")[:_CLAUSES_MAX]:
        name, *parameter_texts = part.split(";")
        media_type, slash, subtype = name.strip().partition("/")
        if not slash and media_type != "*":
            continue
        parameters, quality = _parse_parameters(parameter_texts)
        clauses.append(Clause(media_type.lower(), subtype.lower() or "*", parameters, quality))
    clauses.sort(key=lambda clause: -clause.quality)
    return tuple(clauses)


def _parse_parameters(texts: list[str]) -> tuple[dict[str, str], float]:
    parameters, quality = {}, 1.0
    for text in texts:
        key, _, value = text.partition("=")
        key, value = key.strip().lower(), value.strip().strip('"')
        if key == "q":
            try:
                quality = float(value)
            except ValueError:
                quality = 1.0
        else:
            parameters[key] = value
    return parameters, quality


@lru_cache(maxsize=_ACCEPT_CACHED_MAX)
def negotiate(accept: str, *, custom: bool, stream: bool = False) -> Output:
    """Choose the output for an object or list of a resource. Raises NotAcceptable.

    `custom`: custom resources are not written as protobuf. `stream`: watches have no YAML.
    """
    if not accept or accept == JSON or accept == "*/*":
        return PLAIN_JSON
    for clause in parse_accept(accept):
        media_type = _match(clause, custom=custom, stream=stream)
        if media_type and (output := _accept_parameters(clause.parameters, media_type)):
            return output
    raise errors.NotAcceptable.of(MEDIA_TYPES)


def _match(clause: Clause, *, custom: bool, stream: bool) -> str:
    if clause.media_type == "*" and clause.subtype == "*":
        return JSON
    if clause.media_type != "application":
        return ""
    if clause.subtype in ("json", "*"):
        return JSON
    if clause.subtype == "yaml" and not stream:
        return YAML
    if clause.subtype == "vnd.kubernetes.protobuf" and not custom:
        return PROTOBUF
    return ""


def _accept_parameters(parameters: dict[str, str], media_type: str) -> Output | None:
    kind = parameters.get("as", "")
    if not kind:
        return Output(media_type, pretty=parameters.get("pretty") == "1")
    version = parameters.get("v", "")
    if parameters.get("g", "") != _META_GROUP or version not in _META_VERSIONS or kind not in _TRANSFORMATIONS:
        return None
    return Output(media_type, kind, version)


def negotiate_error(accept: str) -> str:
    """The media type for a Status: what the client accepts, JSON where nothing fits."""
    for clause in parse_accept(accept):
        if media_type := _match(clause, custom=False, stream=False):
            return media_type
    return JSON


def require_media_type(accept: str) -> None:
    """go-restful's own look at Accept, before a built-in resource's handler runs. Raises NotAcceptable."""
    for clause in parse_accept(accept):
        if _match(clause, custom=False, stream=False) or clause.media_type == "*":
            return
    raise errors.NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {', '.join(MEDIA_TYPES)}", {})
