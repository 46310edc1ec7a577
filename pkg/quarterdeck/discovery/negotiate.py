"""What an Accept header asks of a discovery document: the encoding, and whether it is to be aggregated.

Discovery's own rules only; objects are negotiated in endpoints. Sources: apiserver/pkg/endpoints/handlers/negotiation
(NegotiateMediaTypeOptions), discovery/aggregated/negotiation.go and wrapper.go, go-restful's Route.matchesAccept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from quarterdeck.apimachinery import errors

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
MEDIA_TYPES: Final = [JSON, YAML, PROTOBUF]

AGGREGATED: Final = ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")
AGGREGATED_SUFFIX: Final = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclass(frozen=True, slots=True)
class _Clause:
    """One alternative of an Accept header. `target` is (group, version, kind) when it asks for a transformation."""

    media_type: str
    quality: float
    target: tuple[str, str, str] | None

    @property
    def wildcards(self) -> int:
        return self.media_type.count("*")


def negotiate_plain(accept: str) -> str:
    """The media type of a plain document. Raises NotAcceptable."""
    media_type = _negotiate(accept, None)
    if media_type is None:
        raise errors.NotAcceptable.of(MEDIA_TYPES)
    return media_type


def negotiate_aggregated(accept: str) -> str | None:
    """The media type of the aggregated document, or None when no clause asks for one.

    A clause that asks for it wins over those that do not, wherever it stands.
    """
    return _negotiate(accept, AGGREGATED) if accept else None


def require_go_restful(accept: str) -> None:
    """Built-in addresses first meet a router with rules of its own: no `type/*`, and a text of its own."""
    for clause in (accept or "*/*").split(","):
        media_type = clause.partition(";")[0].strip()
        if media_type == "*/*" or media_type in MEDIA_TYPES:
            return
    raise errors.NotAcceptable(
        "406: Not Acceptable\n\nAvailable representations: " + ", ".join(MEDIA_TYPES), details={}
    )


def _negotiate(accept: str, target: tuple[str, str, str] | None) -> str | None:
    if not accept:
        return JSON
    for clause in _parse_accept(accept):
        if clause.target != target:
            continue
        for media_type in MEDIA_TYPES:
            if clause.media_type in (media_type, "application/*", "*/*"):
                return media_type
    return None


def _parse_accept(accept: str) -> list[_Clause]:
    """Best quality first, then those without wildcards; otherwise in the order of the header."""
    clauses = [_parse_clause(text) for text in accept.split(",")]
    return sorted(clauses, key=lambda clause: (-clause.quality, clause.wildcards))


def _parse_clause(text: str) -> _Clause:
    media_type, *parameters = (part.strip() for part in text.split(";"))
    quality = 1.0
    target: dict[str, str] = {}
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name == "q":
            quality = _parse_quality(value)
        elif name in ("g", "v", "as"):
            target[name] = value
    wanted = (target.get("g", ""), target.get("v", ""), target.get("as", "")) if target else None
    return _Clause("*/*" if media_type == "*" else media_type, quality, wanted)


def _parse_quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
