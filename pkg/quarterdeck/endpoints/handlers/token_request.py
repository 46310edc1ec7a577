"""POST to a service account's `token`: a new token (`kubectl create token`).

Source: pkg/registry/core/serviceaccount/storage/token.go, pkg/apis/authentication/validation/validation.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Protocol

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import clock, errors, field, gofmt, meta
from quarterdeck.apimachinery.time import format_rfc3339
from quarterdeck.authentication.serviceaccounts.bindings import BoundObject, Reference
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens, issued_credential_id
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.create import read_create_options, record_ownership
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry import keynames
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.transport.messages import Response

_ISSUED: Final = "authentication.kubernetes.io/issued-credential-id"
_SECONDS_MIN: Final = 600
_SECONDS_MAX: Final = 1 << 32
_BINDABLE: Final = {"Pod": "pods", "Node": "nodes", "Secret": "secrets"}


class FindBoundObject(Protocol):
    def __call__(self, resource: str, namespace: str, name: str) -> BoundObject | None: ...


class TokenRequestHandler:
    """`kind` is the scope of token requests themselves."""

    def __init__(self, kind: Scope, tokens: ServiceAccountTokens, find: FindBoundObject, admission: Chain) -> None:
        self._kind = kind
        self._admission = admission
        self._tokens = tokens
        self._find = find

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        output = common.negotiate_output(request, scope)
        options = read_create_options(request)
        obj = body.decode_object(request, self._kind, options.field_validation)
        namespace, name = info.address.namespace, info.address.name
        common.set_namespace(meta.ensure_metadata(obj), scope, namespace)
        record_ownership(request, self._kind, None, obj, options)
        admission = WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run), self._kind)
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            await waiting
        metadata = meta.ensure_metadata(obj)
        self._check_metadata(metadata, namespace, name)
        account = self._find("serviceaccounts", namespace, name)
        if account is None:
            raise errors.NotFound.of("", "serviceaccounts", name)
        self._check_uid(metadata.get("uid", ""), account.uid, name)
        spec = obj["spec"]
        spec.setdefault("boundObjectRef", None)
        if not spec.get("audiences"):
            spec["audiences"] = list(self._tokens.settings.audiences)
        metadata |= {"name": name, "namespace": namespace, "uid": account.uid, "creationTimestamp": clock.now()}
        self._check_seconds(spec["expirationSeconds"])
        waiting = admission.validate(obj, None)
        if waiting is not None:
            await waiting
        bound = self._find_bound(spec.get("boundObjectRef"), namespace, name)
        longest = self._tokens.settings.expiration_max_s
        if longest and spec["expirationSeconds"] > longest:
            asked, spec["expirationSeconds"] = spec["expirationSeconds"], longest
            request.warnings.append(f"requested expiration of {asked} seconds shortened to {longest} seconds")
        if not self._tokens.keys.is_loaded:
            await asyncio.to_thread(self._tokens.keys.load)
        # Differs from upstream: what kubelets ask for, 3,607 s, is not made a year.
        token, expires_at_s = self._tokens.issue(
            namespace, (name, account.uid), spec["audiences"], spec["expirationSeconds"], *bound
        )
        if request.audit is not None:
            request.annotations[_ISSUED] = issued_credential_id(token)
        answered = {**obj, "status": {"token": token, "expirationTimestamp": format_rfc3339(expires_at_s)}}
        return common.respond_unstored(self._kind, output, 201, answered)

    def _check_metadata(self, metadata: Object, namespace: str, name: str) -> None:
        for member, wanted in (("name", name), ("namespace", namespace)):  # which admission may have changed
            given = metadata.get(member)
            if given and given != wanted:
                detail = f"must match the service account {member} if specified"
                problem = field.invalid(f"metadata.{member}", given, detail)
                raise errors.Invalid.of(self._kind.resource.group, self._kind.resource.kind, name, [problem])

    def _check_uid(self, given: str, uid: str, name: str) -> None:
        if given and given != uid:
            detail = f"the UID in the token request ({given}) does not match the UID of the service account ({uid})"
            raise errors.Conflict.of(self._kind.resource.group, self._kind.resource.kind, name, detail)

    def _check_seconds(self, seconds: int) -> None:
        detail = ""
        if seconds < _SECONDS_MIN:
            detail = "may not specify a duration less than 10 minutes"
        elif seconds > _SECONDS_MAX:
            detail = "may not specify a duration larger than 2^32 seconds"
        if detail:
            problem = field.invalid("spec.expirationSeconds", seconds, detail)
            raise errors.Invalid.of(self._kind.resource.group, self._kind.resource.kind, "", [problem])

    def _find_bound(self, reference: dict[str, Any] | None, namespace: str, account: str) -> list[Reference]:
        """With a pod, the node that it runs on."""
        if reference is None:
            return []
        kind, name, uid = (reference.get(member, "") for member in ("kind", "name", "uid"))
        api_version = reference.get("apiVersion", "")
        resource = _BINDABLE.get(kind)
        group, version = _group_and_version(api_version)
        if resource is None or group:
            raise errors.BadRequest(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
        keynames.check_name(name)
        living = self._find(resource, "" if resource == "nodes" else namespace, name)
        if living is None:
            raise errors.NotFound.of("", resource, name)
        found = [Reference(kind.lower(), name, living.uid)]
        if resource == "pods":
            found += self._find_node(living.obj["spec"], account)
        if uid and uid != living.uid:
            detail = (
                f"the UID in the bound object reference ({uid}) does not match the UID in record. The object might have"
                " been deleted and then recreated"
            )
            raise errors.Conflict.of("", kind, name, detail)
        return found

    def _find_node(self, pod_spec: Mapping[str, Any], account: str) -> list[Reference]:
        if pod_spec.get("serviceAccountName", "") != account:
            raise errors.BadRequest(
                f"cannot bind token for serviceaccount {gofmt.quote(account)} to pod running with different"
                " serviceaccount name."
            )
        node = pod_spec.get("nodeName", "")
        if not node:
            return []
        living = self._find("nodes", "", node)
        return [Reference("node", node, living.uid if living is not None else "")]


def _group_and_version(api_version: str) -> tuple[str, str]:
    """What cannot be read is of no group and version (upstream: schema.FromAPIVersionAndKind)."""
    return meta.split_api_version(api_version) if api_version.count("/") <= 1 else ("", "")
