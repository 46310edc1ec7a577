"""One request as endpoints know it. The transport knows of HTTP alone; what a request means to Kubernetes stands here.

Source: apiserver/pkg/endpoints/request/{context,requestinfo}.go, apiserver/pkg/audit/context.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from quarterdeck.admission.attributes import Options
from quarterdeck.apimachinery.codec.yaml import Decoded, DecodeError
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.request_info import RequestInfo, build_request_info
from quarterdeck.flowcontrol.lane import Lane
from quarterdeck.flowcontrol.work import ONE_SEAT, Work
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.write_admission import Origin
from quarterdeck.transport.messages import Request

if TYPE_CHECKING:  # loaded where something is audited
    from quarterdeck.audit.record import Record

_NOBODY: Final = User("")  # in no group, so that nothing is allowed to it


class RequestContext:
    """What was sent, who sends it, what it is about, and what is to be told of it.

    `http` is the transport's, and ends with the answer; its deadline is there. What is read most of it stands here
    too. `user` is who the request acts for, `original_user` who sent it: another one where somebody is impersonated.
    `scope` is None where no resource was found. `options` and `dry_run` are those of a write, once they are read.
    `warnings` become Warning headers, `annotations` are of the request's audit, which is None where there is none.
    `decoded` is what a body was read as before its handler asked for it. `received_s` is on the clock of the metrics,
    and so is `ends_s`, when it ends (of what lasts longer: as if it did not); 0 until the filter of deadlines has said
    it.
    Flow control leaves in `lane` and `work` where it runs and what it is expected to take, in `release` what is to be
    called at its end, in `count_watch` what a watch that it opens is counted with.
    """

    __slots__ = (
        "annotations",
        "audit",
        "audit_id",
        "body",
        "connection",
        "count_watch",
        "decoded",
        "dry_run",
        "ends_s",
        "headers",
        "http",
        "info",
        "lane",
        "method",
        "options",
        "original_user",
        "path",
        "query",
        "received_s",
        "release",
        "scope",
        "user",
        "warnings",
        "work",
    )

    def __init__(self, http: Request, audit_id: str, received_s: float) -> None:
        self.http = http
        self.method = http.method
        self.path = http.path
        self.query = http.query
        self.headers = http.headers
        self.body = http.body
        self.connection = http.connection
        self.audit_id = audit_id
        self.received_s = received_s
        self.ends_s = 0.0
        self.info: RequestInfo = build_request_info(http.method, http.path, http.query)
        self.user: User = _NOBODY  # until the authentication filter has found who it is
        self.original_user: User = _NOBODY
        self.scope: Scope | None = None
        self.options: Options | None = None
        self.dry_run = False
        self.decoded: Decoded | DecodeError | None = None
        self.warnings: list[str] = []
        self.annotations: dict[str, str] = {}
        self.audit: Record | None = None
        self.lane: Lane | None = None
        self.work: Work = ONE_SEAT
        self.release: Callable[[], None] | None = None
        self.count_watch: Callable[[RequestContext], Callable[[], None] | None] | None = None

    def origin(self, options: Options, *, dry_run: bool) -> Origin:
        """What the registry and admission are told of a write: who makes it, and what else it brings along."""
        self.options = options
        self.dry_run = dry_run
        address = self.info.address
        origin = Origin(
            self.user,
            address.namespace,
            address.name,
            options,
            dry_run=dry_run,
            warnings=self.warnings,
            annotations=self.annotations,
            verb=self.info.verb,
        )
        origin.ends_s = self.ends_s
        return origin
