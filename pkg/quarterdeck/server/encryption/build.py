"""From a configuration to transformers, and the probes of its KMS providers.

Source: apiserver/pkg/server/options/encryptionconfig/config.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery import duration, gofmt
from quarterdeck.server.encryption import configuration as config
from quarterdeck.server.encryption.configuration import Configuration, ConfigurationError, KMSConfiguration, Provider
from quarterdeck.server.encryption.metrics import EncryptionMetrics
from quarterdeck.server.encryption.validation import decode_secret, parse_resource, validate
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.kms.envelope import Envelope
from quarterdeck.storage.value.kms.probe import Probe
from quarterdeck.storage.value.kms.service import Service
from quarterdeck.storage.value.resources import ANY, GroupResource
from quarterdeck.storage.value.secretbox import Secretbox
from quarterdeck.storage.value.transformer import (
    IDENTITY,
    NO_PREFIX,
    Prefixed,
    PrefixTransformers,
    Transformer,
)

_PREFIXES: Final = {
    config.AESCBC: b"k8s:enc:aescbc:v1:",
    config.AESGCM: b"k8s:enc:aesgcm:v1:",
    config.SECRETBOX: b"k8s:enc:secretbox:v1:",
}
_CIPHERS: Final[dict[str, Callable[[bytes], Transformer]]] = {
    config.AESCBC: aes.CBC,
    config.AESGCM: aes.GCM,
    config.SECRETBOX: Secretbox,
}
_KMS_PREFIX: Final = b"k8s:enc:kms:v2:"
_NO_KMS_V1: Final = (
    "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set "
    "--feature-gates=KMSv1=true to use the deprecated KMSv1 feature."
)
# PyNaCl and grpcio come with the extra `encryption`.
_MISSING: Final = 'the {} provider needs {}, which is not installed: pip install "quarterdeck[encryption]"'


@dataclass(slots=True)
class Built:
    """`transformers` by group and resource; `timeouts_s`: what asking all plugins once may take."""

    digest: str
    transformers: dict[GroupResource, Transformer] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    timeouts_s: float = 0.0

    def close(self) -> None:
        for service in self.services:
            service.close()


def load(path: Path, *, reloads: bool) -> Configuration:
    """The file's configuration, valid. Raises ConfigurationError."""
    try:
        configuration = config.load(path)
    except ConfigurationError as error:
        raise ConfigurationError(f"error while parsing file: {error}") from None
    if problems := validate(configuration, reloads=reloads):
        texts = list(dict.fromkeys(map(str, problems)))
        shown = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        raise ConfigurationError(f"error while parsing file: {shown}")
    return configuration


def build(configuration: Configuration, metrics: EncryptionMetrics) -> Built:
    """Of a valid configuration. Nothing is asked of plugins yet. Raises ConfigurationError."""
    built = Built(configuration.digest)
    try:
        _build(configuration, metrics, built)
    except ConfigurationError as error:
        built.close()
        raise ConfigurationError(f"error while building transformers: {error}") from error
    return built


def _build(configuration: Configuration, metrics: EncryptionMetrics, built: Built) -> None:
    listed: dict[GroupResource, list[Prefixed]] = {}
    for entry in configuration.resources:
        providers = [_provider(provider, metrics, built) for provider in entry.providers]
        for name in entry.resources:
            group, resource = parse_resource(name)
            for wider in ((group, ANY), (ANY, ANY)):
                if wider in listed:
                    masked, by = gofmt.quote(_show(group, resource)), gofmt.quote(_show(*wider))
                    raise ConfigurationError(f"resource {masked} is masked by earlier rule {by}")
            listed.setdefault((group, resource), []).extend(providers)
    for (group, resource), prefixed in listed.items():
        recorder = metrics.recorder(group, resource)
        built.transformers[group, resource] = PrefixTransformers(NO_PREFIX, prefixed, recorder)


def _show(group: str, resource: str) -> str:
    if group:
        return f"{resource}.{group}"
    return "*." if resource == ANY else resource


def _provider(provider: Provider, metrics: EncryptionMetrics, built: Built) -> Prefixed:
    kind = provider.kinds[0]
    if provider.kms is not None:
        return _kms(provider.kms, metrics, built)
    if kind == config.IDENTITY:
        return Prefixed(b"", IDENTITY)
    try:
        make = _CIPHERS[kind]
        keys = [Prefixed(f"{key.name}:".encode(), make(decode_secret(key.secret))) for key in provider.keys]
    except ImportError:
        raise ConfigurationError(_MISSING.format("secretbox", "PyNaCl")) from None
    cipher = "Secretbox" if kind == config.SECRETBOX else "AES"
    unmatched = f"no matching key was found for the provided {cipher} transformer"
    return Prefixed(_PREFIXES[kind], PrefixTransformers(unmatched, keys))


def _kms(kms: KMSConfiguration, metrics: EncryptionMetrics, built: Built) -> Prefixed:
    if kms.api_version == config.KMS_V1:
        raise ConfigurationError(_NO_KMS_V1)
    timeout_s = duration.parse_ns(kms.timeout) / 1e9
    try:
        service = Service(kms.name, kms.endpoint, timeout_s, metrics)
    except ImportError:
        raise ConfigurationError(_MISSING.format("kms", "grpcio")) from None
    probe = Probe(kms.name, service, metrics)
    built.services.append(service)
    built.probes.append(probe)
    built.timeouts_s += timeout_s
    return Prefixed(_KMS_PREFIX + f"{kms.name}:".encode(), Envelope(service, probe, metrics))
