"""Objects from files and folders, applied in an order in which they can be."""

from __future__ import annotations

import glob
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_APPLY: Final = "application/apply-patch+yaml"
_MANAGER: Final = "quarterdeck-testing"
_ESTABLISHED_S: Final = 30.0
_LOOK_S: Final = 0.005
_DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")
# What others need to be there; all else goes in the order in which it stands.
_FIRST: Final = {("", "Namespace"): 0, _DEFINITION: 1}

Object = dict[str, Any]
Call = Callable[..., tuple[int, Any]]


class ManifestError(Exception):
    """A source that cannot be read, or an object that the server refused. The text is for whoever wrote it."""


def load(sources: Iterable[str | Path | Object]) -> list[Object]:
    """The objects of all sources; a List stands for its items. Raises ManifestError."""
    found = [each for source in sources for each in _load_source(source)]
    return sorted(found, key=lambda each: _FIRST.get(_kind(each), len(_FIRST)))


def apply(call: Call, sources: Iterable[str | Path | Object], namespace: str) -> list[Object]:
    """`call(method, path, body, content_type=…)` answers status and object. The objects as they were answered."""
    resources: dict[str, dict[str, Object]] = {}
    return [_apply_one(call, each, namespace, resources) for each in load(sources)]


def _load_source(source: str | Path | Object) -> Iterator[Object]:
    if isinstance(source, dict):
        yield from _flatten(source, "an object")
        return
    for path in _find(str(source)):
        yield from _load_file(path)


def _find(pattern: str) -> list[Path]:
    """A folder stands for the files in it and below."""
    path = Path(pattern)
    if path.is_dir():
        found = [each for each in sorted(path.rglob("*")) if each.suffix in _SUFFIXES and each.is_file()]
    elif path.is_file():
        found = [path]
    else:
        found = [Path(each) for each in sorted(glob.glob(pattern, recursive=True)) if Path(each).is_file()]  # noqa: PTH207  # may be absolute
    if not found:
        raise ManifestError(f"{pattern}: no such file, and nothing that it matches")
    return found


def _load_file(path: Path) -> Iterator[Object]:
    import yaml

    try:
        documents = list(yaml.load_all(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ManifestError(f"{path}: {error}") from error
    for document in documents:
        if document is not None:
            yield from _flatten(document, str(path))


def _flatten(value: Any, where: str) -> Iterator[Object]:
    if not isinstance(value, dict) or not all(
        isinstance(value.get(name), str) and value[name] for name in ("kind", "apiVersion")
    ):
        raise ManifestError(f"{where}: an object without apiVersion and kind")
    if value["kind"].endswith("List") and isinstance(value.get("items"), list):
        for item in value["items"]:
            yield from _flatten(item, where)
        return
    yield value


def _kind(value: Object) -> tuple[str, str]:
    group, slash, _ = value["apiVersion"].partition("/")
    return (group if slash else ""), value["kind"]


def _apply_one(call: Call, value: Object, namespace: str, resources: dict[str, dict[str, Object]]) -> Object:
    version = value["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if value["kind"] not in resources.get(version, {}):
        resources[version] = _discover(call, root)
    resource = resources[version].get(value["kind"])
    name = (value.get("metadata") or {}).get("name")
    shown = f"{value['kind']} {name or ''}"
    if resource is None:
        raise ManifestError(f"{shown}: the server has no such kind in {version}")
    if not name:
        raise ManifestError(f"{shown}: an object without a name cannot be applied")
    place = ""
    if resource["namespaced"]:
        place = f"/namespaces/{quote(value['metadata'].get('namespace') or namespace)}"
    path = f"{root}{place}/{resource['name']}/{quote(name)}"
    status, answer = call("PATCH", f"{path}?fieldManager={_MANAGER}&force=true", value, content_type=_APPLY)
    if status not in (200, 201):
        raise ManifestError(f"{shown}: {answer['message'] if isinstance(answer, dict) else answer}")
    if _kind(value) == _DEFINITION:
        _wait_until_served(call, path, shown)
    return dict(answer)


def _discover(call: Call, root: str) -> dict[str, Object]:
    status, answer = call("GET", root)
    if status != 200:
        return {}
    return {each["kind"]: each for each in answer["resources"] if "/" not in each["name"]}


def _wait_until_served(call: Call, path: str, shown: str) -> None:
    """Established, and its versions answer."""
    end = time.monotonic() + _ESTABLISHED_S
    while True:
        _, definition = call("GET", path)
        conditions = {each["type"]: each for each in (definition.get("status") or {}).get("conditions") or ()}
        if conditions.get("Established", {}).get("status") == "True" and _is_served(call, definition["spec"]):
            return
        if time.monotonic() > end:
            told = "; ".join(f"{each['type']}: {each.get('message', '')}" for each in conditions.values())
            raise ManifestError(f"{shown} is not served: {told or 'nothing is told of it'}")
        time.sleep(_LOOK_S)


def _is_served(call: Call, spec: Object) -> bool:
    served = [each["name"] for each in spec["versions"] if each.get("served")]
    return all(spec["names"]["kind"] in _discover(call, f"/apis/{spec['group']}/{version}") for version in served)
