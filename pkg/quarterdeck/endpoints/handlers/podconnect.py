"""What is asked of a pod that runs: its log, commands in it, its streams and ports. No node answers here.

Source: pkg/registry/core/pod/strategy.go (LogLocation, streamLocation, PortForwardLocation),
pkg/registry/core/pod/rest/{log,subresources}.go, pkg/apis/core/validation (ValidatePodLogOptions).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors, field
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.options import parse_optional_int
from quarterdeck.endpoints.query import Query, first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.builtin.core.podspec import containers_of
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.transport.messages import Response

_NOT_POSITIVE: Final = "must be greater than 0"


def handle_log(request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
    """The log of a pod that no node has is empty."""
    query = parse_query(request.query)
    name = info.address.name
    if problems := _validate_log_options(query):
        raise errors.Invalid.of("", "PodLogOptions", name, problems)
    pod = _pod_of(scope, info.address.namespace, name)
    _check_container(pod, first(query, "container"))
    if not pod["spec"].get("nodeName"):
        return Response(204, [], b"")
    raise _no_such_node(pod)


def handle_stream(request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
    """exec and attach."""
    pod = _pod_of(scope, info.address.namespace, info.address.name)
    _check_container(pod, first(parse_query(request.query), "container"))
    raise _no_host(pod)


def handle_portforward(request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
    raise _no_host(_pod_of(scope, info.address.namespace, info.address.name))


def _pod_of(scope: Scope, namespace: str, name: str) -> Object:
    """Raises NotFound."""
    return json_codec.load(scope.store.get(namespace, name).data)


def _check_container(pod: Object, name: str) -> None:
    """Raises BadRequest where it is no container of the pod, or where it could be one of several."""
    shown, spec = pod["metadata"]["name"], pod["spec"]
    known = [container.get("name", "") for container in _in_order(spec)]
    if name:
        if name not in known:
            raise errors.BadRequest(f"container {name} is not valid for pod {shown}")
        return
    if len(spec.get("containers") or []) > 1:
        text = f"a container name must be specified for pod {shown}, choose one of: [{' '.join(known)}]"
        raise errors.BadRequest(text)


def _in_order(spec: Object) -> list[Any]:
    return list(containers_of(spec))


def _no_host(pod: Object) -> errors.APIStatus:
    if pod["spec"].get("nodeName"):
        return _no_such_node(pod)
    return errors.BadRequest(f"pod {pod['metadata']['name']} does not have a host assigned")


def _no_such_node(pod: Object) -> errors.APIStatus:
    # Upstream's error of the node's name is read as one of the pod's resource.
    return errors.NotFound.of("", "pods", pod["spec"]["nodeName"])


def _validate_log_options(query: Query) -> list[field.FieldError]:
    tail, limit = parse_optional_int(query, "tailLines"), parse_optional_int(query, "limitBytes")
    seconds = parse_optional_int(query, "sinceSeconds")
    problems: list[field.FieldError] = []
    if tail is not None and tail < 0:
        problems.append(field.invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        problems.append(field.invalid("limitBytes", limit, _NOT_POSITIVE))
    if seconds is not None and first(query, "sinceTime"):
        detail = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        problems.append(field.forbidden("", detail))
    elif seconds is not None and seconds < 1:
        problems.append(field.invalid("sinceSeconds", seconds, _NOT_POSITIVE))
    return problems
