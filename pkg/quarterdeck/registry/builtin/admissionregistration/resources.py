"""The resources of admissionregistration.k8s.io, one definition each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import SUBRESOURCE_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.admissionregistration import defaults
from quarterdeck.registry.builtin.admissionregistration.bindings import (
    validate_mutating_binding,
    validate_validating_binding,
)
from quarterdeck.registry.builtin.admissionregistration.strategies import (
    Check,
    ConfigurationStrategy,
    PolicyStatusStrategy,
)
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.spelling import EmptyBytes
from quarterdeck.registry.strategy import Object

GROUP: Final = "admissionregistration.k8s.io"
VERSION: Final = "v1"


def definitions() -> list[Definition]:
    return [
        _webhooks("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", defaults.default_mutating_webhooks),
        _webhooks("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", defaults.default_webhooks),
        Definition(
            _resource("validatingadmissionpolicies", "ValidatingAdmissionPolicy", has_status=True),
            ConfigurationStrategy(_validate_validating_policy, has_status=True),
            {"status": PolicyStatusStrategy(_validate_validating_policy, has_status=True)},
            default=defaults.default_policy,
        ),
        Definition(
            _resource("mutatingadmissionpolicies", "MutatingAdmissionPolicy"),
            ConfigurationStrategy(_validate_mutating_policy),
            default=defaults.default_policy,
        ),
        Definition(
            _resource("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"),
            ConfigurationStrategy(_as_check(validate_validating_binding)),
            default=defaults.default_binding,
        ),
        Definition(
            _resource("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"),
            ConfigurationStrategy(_as_check(validate_mutating_binding)),
            default=defaults.default_binding,
        ),
    ]


def _webhooks(name: str, kind: str, default: Callable[[Object], None]) -> Definition:
    spelling = EmptyBytes("webhooks.*.clientConfig.caBundle")
    strategy = ConfigurationStrategy(_validate_webhooks, "webhooks", spelling=spelling)
    return Definition(_resource(name, kind), strategy, default=default, note=written.note, spelling=spelling)


def _resource(name: str, kind: str, *, has_status: bool = False) -> APIResource:
    status = Subresource("status", GroupVersionKind(GROUP, VERSION, kind), SUBRESOURCE_VERBS)
    return APIResource(
        GROUP,
        VERSION,
        name,
        kind.lower(),
        kind,
        f"{kind}List",
        namespaced=False,
        categories=("api-extensions",),
        subresources=(status,) if has_status else (),
    )


def _as_check(validate: Callable[[Object], list[FieldError]]) -> Check:
    """Of a kind whose updates are checked like new objects."""
    return partial(_without_old, validate)


def _without_old(validate: Callable[[Object], list[FieldError]], obj: Object, _old: Object | None) -> list[FieldError]:
    return validate(obj)


# These bring the compiler of expressions with them, which a server that has no policies need not load.


def _validate_webhooks(obj: Object, old: Object | None) -> list[FieldError]:
    from quarterdeck.registry.builtin.admissionregistration import webhooks

    return webhooks.validate_webhooks(obj, old)


def _validate_validating_policy(obj: Object, old: Object | None) -> list[FieldError]:
    from quarterdeck.registry.builtin.admissionregistration import policies

    return policies.validate_validating_policy(obj, old)


def _validate_mutating_policy(obj: Object, old: Object | None) -> list[FieldError]:
    from quarterdeck.registry.builtin.admissionregistration import mutations

    return mutations.validate_mutating_policy(obj, old)
