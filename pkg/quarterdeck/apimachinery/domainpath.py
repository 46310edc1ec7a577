"""Names that begin with the domain of who gives them: acme.io/foo. Source: apimachinery/pkg/util/validation."""

from __future__ import annotations

import re

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError

_http_path = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+\Z").match


def validate(path: str, value: str) -> list[FieldError]:
    """Upstream: IsDomainPrefixedPath."""
    if not value:
        return [field.required(path)]
    host, _, rest = value.partition("/")
    if not host or not rest:
        return [field.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    problems = [field.invalid(path, host, text) for text in names.dns1123_subdomain(host)]
    if not _http_path(rest):
        text = names.regex_text("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")
        problems.append(field.invalid(path, rest, text))
    return problems
