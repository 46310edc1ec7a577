"""Secrets. Source: pkg/registry/core/secret/strategy.go, pkg/apis/core/validation (ValidateSecret)."""

from __future__ import annotations

import base64
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, keypair, names
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.core.configmap import validate_immutable
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

DATA_BYTES_MAX: Final = 1024 * 1024
_REDACTED: Final = "<secret contents redacted>"
_TOO_LARGE: Final = "cannot unmarshal number"  # for a float64
_GO_KINDS: Final = {list: "array", str: "string", bool: "bool"}
_REQUIRED_KEYS: Final = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_TLS: Final = "kubernetes.io/tls"
_SERVICE_ACCOUNT_TOKEN: Final = "kubernetes.io/service-account-token"
_SERVICE_ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
_SSH_AUTH: Final = "kubernetes.io/ssh-auth"
_SSH_KEY: Final = "ssh-privatekey"
_BASIC_AUTH: Final = "kubernetes.io/basic-auth"


def default_secret(obj: Object) -> None:
    """stringData overrides data and is not stored; the type defaults to Opaque."""
    given = obj.pop("stringData", None)
    if given:
        data = obj.setdefault("data", {})
        for key, text in given.items():
            data[key] = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
    obj.setdefault("type", "Opaque")


class SecretStrategy(BuiltinStrategy):
    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return written.has_null("data")

    def warn(self, obj: Object) -> list[str]:
        return _warnings_of(obj)

    def keep(self, new: Object, old: Object) -> None:
        # An empty type means the old one; defaulting has set Opaque by then, as upstream's has.
        if not new.get("type"):
            new["type"] = old.get("type")

    def check(self, obj: Object) -> list[FieldError]:
        data: dict[str, str] = obj.get("data") or {}
        problems: list[FieldError] = []
        if not names.are_usual_config_map_keys(data):
            for key in longsteps.sort(data):
                problems += [field.invalid(field.key("data", key), key, text) for text in names.config_map_key(key)]
        if sum(len(base64.b64decode(value)) for value in data.values()) > DATA_BYTES_MAX:
            problems.append(field.too_long("data", DATA_BYTES_MAX))
        return problems + _check_type(obj, data)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = []
        if new.get("type") != old.get("type"):
            problems.append(field.invalid("type", field.named(new.get("type", "")), "field is immutable"))
        problems += validate_immutable(new, old, ("data",))
        return problems + self._validate_metadata(new["metadata"]) + self.check(new)


def _warnings_of(obj: Object) -> list[str]:
    """A pair that no server could use is stored all the same."""
    if obj.get("type") != _TLS:
        return []
    data: dict[str, str] = obj.get("data") or {}
    wrong = keypair.check_key_pair(*(base64.b64decode(data.get(name, "")) for name in _REQUIRED_KEYS[_TLS]))
    return [wrong] if wrong else []


def _check_type(obj: Object, data: dict[str, str]) -> list[FieldError]:
    kind = obj.get("type", "")
    if kind == _SERVICE_ACCOUNT_TOKEN:
        annotations = obj["metadata"].get("annotations") or {}
        if annotations.get(_SERVICE_ACCOUNT_NAME):
            return []
        return [field.required(field.key("metadata.annotations", _SERVICE_ACCOUNT_NAME))]
    if kind == _SSH_AUTH:
        return [] if data.get(_SSH_KEY) else [field.required(field.key("data", _SSH_KEY))]
    if kind == _BASIC_AUTH:
        if "username" in data or "password" in data:
            return []
        return [field.required(field.key("data", "username")), field.required(field.key("data", "password"))]
    problems: list[FieldError] = []
    for key in _REQUIRED_KEYS.get(kind, ()):
        path = field.key("data", key)
        if key not in data:
            problems.append(field.required(path))
        elif key.startswith(".docker"):
            problems += _check_json(path, base64.b64decode(data[key]))
    return problems


def _check_json(path: str, text: bytes) -> list[FieldError]:
    """An object, or null."""
    try:
        found = json_codec.decode(text).value
    except json_codec.DecodeError as error:
        kind = {b"{": "", b"[": "array"}.get(text.lstrip(b" \t\r\n")[:1], "number")
        if not kind or _TOO_LARGE not in str(error):
            return [field.invalid(path, _REDACTED, str(error))]
        # Go does not come to read what is in no object.
    else:
        if found is None or isinstance(found, dict):
            return []
        kind = _GO_KINDS.get(type(found), "number")
    wrong = f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    return [field.invalid(path, _REDACTED, wrong)]
