"""Which part of an answer a step compares: `only`, `ignore`, `sort`, and no prose of OpenAPI documents."""

from __future__ import annotations

from typing import Any

from support.golden.quickjson import write_sorted

_META_PROPERTIES = frozenset(("apiVersion", "kind", "metadata", "items"))


def split(path: str) -> list[str]:
    """A dotted path; a dot that belongs to a name is written `\\.`."""
    return [part.replace("\0", ".") for part in path.replace("\\.", "\0").split(".")]


def dig(value: Any, path: str) -> Any:
    for part in split(path):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def select(step: dict[str, Any], body: Any) -> Any:
    if step.get("path", "").startswith("/openapi/"):
        body = _without_prose(body)
    if "only" in step:
        chosen: dict[str, Any] = {}
        for path in step["only"]:
            _merge(chosen, _pick(body, split(path)))
        body = chosen
    for path in step.get("ignore", []):
        _drop(body, split(path))
    for path in step.get("sort", []):
        try:
            dig(body, path).sort(key=write_sorted)
        except (KeyError, IndexError, TypeError):
            continue
    return body


def _pick(value: Any, parts: list[str]) -> Any:
    if not parts:
        return value
    try:
        inner = value[int(parts[0])] if isinstance(value, list) else value[parts[0]]
    except (KeyError, IndexError, TypeError, ValueError):
        return {}
    return {parts[0]: _pick(inner, parts[1:])}


def _merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    for name, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value


def _drop(value: Any, parts: list[str]) -> None:
    if not isinstance(value, (dict, list)) or not parts:
        return
    if parts[0] == "*":
        keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    else:
        keys = [int(parts[0]) if isinstance(value, list) and parts[0].isdigit() else parts[0]]
    for key in keys:
        try:
            if parts[1:]:
                _drop(value[key], parts[1:])
            else:
                del value[key]
        except (KeyError, IndexError, TypeError):
            continue


def _without_prose(value: Any, *, is_upstreams: bool = False, parent: str = "") -> Any:
    """Without the descriptions that upstream wrote on its own types and parameters: facts are compared, not prose."""
    if isinstance(value, list):
        return [_without_prose(inner, is_upstreams=is_upstreams) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, inner in value.items():
        if name == "description" and isinstance(inner, str) and is_upstreams:
            continue
        own = (
            name.startswith("io.k8s.") or name == "parameters" or (parent == "properties" and name in _META_PROPERTIES)
        )
        kept[name] = _without_prose(inner, is_upstreams=is_upstreams or own, parent=name)
    return kept
