"""What is wrong with an EncryptionConfiguration.

Source: apiserver/pkg/apis/apiserver/validation/validation_encryption.go.

Differs from upstream: an element with several providers, or none, is not shown, since it may hold keys.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from quarterdeck.apimachinery import duration, field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.server.encryption import configuration as config
from quarterdeck.server.encryption.configuration import Configuration, Key, KMSConfiguration, Provider
from quarterdeck.storage.value import aes, secretbox
from quarterdeck.storage.value.resources import ANY, GroupResource

_REDACTED: Final = "REDACTED"
_DUPLICATE: Final = "the same resource cannot be specified multiple times"
_OVERLAP: Final = (
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be "
    "masked"
)
_NO_PROVIDER: Final = (
    "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity"
)
_SEVERAL: Final = "more than one provider specified in a single element, should split into different list elements"
_WITHOUT_API: Final = frozenset(("apiserveripinfo", "serviceipallocations", "servicenodeportallocations"))
_KEY_BYTES: Final = {
    config.AESGCM: aes.KEY_BYTES,
    config.AESCBC: aes.KEY_BYTES,
    config.SECRETBOX: secretbox.KEY_BYTES,
}


def parse_resource(text: str) -> GroupResource:
    """schema.ParseGroupResource, as (group, resource)."""
    resource, _, group = text.partition(".")
    return group, resource


def validate(configuration: Configuration, *, reloads: bool) -> list[FieldError]:
    """`reloads`: whether the file is taken up again when it changes."""
    root = "resources"
    if not configuration.resources:
        return [field.required(root, f"at least one {root} is required")]
    problems: list[FieldError] = []
    names: set[str] = set()
    for number, each in enumerate(configuration.resources):
        at = field.index(root, number)
        resources, providers = field.child(at, "resources"), field.child(at, "providers")
        if not each.resources:
            problems.append(field.required(resources, f"at least one {resources} is required"))
        problems += _overlaps(each.resources, resources)
        for index, name in enumerate(each.resources):
            problems += _name(name, field.index(resources, index))
        if not each.providers:
            problems.append(field.required(providers, f"at least one {providers} is required"))
        for index, provider in enumerate(each.providers):
            problems += _provider(provider, field.index(providers, index), names, reloads=reloads)
    return problems


def _overlaps(resources: Sequence[str], path: str) -> list[FieldError]:
    parsed = [parse_resource(each) for each in resources]
    is_twice = has_overlap = False
    for i, first in enumerate(parsed):
        for j, second in enumerate(parsed):
            if i == j:
                continue
            if first == second and not is_twice:
                is_twice = True
            elif first == (ANY, ANY) or (first[0] == second[0] and ANY in (first[1], second[1])):
                has_overlap = True
    problems = [field.invalid(path, list(resources), _DUPLICATE)] if is_twice else []
    return [*problems, field.invalid(path, list(resources), _OVERLAP)] if has_overlap else problems


def _name(name: str, path: str) -> list[FieldError]:
    group, resource = parse_resource(name)
    text = ""
    if name.lower() != name:
        text = "resource name should not contain capital letters"
    elif name == ANY:
        text = "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
    elif name in _WITHOUT_API:
        text = "resources which do not have REST API/s cannot be encrypted"
    elif group == "events.k8s.io":
        text = (
            "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the "
            "config file"
        )
    elif group == "extensions":
        text = "'extensions' group has been removed and cannot be used for encryption"
    elif group == ANY and resource != ANY:
        text = "encrypting the same resource across groups is not supported"
    return [field.invalid(path, name, text)] if text else []


def _provider(provider: Provider, path: str, names: set[str], *, reloads: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    if not provider.kinds:
        return [field.invalid(path, _REDACTED, _NO_PROVIDER)]
    if len(provider.kinds) > 1:
        problems.append(field.invalid(path, _REDACTED, _SEVERAL))
    kind = provider.kinds[0]
    inside = field.child(path, kind)
    if provider.kms is not None:
        problems += _kms(provider.kms, inside, names, reloads=reloads)
        names.add(provider.kms.name)
    elif kind in _KEY_BYTES:
        problems += _keys(provider.keys, field.child(inside, "keys"), _KEY_BYTES[kind])
    return problems


def _keys(keys: Sequence[Key], path: str, sizes: tuple[int, ...]) -> list[FieldError]:
    if not keys:
        return [field.required(path, "at least one keys is required")]
    problems: list[FieldError] = []
    for number, key in enumerate(keys):
        at = field.index(path, number)
        if not key.name:
            problems.append(field.required(field.child(at, "name"), "name is a mandatory field for a key"))
        problems += _secret(key.secret, field.child(at, "secret"), sizes)
    return problems


def _secret(text: str, path: str, sizes: tuple[int, ...]) -> list[FieldError]:
    if not text:
        return [field.required(path, "secret is a mandatory field for a key")]
    try:
        size = len(decode_secret(text))
    except ValueError:
        return [field.invalid(path, _REDACTED, "secrets must be base64 encoded")]
    if size in sizes:
        return []
    expected = " ".join(map(str, sizes))
    text = f"secret is not of the expected length, got {size}, expected one of [{expected}]"
    return [field.invalid(path, _REDACTED, text)]


def decode_secret(text: str) -> bytes:
    """Base64 as Go's StdEncoding reads it: line breaks are skipped. Raises ValueError."""
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error


def _kms(kms: KMSConfiguration, path: str, names: set[str], *, reloads: bool) -> list[FieldError]:
    problems = _kms_name(kms, field.child(path, "name"), names, reloads=reloads)
    at = field.child(path, "timeout")
    try:
        if duration.parse_ns(kms.timeout) <= 0:
            problems.append(field.invalid(at, kms.timeout, "timeout should be a positive value"))
    except ValueError as error:
        problems.append(field.invalid(at, kms.timeout, str(error)))
    problems += _endpoint(kms.endpoint, field.child(path, "endpoint"))
    at = field.child(path, "cachesize")
    if kms.api_version != config.KMS_V1 and kms.cache_size is not None:
        problems.append(field.invalid(at, kms.cache_size, "cachesize is not supported in v2"))
    if kms.api_version == config.KMS_V1 and kms.cache_size == 0:
        text = "cachesize should be a positive value, or negative to disable"
        problems.append(field.invalid(at, kms.cache_size, text))
    if kms.api_version not in (config.KMS_V1, config.KMS_V2):
        text = "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported"
        problems.append(field.invalid(field.child(path, "apiVersion"), kms.api_version, text))
    return problems


def _kms_name(kms: KMSConfiguration, path: str, names: set[str], *, reloads: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    is_v1 = kms.api_version == config.KMS_V1
    if not kms.name:
        problems.append(field.required(path, "name is a mandatory field for a provider"))
    if not is_v1 and ":" in kms.name:
        problems.append(field.invalid(path, kms.name, f"invalid KMS provider name {kms.name}, must not contain ':'"))
    if (reloads or not is_v1) and kms.name in names:
        text = f"duplicate KMS provider name {kms.name}, names must be unique"
        problems.append(field.invalid(path, kms.name, text))
    return problems


def _endpoint(endpoint: str, path: str) -> list[FieldError]:
    if not endpoint:
        return [field.invalid(path, "", "endpoint is a mandatory field for a kms")]
    try:
        scheme = urlsplit(endpoint).scheme
    except ValueError as error:
        return [field.invalid(path, endpoint, f"invalid endpoint for kms provider, error: {error}")]
    if scheme != "unix":
        text = f'unsupported scheme "{scheme}" for KMS provider, only unix is supported'
        return [field.invalid(path, endpoint, text)]
    return []
