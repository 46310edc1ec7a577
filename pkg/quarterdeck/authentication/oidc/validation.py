"""What is wrong with an AuthenticationConfiguration, and its expressions, compiled.

Source: apiserver/pkg/apis/apiserver/validation/validation.go (ValidateAuthenticationConfiguration).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from quarterdeck.apimachinery import domainpath, field, gourl
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.authentication.oidc import expressions
from quarterdeck.authentication.oidc.configuration import (
    ClaimOrExpression,
    ClaimRule,
    Configuration,
    ExtraMapping,
    Issuer,
    JWTAuthenticator,
    UserRule,
)
from quarterdeck.authentication.oidc.expressions import Compiled

_AUTHENTICATORS_MAX: Final = 64
_MATCH_ANY: Final = "MatchAny"
_EGRESS: Final = ("controlplane", "cluster")
_RESERVED: Final = ("kubernetes.io", "k8s.io")
_BOTH: Final = "claim and expression can't both be set"
_NEEDS_VERIFIED: Final = (
    "claims.email_verified must be used in claimMappings.username.expression or "
    "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in "
    "claimMappings.username.expression"
)


class Programs(NamedTuple):
    """The compiled expressions of one authenticator."""

    username: Compiled | None = None
    groups: Compiled | None = None
    uid: Compiled | None = None
    extra: tuple[tuple[str, Compiled], ...] = ()
    claim_rules: tuple[tuple[Compiled, str], ...] = ()
    """With the message of each."""
    user_rules: tuple[tuple[Compiled, str], ...] = ()


def validate(configuration: Configuration, disallowed: Collection[str]) -> tuple[list[FieldError], list[Programs]]:
    """`disallowed`: issuers of service accounts' tokens. The programs are those of each authenticator."""
    authenticators = configuration.jwt
    if len(authenticators) > _AUTHENTICATORS_MAX:
        return [field.too_many("jwt", len(authenticators), _AUTHENTICATORS_MAX)], []
    problems: list[FieldError] = []
    programs = []
    urls: set[str] = set()
    discovery_urls: set[str] = set()
    for position, each in enumerate(authenticators):
        path = field.index("jwt", position)
        found, compiled = validate_authenticator(each, path, disallowed)
        problems += found
        programs.append(compiled)
        url, discovery_url = each.issuer.url, each.issuer.discovery_url
        if url in urls:
            problems.append(field.duplicate(f"{path}.issuer.url", url))
        urls.add(url)
        if discovery_url in discovery_urls:
            problems.append(field.duplicate(f"{path}.issuer.discoveryURL", discovery_url))
        if discovery_url:
            discovery_urls.add(discovery_url)
    anonymous = configuration.anonymous
    if anonymous is not None and not anonymous.enabled and anonymous.paths:
        shown = [{"Path": path} for path in anonymous.paths]
        text = "enabled should be set to true when conditions are defined"
        problems.append(field.invalid("anonymous.conditions", shown, text))
    return problems, programs


def validate_authenticator(
    given: JWTAuthenticator, path: str, disallowed: Collection[str]
) -> tuple[list[FieldError], Programs]:
    problems = _validate_issuer(given.issuer, field.child(path, "issuer"), disallowed)
    found, claim_rules = _compile_rules(given.claim_rules, field.child(path, "claimValidationRules"))
    problems += found
    mappings = field.child(path, "claimMappings")
    found, username = _compile_mapping(given.username, f"{mappings}.username", is_required=True)
    problems += found
    found, groups = _compile_mapping(given.groups, f"{mappings}.groups")
    problems += found
    found, uid = _compile_uid(given.uid, f"{mappings}.uid")
    problems += found
    found, extra = _compile_extra(given.extra, f"{mappings}.extra")
    problems += found
    seen = [username, *(program for program, _ in claim_rules), *(program for _, program in extra)]
    if username is not None and username.uses_email and not any(each and each.uses_email_verified for each in seen):
        problems.append(field.invalid(f"{mappings}.username.expression", given.username.expression, _NEEDS_VERIFIED))
    found, user_rules = _compile_user_rules(given.user_rules, field.child(path, "userValidationRules"))
    return problems + found, Programs(username, groups, uid, extra, claim_rules, user_rules)


