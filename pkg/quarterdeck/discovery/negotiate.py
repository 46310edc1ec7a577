"""What an Accept header asks of a discovery document: the encoding, and whether it is to be aggregated.

Discovery's own rules only; objects are negotiated in endpoints. Sources: apiserver/pkg/endpoints/handlers/negotiation
(NegotiateMediaTypeOptions), discovery/aggregated/negotiation.go and wrapper.go, go-restful's Route.matchesAccept.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.apimachinery import accept, errors

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
MEDIA_TYPES: Final = [JSON, YAML, PROTOBUF]

AGGREGATED: Final = ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")
AGGREGATED_SUFFIX: Final = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Choice(NamedTuple):
    """`is_pretty`: indented JSON is asked for where the media type is named."""

    media_type: str
    is_pretty: bool = False


def negotiate_plain(header: str) -> Choice:
    """The form of a plain document. Raises NotAcceptable."""
    choice = _negotiate(header, None)
    if choice is None:
        raise errors.NotAcceptable.of(MEDIA_TYPES)
    return choice


def negotiate_aggregated(header: str) -> Choice | None:
    """The form of the aggregated document, or None when no clause asks for one.

    A clause that asks for it wins over those that do not, wherever it stands.
    """
    return _negotiate(header, AGGREGATED) if header else None


def require_go_restful(header: str) -> None:
    """Built-in addresses first meet a router with a text of its own."""
    if not accept.names_one_of(header, MEDIA_TYPES):
        raise errors.NotAcceptable(
            "406: Not Acceptable\n\nAvailable representations: " + ", ".join(MEDIA_TYPES), details={}
        )


def _negotiate(header: str, target: tuple[str, str, str] | None) -> Choice | None:
    if not header:
        return Choice(JSON)
    for clause in accept.parse(header):
        if _target_of(clause.parameters) != target:
            continue
        for media_type in MEDIA_TYPES:
            is_named = f"{clause.media_type}/{clause.subtype}" in (media_type, "application/*", "*/*")
            if is_named and _is_possible(clause.parameters, media_type):
                return Choice(media_type, clause.parameters.get("pretty") == "1")
    return None


def _is_possible(parameters: dict[str, str], media_type: str) -> bool:
    """Whether nothing is asked for that there is not: documents have no version of a server's group, and who names a
    stream is given the document where the media type has streams."""
    stream = parameters.get("stream", "")
    return not parameters.get("sv") and (not stream or (stream == "watch" and media_type != YAML))


def _target_of(parameters: dict[str, str]) -> tuple[str, str, str] | None:
    """(group, version, kind) where a clause asks for a transformation."""
    if parameters.keys().isdisjoint(("g", "v", "as")):
        return None
    return parameters.get("g", ""), parameters.get("v", ""), parameters.get("as", "")
