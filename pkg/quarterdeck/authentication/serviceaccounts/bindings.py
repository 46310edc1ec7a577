"""What a token stands for: its account and the objects that it is bound to have to be there, with the uids it names.

That is looked up at every request, while the signature is checked once a connection.
Source: pkg/serviceaccount/claims.go (Validate).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import clock

LEEWAY_S: Final = 60
_INVALIDATED: Final = "service account token has been invalidated"
_RESOURCES: Final = {"secret": "secrets", "pod": "pods", "node": "nodes"}
MEMBERS: Final = tuple(_RESOURCES)
_NOTHING: Final[Mapping[str, Any]] = {}


class TokenError(Exception):
    """A token of ours that is not good. The text is upstream's, for TokenReview."""


class Unmatched(TokenError):
    """What it names is not there, or is another one by now, as far as is known here."""


class BoundObject(NamedTuple):
    """An object that a token names, as it is now."""

    uid: str
    deleted_at_s: float | None
    obj: Mapping[str, Any] = _NOTHING


Find = Callable[[str, str, str], BoundObject | None]  # (resource, namespace, name)


class Reference(NamedTuple):
    """An object that a token is bound to: `member` is "pod", "secret" or "node"."""

    member: str
    name: str
    uid: str


def check_account(find: Find, namespace: str, name: str, uid: str) -> None:
    """Raises TokenError."""
    found = find("serviceaccounts", namespace, name)
    if found is None:
        raise Unmatched(f'serviceaccounts "{name}" not found')
    if found.uid != uid:
        raise Unmatched(f"service account UID ({found.uid}) does not match claim ({uid})")
    if _is_gone(found):
        raise TokenError(f"service account {namespace}/{name} has been deleted")


def check_bound(find: Find, namespace: str, references: Sequence[Reference]) -> None:
    """A pod's token tells of its node, and does not depend on it. Raises TokenError."""
    is_of_pod = any(reference.member == "pod" for reference in references)
    for member, name, uid in references:
        if member == "node" and is_of_pod:
            continue
        found = find(_RESOURCES[member], "" if member == "node" else namespace, name)
        if found is None:
            raise Unmatched(_INVALIDATED)
        if found.uid != uid:
            raise Unmatched(f"{member} UID ({found.uid}) does not match service account {member} ref claim ({uid})")
        if _is_gone(found):
            raise TokenError(_INVALIDATED)


def _is_gone(found: BoundObject) -> bool:
    return found.deleted_at_s is not None and found.deleted_at_s < clock.wall_s() - LEEWAY_S
