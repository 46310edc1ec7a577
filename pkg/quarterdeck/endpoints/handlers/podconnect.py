"""What is asked of a pod that runs: its log, commands in it, its streams and ports.

Differs from upstream: WebSockets are handed on to kubelets as they are, which have to know their protocols.

Source: pkg/registry/core/pod/strategy.go (LogLocation, streamLocation, PortForwardLocation),
pkg/registry/core/pod/rest/{log,subresources}.go, pkg/apis/core/validation (ValidatePodLogOptions),
apiserver/pkg/endpoints/handlers/response.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

from quarterdeck.apimachinery import errors, field, strconv, time
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common, streampermission
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.options import parse_bool, parse_optional_int
from quarterdeck.endpoints.proxy import connecting, logs
from quarterdeck.endpoints.proxy.connecting import Connecting
from quarterdeck.endpoints.proxy.locations import Location
from quarterdeck.endpoints.query import Query, first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.builtin.core.podspec import containers_of
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import timestamps
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.pool import Server
from quarterdeck.transport.messages import Response

_NOT_POSITIVE: Final = "must be greater than 0"
# What kubelets call them, in the order in which upstream writes them.
_STREAM_PARAMS: Final = (("error", "stderr"), ("input", "stdin"), ("output", "stdout"), ("tty", "tty"))


class StreamHandlers:
    """The kubelet of the pod's node answers: for exec, attach and portforward over an upgraded connection."""

    def __init__(self, connecting: Connecting, authorizer: Authorizer) -> None:
        self._connecting = connecting
        self._authorizer = authorizer

    async def log(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        """That of a pod that no node has is empty. What Accept names has to be a form of objects, as if a log were one:
        text/plain alone is not, though it is what is sent."""
        output = common.negotiate_output(request, scope)
        query = parse_query(request.query)
        name = info.address.name
        if problems := _validate_log_options(query):
            raise errors.Invalid.of("", "PodLogOptions", name, problems)
        pod = _pod_of(scope, info.address.namespace, name)
        container = _check_container(pod, first(query, "container"))
        kubelet = self._kubelet_of(pod) if pod["spec"].get("nodeName") else None
        _refuse_transformation(output)
        if kubelet is None:
            return Response(204, [], b"")
        if parse_bool(query, "insecureSkipTLSVerifyBackend"):
            kubelet = kubelet._replace(trusted=self._connecting.kubelets.unverified)
        target = _target("containerLogs", pod, container, _read_log_params(query))
        if request.audit is not None:
            request.audit.hide_answer()
        return await logs.fetch(self._connecting.http, _where(kubelet), target, name)

    async def attach(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        """And exec."""
        connecting.refuse_dry_run(request)
        options = await self._connecting.admit(request, scope, _read_stream_options(request, scope.subresource))
        await streampermission.confirm(self._authorizer, request, info)
        pod = _pod_of(scope, info.address.namespace, info.address.name)
        container = _check_container(pod, str(options.get("container") or ""))
        params = [("command", each) for each in options.get("command") or ()]
        params += [(param, "1") for param, name in _STREAM_PARAMS if options.get(name)]
        return await self._stream(request, scope.subresource, pod, container, params)

    async def forward_ports(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        connecting.refuse_dry_run(request)
        ports = _read_ports(parse_query(request.query).get("ports", ()))
        options = await self._connecting.admit(request, scope, {"ports": ports} if ports else {})
        await streampermission.confirm(self._authorizer, request, info)
        pod = _pod_of(scope, info.address.namespace, info.address.name)
        ports = options.get("ports") or []
        params = [("port", ",".join(map(str, ports)))] if ports else []
        return await self._stream(request, "portForward", pod, "", params)

    async def _stream(
        self, request: RequestContext, what: str, pod: Object, container: str, params: list[tuple[str, str]]
    ) -> Response:
        kubelet = self._kubelet_of(pod)
        return await self._connecting.stream(request, _where(kubelet), _target(what, pod, container, params))

    def _kubelet_of(self, pod: Object) -> Server:
        name = pod["spec"].get("nodeName")
        if not name:
            raise errors.BadRequest(f"pod {pod['metadata']['name']} does not have a host assigned")
        try:
            node = json_codec.load(self._connecting.nodes.store.get("", name).data)
        except errors.NotFound:
            raise _no_such_node(pod) from None
        return self._connecting.kubelets.server_of(node)


def _refuse_transformation(output: Output) -> None:
    """A log has no metadata. Raises Unreasoned, NotAcceptable."""
    if output.as_kind == negotiation.PARTIAL_METADATA_LIST:
        raise common.refuse_metadata_list("*rest.LocationStreamer")
    if output.as_kind:
        raise errors.Unreasoned("object does not implement the Object interfaces")


def _where(kubelet: Server) -> Location:
    return Location(kubelet, failures.address(kubelet.host, kubelet.port))


def _target(what: str, pod: Object, container: str, params: list[tuple[str, str]]) -> str:
    metadata = pod["metadata"]
    parts = [what, metadata["namespace"], metadata["name"], *([container] if container else ())]
    path = f"/{'/'.join(map(quote, parts))}"
    return f"{path}?{urlencode(params)}" if params else path


def _read_log_params(query: Query) -> list[tuple[str, str]]:
    params = [(name, "true") for name in ("follow", "previous", "timestamps") if parse_bool(query, name)]
    for name in ("limitBytes", "sinceSeconds", "tailLines"):
        number = parse_optional_int(query, name)
        if number is not None:
            params.append((name, str(number)))
    if since := _read_time(query, "sinceTime"):
        params.append(("sinceTime", since))
    return sorted(params)


def _read_stream_options(request: RequestContext, subresource: str) -> Object:
    """PodExecOptions or PodAttachOptions, without what is false or empty, but for the command."""
    query = parse_query(request.query)
    options: Object = {name: True for _, name in _STREAM_PARAMS if parse_bool(query, name)}
    if container := first(query, "container"):
        options["container"] = container
    if subresource == "exec":
        options["command"] = list(query.get("command", ())) or None
    return options


def _read_ports(values: Sequence[str]) -> list[int]:
    """Raises BadRequest."""
    ports: list[int] = []
    for text in ",".join(values).split(",") if values else ():
        try:
            ports.append(strconv.parse_uint(text, 16))
        except strconv.NumError as error:
            raise errors.BadRequest(f"cannot convert to []int32: {error}") from error
    return ports


def _pod_of(scope: Scope, namespace: str, name: str) -> Object:
    """Raises NotFound."""
    return json_codec.load(scope.store.get(namespace, name).data)


def _check_container(pod: Object, name: str) -> str:
    """The name. Raises BadRequest where it is no container of the pod, or where it could be one of several."""
    shown, spec = pod["metadata"]["name"], pod["spec"]
    known = [container.get("name", "") for container in _in_order(spec)]
    if name:
        if name not in known:
            raise errors.BadRequest(f"container {name} is not valid for pod {shown}")
        return name
    if len(spec.get("containers") or []) > 1:
        text = f"a container name must be specified for pod {shown}, choose one of: [{' '.join(known)}]"
        raise errors.BadRequest(text)
    return known[0] if known else ""


def _in_order(spec: Object) -> list[Any]:
    return list(containers_of(spec))


def _no_such_node(pod: Object) -> errors.APIStatus:
    # Upstream's error of the node's name is read as one of the pod's resource.
    return errors.NotFound.of("", "pods", pod["spec"]["nodeName"])


def _validate_log_options(query: Query) -> list[field.FieldError]:
    seconds, since = parse_optional_int(query, "sinceSeconds"), _read_time(query, "sinceTime")
    tail, limit = parse_optional_int(query, "tailLines"), parse_optional_int(query, "limitBytes")
    problems: list[field.FieldError] = []
    if tail is not None and tail < 0:
        problems.append(field.invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        problems.append(field.invalid("limitBytes", limit, _NOT_POSITIVE))
    if seconds is not None and since is not None:
        detail = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        problems.append(field.forbidden(field.NAMELESS_PATH, detail))
    elif seconds is not None and seconds < 1:
        problems.append(field.invalid("sinceSeconds", seconds, _NOT_POSITIVE))
    if "stream" in query:  # its feature, PodLogsQuerySplitStreams, is off
        problems.append(field.forbidden("stream", "may not be specified"))
    return problems


def _read_time(query: Query, name: str) -> str | None:
    """Without its fraction; nothing is the zero time. Raises BadRequest."""
    values = query.get(name)
    if not values:
        return None
    if values[0] in ("", "null"):
        return time.ZERO
    try:
        return timestamps.normalize(values[0])
    except timestamps.TimeError as error:
        raise errors.BadRequest(str(error)) from error
