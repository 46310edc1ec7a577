"""Content negotiation: which media type, and which transformation of an object, an Accept header asks for.

Source: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from quarterdeck.apimachinery import accept as accept_header
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.accept import Clause

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
# As upstream lists them; custom resources name protobuf too although they are never written in it themselves.
MEDIA_TYPES: Final = [JSON, YAML, PROTOBUF]
STREAM_TYPES: Final = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]
_LOG_TYPES: Final = ["text/plain", *MEDIA_TYPES]

TABLE: Final = "Table"
PARTIAL_METADATA: Final = "PartialObjectMetadata"
PARTIAL_METADATA_LIST: Final = "PartialObjectMetadataList"
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = ("v1", "v1beta1")
_TRANSFORMATIONS: Final = (TABLE, PARTIAL_METADATA, PARTIAL_METADATA_LIST)
_ACCEPT_CACHED_MAX: Final = 256
_ACCEPT_CACHED_CHARS_MAX: Final = 512


class Output(NamedTuple):
    """`as_kind` is "" for the object as it is; `meta_version` the version of meta.k8s.io that was asked for; `pretty`:
    the client asked for indented JSON where it names the media type."""

    media_type: str
    as_kind: str = ""
    meta_version: str = ""
    pretty: bool = False


PLAIN_JSON: Final = Output(JSON)
PRETTY_JSON: Final = Output(JSON, pretty=True)
PLAIN_PROTOBUF: Final = Output(PROTOBUF)
# How Go's clients ask for objects of built-in types as protobuf.
ASKING_FOR_PROTOBUF: Final = frozenset((PROTOBUF, f"{PROTOBUF},{JSON}", f"{PROTOBUF}, {JSON}", f"{PROTOBUF}, */*"))


def negotiate(accept: str, *, custom: bool, tables: bool = True) -> Output:
    """Choose the output for an object or list of a resource. Raises NotAcceptable.

    `custom`: of custom resources only the metadata is written as protobuf. `tables`: whether there is a table of it.
    """
    choose = _negotiate_shortly if len(accept) <= _ACCEPT_CACHED_CHARS_MAX else _choose
    return choose(accept, custom, tables)


@lru_cache(maxsize=_ACCEPT_CACHED_MAX)
def _negotiate_shortly(accept: str, custom: bool, tables: bool) -> Output:
    return _choose(accept, custom, tables)


def _choose(accept: str, custom: bool, tables: bool) -> Output:
    if not accept or accept == JSON or accept == "*/*":
        return PLAIN_JSON
    for clause in accept_header.parse(accept):
        media_type = _match(clause)
        output = _accept_parameters(clause.parameters, media_type) if media_type else None
        if output is None or (custom and media_type == PROTOBUF and not output.as_kind):
            continue
        if tables or output.as_kind != TABLE:
            return output
    raise errors.NotAcceptable.of(MEDIA_TYPES)


def _match(clause: Clause) -> str:
    if clause.media_type == "*" and clause.subtype == "*":
        return JSON
    if clause.media_type != "application":
        return ""
    if clause.subtype in ("json", "*"):
        return JSON
    if clause.subtype == "yaml":
        return YAML
    if clause.subtype == "vnd.kubernetes.protobuf":
        return PROTOBUF
    return ""


def _accept_parameters(parameters: dict[str, str], media_type: str) -> Output | None:
    """None if a parameter asks for a transformation, stream or server version that does not exist."""
    if not parameters:
        return Output(media_type)
    if not _is_known_stream(parameters.get("stream", ""), media_type):
        return None
    if parameters.get("sv", "") not in ("", "v1"):
        return None
    kind, version = parameters.get("as", ""), parameters.get("v", "")
    if not _asks_for_transformation(parameters):
        return Output(media_type, pretty=_asks_for_lines(parameters))
    if parameters.get("g", "") != _META_GROUP or version not in _META_VERSIONS or kind not in _TRANSFORMATIONS:
        return None
    if kind == TABLE and media_type == PROTOBUF:
        return None
    return Output(media_type, kind, version, pretty=_asks_for_lines(parameters))


def _asks_for_lines(parameters: dict[str, str]) -> bool:
    return parameters.get("pretty") == "1"


def _asks_for_transformation(parameters: dict[str, str]) -> bool:
    return not parameters.keys().isdisjoint(("as", "g", "v"))


def _is_known_stream(stream: str, media_type: str) -> bool:
    return not stream or (stream == "watch" and media_type != YAML)


def negotiate_error(accept: str) -> Output | None:
    """The form for a Status: what the client accepts, None where nothing fits, where upstream writes indented JSON
    (WriteRawJSON). A Status is never transformed, so that a clause that asks for it does not fit."""
    if not accept:
        return PLAIN_JSON
    for clause in accept_header.parse(accept):
        parameters = clause.parameters
        if _asks_for_transformation(parameters) or parameters.get("sv"):
            continue
        media_type = _match(clause)
        if media_type and _is_known_stream(parameters.get("stream", ""), media_type):
            return Output(media_type, pretty=_asks_for_lines(parameters))
    return None


def require_media_type(accept: str, *, streams: bool = False, text: bool = False) -> None:
    """go-restful's own look at Accept, before a built-in resource's handler runs. Raises NotAcceptable.

    `streams`: the address lists, and so watches too. `text`: it shows a log.
    """
    if accept_header.names_one_of(accept, _LOG_TYPES if text else MEDIA_TYPES):
        return
    media_types = _LOG_TYPES if text else [*MEDIA_TYPES, *STREAM_TYPES] if streams else MEDIA_TYPES
    raise errors.NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {', '.join(media_types)}", {})
