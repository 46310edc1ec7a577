"""Nobody has a policy read what they may not read: who names the kind of its parameters may get all objects of it, who
binds it to some of them may get that one, or list those that a selector chooses.

The first of the validating plugins, since upstream looks once an object is valid.
Source: pkg/registry/admissionregistration/{validating,mutating}admissionpolicy{,binding}/authz.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.admission.attributes import DELETE
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery import errors, field, meta
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer

Object = dict[str, Any]
_BINDINGS: Final = "bindings"
_ANY: Final = "*"


class ParamAccess:
    """`find_policy` by resource and name; `find_resource` by apiVersion and kind: its name, None for no resource."""

    def __init__(
        self,
        authorizer: Callable[[], Authorizer],
        find_policy: Callable[[str, str], Object | None],
        find_resource: Callable[[str, str], str | None],
    ) -> None:
        self._authorizer = authorizer
        self._find_policy = find_policy
        self._find_resource = find_resource

    def validate(self, write: Write) -> None:
        if write.operation == DELETE or write.subresource or write.user.is_master:
            return
        assert write.obj is not None
        is_binding = write.resource.name.endswith(_BINDINGS)
        refusal = self._check_binding(write, write.obj) if is_binding else self._check_policy(write, write.obj)
        if refusal:
            problem = field.forbidden("spec.paramRef" if is_binding else "spec.paramKind", refusal)
            resource, name = write.resource, write.obj["metadata"].get("name", "")
            raise errors.Invalid.of(resource.group, resource.kind, name, [problem])

    def _check_policy(self, write: Write, policy: Object) -> str:
        kind = policy["spec"].get("paramKind")
        if not kind or (write.old is not None and write.old["spec"].get("paramKind") == kind):
            return ""
        asked = self._ask("get", kind, _ANY, _ANY)
        shown = f"kind={kind['kind']}, apiVersion={kind['apiVersion']}"
        text = f'must have "get" permission on all objects of the referenced paramKind ({shown})'
        return self._refuse(write.user, asked, f"user {_show(write.user)} {text}")

    def _check_binding(self, write: Write, binding: Object) -> str:
        """Upstream compares references by where they are in memory, so that each write counts as a change."""
        reference, name = binding["spec"].get("paramRef"), binding["spec"]["policyName"]
        if not reference:
            return ""
        resource = write.resource.name
        policy = self._find_policy(f"{resource.removesuffix(_BINDINGS).removesuffix('policy')}policies", name)
        kind = None if policy is None else policy["spec"].get("paramKind")
        verb = "get" if reference.get("name") else "list"
        asked = self._ask(verb, kind, reference.get("namespace", ""), reference.get("name", ""))
        user = _show(write.user)
        if policy is None:
            text = _undetermined(f"get policy {name}", user, verb)
        elif kind and asked.resource == _ANY:
            text = _undetermined(f"resolve paramKind &{{{kind['apiVersion']} {kind['kind']}}}", user, verb)
        else:
            # The texts of mutating policies have them the other way round.
            first, second = (verb, user) if resource.startswith("mutating") else (user, verb)
            text = f'user {first} does not have "{second}" permission on the object referenced by paramRef'
        return self._refuse(write.user, asked, text)

    def _ask(self, verb: str, kind: Object | None, namespace: str, name: str) -> Attributes:
        """About everything, as far as it is not known what is referred to."""
        if not kind:
            return Attributes(verb, _ANY, _ANY, _ANY, "", namespace, name)
        group, version = meta.split_api_version(kind["apiVersion"])
        resource = self._find_resource(kind["apiVersion"], kind["kind"]) or _ANY
        return Attributes(verb, group, version, resource, "", namespace, name)

    def _refuse(self, user: User, asked: Attributes, text: str) -> str:
        decision = self._authorizer().authorize(user, asked)
        return "" if decision.is_allowed else decision.error or text


def _undetermined(what: str, user: str, verb: str) -> str:
    needed = f'user {user} does not have "{verb}" permission for all groups, versions and resources'
    return f"unable to {what} to determine minimum required permissions and {needed}"


def _show(user: User) -> str:
    """As Go prints who it is."""
    extra = " ".join(f"{name}:[{' '.join(values)}]" for name, values in sorted(user.extra.items()))
    return f"&{{{user.name} {user.uid} [{' '.join(user.groups)}] map[{extra}]}}"