# The issuer.


def _validate_issuer(issuer: Issuer, path: str, disallowed: Collection[str]) -> list[FieldError]:
    problems = _validate_url(issuer.url, f"{path}.url", disallowed) if issuer.url else [field.required(f"{path}.url")]
    if issuer.discovery_url:
        where = f"{path}.discoveryURL"
        if issuer.url and issuer.url.rstrip("/") == issuer.discovery_url.rstrip("/"):
            problems.append(field.invalid(where, issuer.discovery_url, "discoveryURL must be different from URL"))
        problems += _validate_url(issuer.discovery_url, where, ())
    problems += _validate_audiences(issuer, path)
    if issuer.certificate_authority and (fault := _find_fault(issuer.certificate_authority)):
        problems.append(field.invalid(f"{path}.certificateAuthority", "<omitted>", fault))
    if issuer.egress and issuer.egress not in _EGRESS:
        text = "egress selector must be either controlplane or cluster"
        problems.append(field.invalid(f"{path}.egressSelectorType", issuer.egress, text))
    return problems


def _validate_url(text: str, path: str, disallowed: Collection[str]) -> list[FieldError]:
    problems = []
    if text in disallowed:
        shown = f"[{' '.join(sorted(disallowed))}]"
        problems.append(field.invalid(path, text, f"URL must not overlap with disallowed issuers: {shown}"))
    try:
        url = gourl.parse(text)
    except gourl.URLError as error:
        return [*problems, field.invalid(path, text, str(error))]
    faults = (
        (url.scheme != "https", "URL scheme must be https"),
        (url.user is not None, "URL must not contain a username or password"),
        (bool(url.raw_query), "URL must not contain a query"),
        (bool(url.fragment), "URL must not contain a fragment"),
    )
    return problems + [field.invalid(path, text, fault) for is_there, fault in faults if is_there]


def _validate_audiences(issuer: Issuer, path: str) -> list[FieldError]:
    audiences, where = issuer.audiences, f"{path}.audiences"
    if not audiences:
        return [field.required(where, f"at least one {where} is required")]
    problems = []
    for position, audience in enumerate(audiences):
        if not audience:
            problems.append(field.required(field.index(where, position)))
        if audience in audiences[:position]:
            problems.append(field.duplicate(field.index(where, position), audience))
    policy, where = issuer.match_policy, f"{path}.audienceMatchPolicy"
    if len(audiences) > 1 and policy != _MATCH_ANY:
        problems.append(field.invalid(where, policy, "audienceMatchPolicy must be MatchAny for multiple audiences"))
    if len(audiences) == 1 and policy not in ("", _MATCH_ANY):
        text = "audienceMatchPolicy must be empty or MatchAny for single audience"
        problems.append(field.invalid(where, policy, text))
    return problems


def _find_fault(bundle: str) -> str:
    """Why certificates in PEM cannot be used; empty where they can."""
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificates(bundle.encode())
    except ValueError:
        found = []
    return "" if found else "data does not contain any valid RSA or ECDSA certificates"


# Rules and mappings.


def _compile_rules(rules: Sequence[ClaimRule], path: str) -> tuple[list[FieldError], tuple[tuple[Compiled, str], ...]]:
    problems: list[FieldError] = []
    compiled = []
    claims: set[str] = set()
    known: set[str] = set()
    for position, rule in enumerate(rules):
        where = field.index(path, position)
        if rule.claim and rule.expression:
            problems.append(field.invalid(where, rule.claim, _BOTH))
        elif rule.claim:
            if rule.message:
                text = "may not be specified when claim is set"
                problems.append(field.invalid(f"{where}.message", rule.message, text))
            if rule.claim in claims:
                problems.append(field.duplicate(f"{where}.claim", rule.claim))
            claims.add(rule.claim)
        elif rule.expression:
            if rule.required_value:
                text = "may not be specified when expression is set"
                problems.append(field.invalid(f"{where}.requiredValue", rule.required_value, text))
            program = expressions.compile_claims(rule.expression, is_rule=True)
            faults = _check_expression(program, f"{where}.expression", known)
            problems += faults
            if not faults:
                compiled.append((program, rule.message))
        else:
            problems.append(field.required(where, "claim or expression is required"))
    return problems, tuple(compiled)


