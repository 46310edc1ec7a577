"""What PodNodeSelector and PodTolerationRestriction are told.

Differs from upstream: selectors that cannot be read are an error; upstream goes on without them.

Source: plugin/pkg/admission/podnodeselector/admission.go (readConfig), podtolerationrestriction/config.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.pluginsettings import TolerationSettings
from quarterdeck.registry.builtin.core.podvalidation import scheduling
from quarterdeck.schema import configfile, gotypes
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import STRING, Field, ListOf, MapOf, Struct

_GROUP: Final = "podtolerationrestriction.admission.k8s.io"
_VERSION: Final = "v1alpha1"
_KIND: Final = "Configuration"
_SCHEME: Final = "pkg/admission/podtolerationrestriction/config.go:32"
_SELECTORS: Final = "podNodeSelectorPluginConfig"
_SELECTORS_FILE: Final = Struct("pluginConfig", {_SELECTORS: Field(MapOf(STRING))}, "podnodeselector")


def parse_selectors(data: bytes) -> dict[str, str]:
    """Raises BadFile."""
    value, _ = configfile.read(data)
    try:
        decoded = Decoder(report_unknown=False).decode_struct(value, _SELECTORS_FILE)
    except DecodeError as error:
        raise BadFile(str(error)) from error
    return decoded.get(_SELECTORS) or {}


def parse_tolerations(data: bytes) -> TolerationSettings:
    """Raises BadFile."""
    tolerations = Field(ListOf(gotypes.named_struct("core", "Toleration")))
    fields = {"kind": Field(STRING), "apiVersion": Field(STRING), "default": tolerations, "whitelist": tolerations}
    kinds = {(_GROUP, _VERSION, _KIND): Struct(_KIND, fields, _VERSION)}
    decoded = configfile.decode(data, kinds, _SCHEME, is_strict=False)
    found = {name: decoded.get(name) or [] for name in ("default", "whitelist")}
    problems = [
        problem
        for name, each in found.items()
        for problem in scheduling.validate_tolerations(f"podtolerationrestriction.{name}", each)
    ]
    if problems:
        raise BadFile(f"invalid config: [{' '.join(map(str, problems))}]")
    return TolerationSettings(tuple(found["default"]), tuple(found["whitelist"]))
