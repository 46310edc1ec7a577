"""What ImagePolicyWebhook is told. Source: plugin/pkg/admission/imagepolicy/{admission,config}.go."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from quarterdeck.admission.pluginsettings import ImagePolicySettings
from quarterdeck.apimachinery import duration
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import BOOL, STRING, Field, Scalar, Struct
from quarterdeck.webhook import kubeconfig

_NS: Final = 10**9
_OFF: Final = -1  # of a duration, and 0 is the default
_DURATION: Final = Scalar("time.Duration", "int")
_WEBHOOK: Final = Struct(
    "imagePolicyWebhookConfig",
    {
        "kubeConfigFile": Field(STRING),
        "allowTTL": Field(_DURATION),
        "denyTTL": Field(_DURATION),
        "retryBackoff": Field(_DURATION),
        "defaultAllow": Field(BOOL),
    },
    "imagepolicy",
)
_FILE: Final = Struct("AdmissionConfig", {"imagePolicy": Field(_WEBHOOK)}, "imagepolicy")
# The unit in nanoseconds, the least, the most and the default.
_BACKOFF: Final = (_NS // 1000, 1, 300 * _NS, _NS // 2)
_ALLOWED: Final = (_NS, _NS, 1800 * _NS, 300 * _NS)
_DENIED: Final = (_NS, _NS, 1800 * _NS, 30 * _NS)


def parse(data: bytes | None) -> ImagePolicySettings:
    """None: there is no configuration, which is refused. Raises BadFile."""
    if data is None:
        raise BadFile("no config specified")
    value, _ = configfile.read(data)
    try:
        given = Decoder(report_unknown=False).decode_struct(value, _FILE)["imagePolicy"]
    except DecodeError as error:
        raise BadFile(str(error)) from error
    delay_s = _read_s(given.get("retryBackoff", 0), *_BACKOFF)
    allowed_s = _read_s(given.get("allowTTL", 0), *_ALLOWED)
    denied_s = _read_s(given.get("denyTTL", 0), *_DENIED)
    path = given.get("kubeConfigFile", "")
    if not path:
        raise BadFile("invalid configuration: no configuration has been provided")
    try:
        remote = kubeconfig.load(Path(path))
    except kubeconfig.BadKubeconfig as error:
        raise BadFile(str(error)) from error
    return ImagePolicySettings(remote, allowed_s, denied_s, delay_s, given.get("defaultAllow", False))


def _read_s(given: int, unit_ns: int, least_ns: int, most_ns: int, default_ns: int) -> float:
    if given == _OFF:
        return 0.0
    if not given:
        return default_ns / _NS
    found_ns = given * unit_ns
    if not least_ns <= found_ns <= most_ns:
        texts = (duration.format_ns(each) for each in (least_ns, most_ns, found_ns))
        raise BadFile("valid value is between {} and {}, got {}".format(*texts))
    return found_ns / _NS
