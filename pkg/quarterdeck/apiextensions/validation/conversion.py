"""The conversion of a definition: strategy, webhook, review versions."""

from __future__ import annotations

import base64
from typing import Any, Final

from quarterdeck.apiextensions.validation.names import validate_enum
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.webhookclient import (
    REVIEW_VERSIONS,
    validate_review_versions,
    validate_webhook_service,
    validate_webhook_url,
)
from quarterdeck.transport.client import bundle as bundles

_PATH: Final = "spec.conversion"
_CLIENT: Final = "spec.conversion.webhookClientConfig"
_VERSIONS: Final = "spec.conversion.conversionReviewVersions"
_NOT_WEBHOOK: Final = "should not be set when strategy is not set to Webhook"


def validate_conversion(
    conversion: dict[str, Any] | None, *, require_recognized: bool, allow_bad_bundle: bool
) -> list[FieldError]:
    if conversion is None:
        return []
    strategy = conversion.get("strategy") or ""
    webhook = conversion.get("webhook") or {}
    client, versions = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    problems = validate_enum(f"{_PATH}.strategy", strategy, ["None", "Webhook"])
    if strategy != "Webhook":
        if client is not None:
            problems.append(field.forbidden(_CLIENT, _NOT_WEBHOOK))
        if versions:
            problems.append(field.forbidden(_VERSIONS, _NOT_WEBHOOK))
        return problems
    if client is None:
        problems.append(field.required(_CLIENT, "required when strategy is set to Webhook"))
    else:
        problems += _validate_client(client, allow_bad_bundle=allow_bad_bundle)
    return problems + _validate_review_versions(versions, require_recognized=require_recognized)


def _validate_client(client: dict[str, Any], *, allow_bad_bundle: bool) -> list[FieldError]:
    url, service = client.get("url"), client.get("service")
    problems: list[FieldError] = []
    if (url is None) == (service is None):
        problems.append(field.required(_CLIENT, "exactly one of url or service is required"))
    elif url is not None:
        problems += validate_webhook_url(f"{_CLIENT}.url", url)
    elif service is not None:
        # Upstream hands name and namespace over the wrong way round; the causes name the other one.
        problems += validate_webhook_service(
            f"{_CLIENT}.service", service.get("name", ""), service.get("namespace", ""), service
        )
    bundle = client.get("caBundle")
    if bundle and not allow_bad_bundle and (text := bundle_problem(bundle)):
        problems.append(field.invalid(f"{_CLIENT}.caBundle", _shown_bytes(bundle), text))
    return problems


def _validate_review_versions(versions: list[str], *, require_recognized: bool) -> list[FieldError]:
    if not versions:
        return [field.required(_VERSIONS)]
    return validate_review_versions(_VERSIONS, versions, requires_known=require_recognized)


def has_recognized_versions(conversion: dict[str, Any] | None) -> bool:
    versions = ((conversion or {}).get("webhook") or {}).get("conversionReviewVersions") or []
    return not versions or not set(versions).isdisjoint(REVIEW_VERSIONS)


def has_bad_bundle(conversion: dict[str, Any] | None) -> bool:
    client = ((conversion or {}).get("webhook") or {}).get("clientConfig") or {}
    bundle = client.get("caBundle") or ""
    return bool(bundle) and bool(bundle_problem(bundle))


def bundle_problem(bundle: str) -> str:
    """What is wrong with a base64 bundle of PEM certificates; "" when nothing is."""
    return bundles.find_problem(base64.b64decode(bundle))


def _shown_bytes(bundle: str) -> field.GoText:
    """Upstream prints bytes as base64 text."""
    return field.GoText(f'"{bundle}"')
