"""EncryptionConfiguration (apiserver.config.k8s.io/v1): the file as values.

Decoding is strict, as upstream's: unknown and duplicate fields are errors. No error shows what the file holds beyond
names: it is full of keys.

Source: apiserver/pkg/apis/apiserver/v1/{types_encryption,defaults}.go, pkg/server/options/encryptionconfig/config.go
(loadConfig).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import yaml
from quarterdeck.metrics.digests import digest
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import INT32, STRING, Field, ListOf, Struct

GROUP: Final = "apiserver.config.k8s.io"
API_VERSION: Final = f"{GROUP}/v1"
KIND: Final = "EncryptionConfiguration"
AESGCM: Final = "aesgcm"
AESCBC: Final = "aescbc"
SECRETBOX: Final = "secretbox"
IDENTITY: Final = "identity"
KMS: Final = "kms"
KMS_V1: Final = "v1"
KMS_V2: Final = "v2"
_TIMEOUT: Final = "3s"
_CACHE_SIZE: Final = 1000
_SCHEME: Final = "pkg/runtime/scheme.go:110"

_KEY: Final = Struct("Key", {"name": Field(STRING, always=True), "secret": Field(STRING, always=True)}, "v1")
_KEYS: Final = {"keys": Field(ListOf(_KEY), always=True)}
_KMS: Final = Struct(
    "KMSConfiguration",
    {
        "apiVersion": Field(STRING, always=True),
        "name": Field(STRING, always=True),
        "cachesize": Field(INT32, pointer=True),
        "endpoint": Field(STRING, always=True),
        "timeout": Field(STRING, pointer=True),
    },
    "v1",
)
_PROVIDER: Final = Struct(
    "ProviderConfiguration",
    {
        AESGCM: Field(Struct("AESConfiguration", _KEYS, "v1"), pointer=True),
        AESCBC: Field(Struct("AESConfiguration", _KEYS, "v1"), pointer=True),
        SECRETBOX: Field(Struct("SecretboxConfiguration", _KEYS, "v1"), pointer=True),
        IDENTITY: Field(Struct("IdentityConfiguration", {}, "v1"), pointer=True),
        KMS: Field(_KMS, pointer=True),
    },
    "v1",
)
_RESOURCE: Final = Struct(
    "ResourceConfiguration",
    {"resources": Field(ListOf(STRING), always=True), "providers": Field(ListOf(_PROVIDER), always=True)},
    "v1",
)
_CONFIGURATION: Final = Struct(
    KIND,
    {"apiVersion": Field(STRING), "kind": Field(STRING), "resources": Field(ListOf(_RESOURCE), always=True)},
    "v1",
)


class ConfigurationError(Exception):
    """The file cannot be used. The text is upstream's, for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class Key:
    """`secret` is base64; it is not shown."""

    name: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KMSConfiguration:
    """`timeout` as it is written; `cache_size` None: not given."""

    api_version: str
    name: str
    endpoint: str
    timeout: str
    cache_size: int | None


@dataclass(frozen=True, slots=True)
class Provider:
    """`kinds`: which providers the element names; one of them where it is valid. `keys` of the first of those."""

    kinds: tuple[str, ...]
    keys: tuple[Key, ...] = ()
    kms: KMSConfiguration | None = None


@dataclass(frozen=True, slots=True)
class Resources:
    resources: tuple[str, ...]
    providers: tuple[Provider, ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """`digest`: "sha256:…" of the file's bytes."""

    resources: tuple[Resources, ...]
    digest: str


def read_file(path: Path) -> bytes:
    """Raises ConfigurationError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        text = (error.strerror or str(error)).lower()
        shown = gofmt.quote(str(path))
        raise ConfigurationError(
            f"error while loading file: error reading encryption provider configuration file {shown}: "
            f"open {path}: {text}"
        ) from error
    if not data:
        shown = gofmt.quote(str(path))
        raise ConfigurationError(f"error while loading file: encryption provider configuration file {shown} is empty")
    return data


def load(path: Path) -> Configuration:
    """The configuration with defaults, not yet validated. Raises ConfigurationError."""
    data = read_file(path)
    try:
        return Configuration(_decode(data), digest(data))
    except _Refused as error:
        shown = gofmt.quote(str(path))
        raise ConfigurationError(
            f"error decoding encryption provider configuration file {shown}: {error}"
        ) from None  # what went before holds the file's text


class _Refused(Exception):
    pass


def _decode(data: bytes) -> tuple[Resources, ...]:
    try:
        read = yaml.decode(data)
    except yaml.DecodeError as error:
        raise _Refused(f"couldn't get version/kind; json parse error: {error.message}") from None
    value = read.value
    if not isinstance(value, dict):
        raise _Refused("couldn't get version/kind; json parse error: the file is no object")
    # Differs from upstream: there these two show the whole file.
    if not value.get("kind"):
        raise _Refused("Object 'Kind' is missing")
    if not value.get("apiVersion"):
        raise _Refused("Object 'apiVersion' is missing")
    if value["kind"] != KIND or value["apiVersion"] != API_VERSION:
        kind, version = gofmt.quote(str(value["kind"])), gofmt.quote(str(value["apiVersion"]))
        raise _Refused(f'no kind {kind} is registered for version {version} in scheme "{_SCHEME}"')
    decoder = Decoder(report_unknown=True)
    try:
        decoded = decoder.decode_struct(value, _CONFIGURATION)
    except DecodeError as error:
        raise _Refused(str(error)) from None
    strict = [read.strict_error] if read.strict_error else []
    strict += [f"unknown field {gofmt.quote(path)}" for path in decoder.unknown]
    if strict:
        raise _Refused(f"strict decoding error: {', '.join(strict)}")
    return tuple(
        Resources(tuple(each["resources"] or ()), tuple(_provider(one) for one in each["providers"] or ()))
        for each in decoded["resources"] or ()
    )


def _provider(value: dict[str, Any]) -> Provider:
    kinds = tuple(name for name in (KMS, AESGCM, AESCBC, SECRETBOX, IDENTITY) if name in value)
    first = next(iter(kinds), "")
    if first == KMS:
        return Provider(kinds, kms=_kms(value[KMS]))
    keys = value.get(first, {}).get("keys") or ()
    return Provider(kinds, tuple(Key(key["name"], key["secret"]) for key in keys))


def _kms(value: dict[str, Any]) -> KMSConfiguration:
    api_version = value["apiVersion"] or KMS_V1
    size = value.get("cachesize", _CACHE_SIZE if api_version == KMS_V1 else None)
    timeout = value.get("timeout") or _TIMEOUT
    return KMSConfiguration(api_version, value["name"], value["endpoint"], timeout, size)
