"""Where a webhook is, and which reviews it takes: what a URL, a service and versions that are named may look like.

Source: apiserver/pkg/util/webhook/validation.go; validateConversionReviewVersions of apiextensions and
validateAdmissionReviewVersions of admissionregistration, which are alike.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, gourl, names
from quarterdeck.apimachinery.field import FieldError

# Of AdmissionReview and ConversionReview: those that upstream speaks.
REVIEW_VERSIONS: Final = ("v1", "v1beta1")

_URL_FORM: Final = "; desired format: https://host[/path]"


def validate_webhook_url(path: str, text: str) -> list[FieldError]:
    try:
        url = gourl.parse(text)
    except gourl.URLError as error:
        return [field.required(path, f"url must be a valid URL: {error}{_URL_FORM}")]
    problems = []
    if url.scheme != "https":
        problems.append(field.invalid(path, url.scheme, "'https' is the only allowed URL scheme" + _URL_FORM))
    if not url.host:
        problems.append(field.invalid(path, url.host, "host must be specified" + _URL_FORM))
    if url.user is not None:
        problems.append(field.invalid(path, url.user, "user information is not permitted in the URL"))
    if url.fragment:
        problems.append(field.invalid(path, url.fragment, "fragments are not permitted in the URL"))
    if url.raw_query:
        problems.append(field.invalid(path, url.raw_query, "query parameters are not permitted in the URL"))
    return problems


def validate_webhook_service(path: str, namespace: str, name: str, service: dict[str, Any]) -> list[FieldError]:
    problems = []
    if not name:
        problems.append(field.required(f"{path}.name"))
    if not namespace:
        problems.append(field.required(f"{path}.namespace"))
    port = service.get("port")
    if port is not None and (texts := names.port_number(port)):
        problems.append(field.invalid(f"{path}.port", port, f"port is not valid: {', '.join(texts)}"))
    return problems + _validate_url_path(f"{path}.path", service.get("path"))


def validate_review_versions(path: str, versions: list[str], *, requires_known: bool) -> list[FieldError]:
    """Of versions of which there are some. `requires_known`: one of them has to be of REVIEW_VERSIONS."""
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, version in enumerate(versions):
        at = field.index(path, position)
        if version in seen:
            problems.append(field.invalid(at, version, "duplicate version"))
            continue
        seen.add(version)
        problems += [field.invalid(at, version, text) for text in names.dns1035_label(version)]
    if requires_known and seen.isdisjoint(REVIEW_VERSIONS):
        problems.append(field.invalid(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}"))
    return problems


def _validate_url_path(path: str, value: str | None) -> list[FieldError]:
    if not value or value == "/":
        return []
    if value == "//":
        return [field.invalid(path, value, "segment[0] may not be empty")]
    problems = []
    if not value.startswith("/"):
        problems.append(field.invalid(path, value, "must start with a '/'"))
    # Upstream leaves out a byte, which of other letters than ASCII is no letter.
    rest = value.encode("utf-8", "surrogatepass")[1:].decode("utf-8", "surrogateescape")
    for position, segment in enumerate(rest.removesuffix("/").split("/")):
        if not segment:
            problems.append(field.invalid(path, value, f"segment[{position}] may not be empty"))
            continue
        for text in names.dns1123_subdomain(segment):
            problems.append(field.invalid(path, value, f"segment[{position}]: {text}"))
    return problems
