"""How the checks speak of containers, and how they look through a pod.

Source: pod-security-admission/policy/{checks,helpers,visitor}.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Object = dict[str, Any]


class Finding(NamedTuple):
    """Why a pod is not let in; `detail` names the places."""

    reason: str
    detail: str


def containers_of(spec: Object) -> Iterator[Object]:
    for member in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(member) or ()


def context_of(holder: Object) -> Object:
    return holder.get("securityContext") or {}


def those(spec: Object, is_bad: Callable[[Object], bool]) -> list[str]:
    """The names of the containers of which something is true."""
    return [container.get("name", "") for container in containers_of(spec) if is_bad(container)]


def quoted(items: Iterable[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)


def plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def uses(count: int) -> str:
    return "uses" if count == 1 else "use"


def containers(names: list[str]) -> str:
    return f"{plural('container', len(names))} {quoted(names)}"


def setters(is_pod: bool, names: list[str]) -> str:
    """The pod and the containers that set something; "" for none."""
    found = ["pod"] if is_pod else []
    if names:
        found.append(containers(names))
    return " and ".join(found)


def is_windows(spec: Object) -> bool:
    return bool((spec.get("os") or {}).get("name") == "windows")


def has_own_users(spec: Object) -> bool:
    return spec.get("hostUsers") is False