def _compile_user_rules(
    rules: Sequence[UserRule], path: str
) -> tuple[list[FieldError], tuple[tuple[Compiled, str], ...]]:
    problems: list[FieldError] = []
    compiled = []
    known: set[str] = set()
    for position, rule in enumerate(rules):
        where = field.child(field.index(path, position), "expression")
        if not rule.expression:
            problems.append(field.required(where))
            continue
        program = expressions.compile_user(rule.expression)
        faults = _check_expression(program, where, known)
        problems += faults
        if not faults:
            compiled.append((program, rule.message))
    return problems, tuple(compiled)


def _check_expression(program: Compiled, path: str, known: set[str]) -> list[FieldError]:
    if program.expression in known:
        return [field.duplicate(path, program.expression)]
    known.add(program.expression)
    return _check(program, path)


def _check(program: Compiled, path: str) -> list[FieldError]:
    if program.program is not None:
        return []
    if program.is_internal:
        return [field.internal(path, program.fault)]
    return [field.invalid(path, program.expression, program.fault)]


def _compile_mapping(
    mapping: ClaimOrExpression, path: str, *, is_required: bool = False
) -> tuple[list[FieldError], Compiled | None]:
    if mapping.claim and mapping.expression:
        return [field.invalid(path, "", _BOTH)], None
    if mapping.claim:
        text = "prefix is required when claim is set. It can be set to an empty string to disable prefixing"
        return ([field.required(f"{path}.prefix", text)] if mapping.prefix is None else []), None
    if not mapping.expression:
        return ([field.required(path, "claim or expression is required")] if is_required else []), None
    problems = []
    if mapping.prefix is not None:
        text = "may not be specified when expression is set"
        problems.append(field.invalid(f"{path}.prefix", mapping.prefix, text))
    program = expressions.compile_claims(mapping.expression)
    problems += _check(program, f"{path}.expression")
    return problems, None if problems else program


def _compile_uid(mapping: ClaimOrExpression, path: str) -> tuple[list[FieldError], Compiled | None]:
    if mapping.claim and mapping.expression:
        return [field.invalid(path, "", _BOTH)], None
    if not mapping.expression:
        return [], None
    program = expressions.compile_claims(mapping.expression)
    problems = _check(program, f"{path}.expression")
    return problems, None if problems else program


def _compile_extra(
    mappings: Iterable[ExtraMapping], path: str
) -> tuple[list[FieldError], tuple[tuple[str, Compiled], ...]]:
    problems: list[FieldError] = []
    compiled: dict[str, Compiled] = {}
    known: set[str] = set()
    for position, (key, expression) in enumerate(mappings):
        where = field.index(path, position)
        problems += _check_key(key, f"{where}.key")
        if key in known:
            problems.append(field.duplicate(f"{where}.key", key))
            continue
        known.add(key)
        if not expression:
            problems.append(field.required(f"{where}.valueExpression"))
            continue
        program = expressions.compile_claims(expression)
        faults = _check(program, f"{where}.valueExpression")
        problems += faults
        if not faults:
            compiled[key] = program
    return problems, tuple(compiled.items())


def _check_key(key: str, path: str) -> list[FieldError]:
    problems = domainpath.validate(path, key)
    if key != key.lower():
        problems.append(field.invalid(path, key, "must be lowercase"))
    domain, slash, _ = key.partition("/")
    if slash and any(domain == reserved or domain.endswith(f".{reserved}") for reserved in _RESERVED):
        text = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"
        problems.append(field.invalid(path, key, text))
    return problems
