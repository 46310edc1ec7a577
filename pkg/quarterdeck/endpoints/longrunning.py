"""Which requests last as long as their client likes: no deadline is theirs, no limit counts them, audit tells twice of
them.

Source: apiserver/pkg/server/filters/longrunning.go, genericapiserver's options (LongRunningFunc).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.endpoints.request_info import RequestInfo

SUBRESOURCES: Final = frozenset(("attach", "exec", "log", "portforward", "proxy"))
_PROFILES: Final = "/debug/pprof/"


def is_connection(info: RequestInfo) -> bool:
    """Whether it is such a request, and not a watch: watches have limits and deadlines of their own."""
    address = info.address
    if not address.is_resource:
        return info.path.startswith(_PROFILES)
    return address.subresource in SUBRESOURCES or address.path_verb == "proxy"


def is_long_running(info: RequestInfo) -> bool:
    return info.verb == "watch" or is_connection(info)
