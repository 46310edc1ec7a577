"""TracingConfiguration (apiserver.config.k8s.io): the file of --tracing-config-file, decoded strictly, checked.

Differs from upstream: an endpoint `dns://SERVER/NAME` is refused, since the exporter cannot ask a DNS server of its
own; without the file no trace is passed on to webhooks.

Source: apiserver/pkg/server/options/tracing.go, component-base/tracing/api/v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from quarterdeck.apimachinery import field, gofmt, gourl
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import INT32, STRING, Field, Struct

_GROUP: Final = "apiserver.config.k8s.io"
_KIND: Final = "TracingConfiguration"
_VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")
_SCHEME: Final = "k8s.io/apiserver/pkg/server/options/tracing.go:45"
_FIELDS: Final = {
    "kind": Field(STRING),
    "apiVersion": Field(STRING),
    "endpoint": Field(STRING, pointer=True),
    "samplingRatePerMillion": Field(INT32, pointer=True),
}
_SCHEMES: Final = ("dns", "unix", "unix-abstract")
_MILLION: Final = 1_000_000
ENDPOINT: Final = "localhost:4317"


class TracingSettings(NamedTuple):
    """Where spans go, as gRPC names it, and how many of a million requests are traced that no caller traces."""

    endpoint: str = ENDPOINT
    rate_per_million: int = 0


def load(path: Path) -> TracingSettings:
    """Raises BadFile."""
    if not path.exists():
        raise BadFile(f"tracing-config-file {path} does not exist")
    try:
        return parse(path.read_bytes())
    except OSError as error:
        text = f"unable to read tracing configuration from {gofmt.quote(str(path))}: {error.strerror}"
        raise BadFile(f"failed to read tracing config: {text}") from error


def parse(data: bytes) -> TracingSettings:
    """Raises BadFile."""
    kinds = {(_GROUP, version, _KIND): Struct(_KIND, _FIELDS, version) for version in _VERSIONS}
    try:
        decoded = configfile.decode(data, kinds, _SCHEME)
    except BadFile as error:
        text = f"unable to decode tracing configuration data: {error}"
        raise BadFile(f"failed to read tracing config: {text}") from error
    endpoint, rate = decoded.get("endpoint"), decoded.get("samplingRatePerMillion")
    problems = _check_rate(rate) if rate is not None else []
    if endpoint is not None:
        problems += _check_endpoint(endpoint)
    if problems:
        raise BadFile(f"failed to validate tracing configuration: {field.aggregate_message(problems)}")
    return TracingSettings(endpoint or ENDPOINT, rate or 0)


def _check_rate(rate: int) -> list[field.FieldError]:
    if rate < 0:
        return [field.invalid("samplingRatePerMillion", rate, "sampling rate must be positive")]
    if rate > _MILLION:
        detail = "sampling rate per million must be less than or equal to one million"
        return [field.invalid("samplingRatePerMillion", rate, detail)]
    return []


def _check_endpoint(endpoint: str) -> list[field.FieldError]:
    is_bare = "//" not in endpoint
    shown = f"dns://{endpoint}" if is_bare else endpoint
    try:
        url = gourl.parse(shown)
    except gourl.URLError as error:
        return [field.invalid("endpoint", shown, str(error))]
    if url.scheme not in _SCHEMES:
        detail = (
            f"unsupported scheme: {url.scheme}.  Options are none, dns, unix, or unix-abstract.  "
            "See https://github.com/grpc/grpc/blob/master/doc/naming.md"
        )
        return [field.invalid("endpoint", shown, detail)]
    if not is_bare and url.scheme == "dns" and url.host:
        return [field.invalid("endpoint", shown, "a DNS server cannot be chosen: write dns:///NAME:PORT")]
    return []
