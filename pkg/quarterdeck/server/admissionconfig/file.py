"""The AdmissionConfiguration itself: which configuration each plugin has.

Source: apiserver/pkg/admission/config.go (ReadAdmissionConfiguration, ConfigFor).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from quarterdeck.admission import pluginnames
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile, UnknownKind
from quarterdeck.schema.gotype import STRING, Field, ListOf, Scalar, Struct

_KIND: Final = "AdmissionConfiguration"
_VERSIONS: Final = (("apiserver.config.k8s.io", "v1"), ("apiserver.k8s.io", "v1alpha1"))
_SCHEME: Final = "k8s.io/apiserver/pkg/server/options/admission.go:51"
# Files of old, which have no kind: the members that tell whose they are.
_KINDLESS: Final = ("imagePolicy", "podNodeSelectorPluginConfig")
_OF_KINDLESS: Final = (pluginnames.IMAGE_POLICY, pluginnames.POD_NODE_SELECTOR)


def _struct(version: str) -> Struct:
    plugin = Struct(
        "AdmissionPluginConfiguration",
        {
            "name": Field(STRING),
            "path": Field(STRING),
            "configuration": Field(Scalar("runtime.Unknown", "any"), pointer=True),
        },
        version,
    )
    fields = {"kind": Field(STRING), "apiVersion": Field(STRING), "plugins": Field(ListOf(plugin))}
    return Struct(_KIND, fields, version)


def read(path: Path, plugins: Collection[str]) -> dict[str, bytes]:
    """The configuration (JSON or YAML) of each of the plugins that has one. Those of others are not looked at. Raises
    BadFile."""
    try:
        data = path.read_bytes()
    except OSError as error:
        shown = gofmt.quote(str(path))
        raise BadFile(
            f"failed to read plugin config: unable to read admission control configuration from {shown} "
            f"[open {path}: {_words(error)}]"
        ) from error
    kinds = {(group, version, _KIND): _struct(version) for group, version in _VERSIONS}
    try:
        decoded = configfile.decode(data, kinds, _SCHEME)
    except UnknownKind as error:
        if not _is_kindless(data):
            raise BadFile(f"failed to read plugin config: {error}") from error
        return {name: data for name in _OF_KINDLESS if name in plugins}
    except BadFile as error:
        raise BadFile(f"failed to read plugin config: {error}") from error
    found: dict[str, bytes] = {}
    for each in decoded.get("plugins") or ():
        name = each.get("name", "")
        if name in plugins and name not in found:  # of several the first counts
            found[name] = _content(each, path.parent)
    return {name: content for name, content in found.items() if content}


def _is_kindless(data: bytes) -> bool:
    value, _ = configfile.read(data)
    return isinstance(value, dict) and any(member in value for member in _KINDLESS)


def _content(plugin: dict[str, Any], base: Path) -> bytes:
    if plugin.get("configuration") is not None:
        return json.encode(plugin["configuration"])
    if not plugin.get("path"):
        return b""
    path: Path = base / plugin["path"]
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadFile(f"Couldn't open admission plugin configuration {path}: {_words(error)}") from error


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
