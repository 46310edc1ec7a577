"""WebhookAdmissionConfiguration: as whom webhooks are called; and what policies are told.

Nothing is read of a directory (staticManifestsDir): the feature is one whose gate is shut by default, and here always.

Source: apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go, policy/config/config.go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import STRING, Field, Struct
from quarterdeck.webhook import kubeconfig, users
from quarterdeck.webhook.users import Users

_GROUP: Final = "apiserver.config.k8s.io"
_VERSION: Final = "v1"
_DIRECTORY: Final = "staticManifestsDir"
_GATE: Final = f"{_DIRECTORY} requires the ManifestBasedAdmissionControlConfig feature gate to be enabled"
_WEBHOOKS: Final = "k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go:34"
_POLICIES: Final = "k8s.io/apiserver/pkg/admission/plugin/policy/config/config.go:32"


def parse(data: bytes) -> Users | None:
    """None: as nobody. Raises BadFile."""
    decoded = _decode(data, "WebhookAdmissionConfiguration", _WEBHOOKS, "kubeConfigFile")
    path = decoded.get("kubeConfigFile", "")
    if path and not path.startswith("/"):
        raise BadFile(str(field.invalid("kubeConfigFile", path, "must be an absolute file path")))
    _check_directory(decoded)
    try:
        return users.load(Path(path)) if path else None
    except kubeconfig.BadKubeconfig as error:
        raise BadFile(str(error)) from error


def check_policies(data: bytes, plugin: str) -> None:
    """The configuration of a plugin of policies tells nothing that can be done. Raises BadFile."""
    _check_directory(_decode(data, f"{plugin}Configuration", _POLICIES))


def _decode(data: bytes, kind: str, scheme: str, *members: str) -> dict[str, Any]:
    fields = {name: Field(STRING) for name in ("kind", "apiVersion", *members, _DIRECTORY)}
    return configfile.decode(data, {(_GROUP, _VERSION, kind): Struct(kind, fields, _VERSION)}, scheme)


def _check_directory(decoded: dict[str, Any]) -> None:
    if decoded.get(_DIRECTORY):
        raise BadFile(str(field.forbidden(_DIRECTORY, _GATE)))
