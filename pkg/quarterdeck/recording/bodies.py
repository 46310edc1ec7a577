"""Bodies as a recording has them: values where they can be read, and nothing in them that is secret.

{"body": value}     JSON, YAML, protobuf
{"text": text}      anything else
{"bytes": size}     what is too large, or secret and cannot be read
"""

from __future__ import annotations

import base64
from typing import Any, Final

import orjson

from quarterdeck.apimachinery.codec import json, protobuf, yaml

BODY_BYTES_MAX: Final = 1024 * 1024
REDACTED: Final = "REDACTED"
_REDACTED_DATA: Final = base64.b64encode(REDACTED.encode()).decode()
_VALUES: Final = {"data": _REDACTED_DATA, "stringData": REDACTED}
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
# Whose objects hold credentials.
_SECRET: Final = (("", "secrets"),)
_WITH_TOKENS: Final = (("", "serviceaccounts", "token"), ("authentication.k8s.io", "tokenreviews", ""))
_DEPTH_MAX: Final = 200

Resource = tuple[str, str, str]  # group, resource, subresource


def describe(body: bytes, content_type: str, resource: Resource) -> dict[str, Any]:
    """Of a request or an answer for a resource (("", "", "") for none)."""
    if not body:
        return {}
    holds_secrets = resource[:2] in _SECRET
    if len(body) > BODY_BYTES_MAX:
        return {"bytes": len(body)}
    try:
        value = _decode(body, content_type)
    except (ValueError, json.DecodeError, yaml.DecodeError):
        if holds_secrets or resource in _WITH_TOKENS or "protobuf" in content_type:
            return {"bytes": len(body)}
        return {"text": body.decode(errors="replace")}
    if holds_secrets:
        value = _redact(value, _DEPTH_MAX)
    elif resource in _WITH_TOKENS:
        value = _redact_tokens(value, _DEPTH_MAX)
    return {"body": value}


def _decode(body: bytes, content_type: str) -> Any:
    if "protobuf" in content_type:
        return protobuf.decode(body)
    if "yaml" in content_type:
        return yaml.decode(body).value
    return orjson.loads(body)


def _redact(value: Any, depth: int) -> Any:
    """Values of `data` and `stringData`, of operations of JSON patches on them, and what kubectl repeats of them."""
    if isinstance(value, list):
        return [_redact(each, depth - 1) for each in value] if depth else REDACTED
    if not isinstance(value, dict):
        return value
    if not depth:
        return REDACTED
    redacted = {}
    is_operation = isinstance(value.get("op"), str) and isinstance(value.get("path"), str)
    for name, each in value.items():
        if name in _VALUES:
            redacted[name] = _redact_values(each, _VALUES[name])
        elif name == _LAST_APPLIED:
            redacted[name] = REDACTED
        elif is_operation and name == "value" and value["path"].strip("/").partition("/")[0] in _VALUES:
            redacted[name] = _redact_values(each, _VALUES[value["path"].strip("/").partition("/")[0]])
        else:
            redacted[name] = _redact(each, depth - 1)
    return redacted


def _redact_values(value: Any, by: str) -> Any:
    """null removes a value in a patch: it stays."""
    if isinstance(value, dict):
        return {name: None if each is None else by for name, each in value.items()}
    return None if value is None else by


def _redact_tokens(value: Any, depth: int) -> Any:
    if isinstance(value, list):
        return [_redact_tokens(each, depth - 1) for each in value] if depth else REDACTED
    if not isinstance(value, dict):
        return value
    if not depth:
        return REDACTED
    return {name: REDACTED if name == "token" else _redact_tokens(each, depth - 1) for name, each in value.items()}
