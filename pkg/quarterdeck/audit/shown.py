"""Members of events: users, references to objects, durations.

Source: apiserver/pkg/audit/{context,request}.go; Go's time.Duration.String.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from quarterdeck.apimachinery.user import User
from quarterdeck.audit.event import encode

_USERS_KEPT_MAX: Final = 1024
_REF_MEMBERS: Final = (
    "resource",
    "namespace",
    "name",
    "uid",
    "apiGroup",
    "apiVersion",
    "resourceVersion",
    "subresource",
)

_users: dict[int, tuple[User, orjson.Fragment]] = {}


def complete_ref(ref: dict[str, str], metadata: dict[str, Any]) -> dict[str, str]:
    """With what the address does not tell, in upstream's order of members."""
    names = {
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        "resourceVersion": metadata.get("resourceVersion"),
    }
    found = {**{name: value for name, value in names.items() if value and isinstance(value, str)}, **ref}
    return {name: found[name] for name in _REF_MEMBERS if name in found}


def show_user(user: User | None) -> Any:
    """Most users send many requests: what is shown of them is kept."""
    if user is None:
        return {}
    kept = _users.get(id(user))
    if kept is not None:
        return kept[1]
    shown = orjson.Fragment(encode(user.to_user_info()))
    if len(_users) >= _USERS_KEPT_MAX:
        _users.clear()
    _users[id(user)] = (user, shown)  # the user is held, so that no other one gets its id
    return shown


def show_seconds(time_ns: int) -> str:
    """A duration of half a second or more, as Go writes it."""
    if time_ns < 1_000_000_000:
        return f"{time_ns / 1e6:.6f}".rstrip("0").rstrip(".") + "ms"
    minutes, rest_ns = divmod(time_ns, 60_000_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest_ns // 1_000_000_000}.{rest_ns % 1_000_000_000:09d}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds
