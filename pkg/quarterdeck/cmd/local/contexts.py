"""Kubeconfigs of named servers: one by itself, or merged into a file that a user names.

Source: client-go/tools/clientcmd (ModifyConfig, and the lock file beside what is changed).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.local.clusters import Cluster, ClusterError
from quarterdeck.server.files import PRIVATE, write_atomically

_LISTS: Final = ("clusters", "users", "contexts")


def build(cluster: Cluster) -> str:
    return _dump(_named(cluster))


def merge(cluster: Cluster, path: Path) -> None:
    """The cluster's context becomes the current one of `path`, which is made if missing. Raises ClusterError."""
    with _Lock(path):
        config = _load(path) if path.exists() else {}
        added = _named(cluster)
        for name in _LISTS:
            new = added[name][0]
            kept = [each for each in config.get(name) or () if each.get("name") != new["name"]]
            config[name] = [*kept, new]
        config = {"apiVersion": "v1", "kind": "Config", **config, "current-context": added["current-context"]}
        write_atomically(path, _dump(config).encode(), PRIVATE)


def remove(cluster: Cluster, path: Path) -> None:
    """Take out what `merge` put in. Raises ClusterError."""
    with _Lock(path):
        if not path.exists():
            return
        config, name = _load(path), _context(cluster)
        for key in _LISTS:
            config[key] = [each for each in config.get(key) or () if each.get("name") != name]
        if config.get("current-context") == name:
            config["current-context"] = ""
        write_atomically(path, _dump(config).encode(), PRIVATE)


def _context(cluster: Cluster) -> str:
    return f"quarterdeck-{cluster.name}"


def _named(cluster: Cluster) -> dict[str, Any]:
    """The administrator's, with the cluster's name for all three parts."""
    if not cluster.kubeconfig.exists():
        raise ClusterError(f"there is no cluster {cluster.name}")
    config, name = _load(cluster.kubeconfig), _context(cluster)
    for key in _LISTS:
        config[key][0]["name"] = name
    config["contexts"][0]["context"] = {"cluster": name, "user": name}
    return {**config, "current-context": name}


def _load(path: Path) -> dict[str, Any]:
    import yaml

    try:
        config = yaml.safe_load(path.read_text())
    except (OSError, yaml.YAMLError) as error:
        raise ClusterError(f"cannot read {path}: {error}") from error
    config = {} if config is None else config
    if not isinstance(config, dict) or not all(_is_list_of_maps(config.get(name)) for name in _LISTS):
        raise ClusterError(f"{path} is not a kubeconfig")
    return config


def _is_list_of_maps(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(each, dict) for each in value))


def _dump(config: dict[str, Any]) -> str:
    import yaml

    text: str = yaml.safe_dump(config, sort_keys=False)
    return text


class _Lock:
    """The lock file that kubectl makes too."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")

    def __enter__(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL, 0))
        except FileExistsError as error:
            raise ClusterError(f"{self._path} exists: another program changes the kubeconfig") from error

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)
