"""Where a request comes from and what it is about, as all of its events say."""

from __future__ import annotations

from quarterdeck.apimachinery.user import User


class Origin:
    """What is known when a request comes. `user` None: it could not be authenticated. `object_ref` None: it is no
    resource's. `shows_response`: what it is answered is an object, where it is not refused."""

    __slots__ = (
        "audit_id",
        "is_long_running",
        "object_ref",
        "received_ns",
        "shows_response",
        "source_ips",
        "uri",
        "user",
        "user_agent",
        "verb",
    )

    def __init__(  # noqa: PLR0913 - so much is known
        self,
        audit_id: str,
        uri: str,
        verb: str,
        user: User | None,
        source_ips: list[str],
        user_agent: str,
        object_ref: dict[str, str] | None,
        received_ns: int,
        *,
        is_long_running: bool,
        shows_response: bool,
    ) -> None:
        self.audit_id = audit_id
        self.uri = uri
        self.verb = verb
        self.user = user
        self.source_ips = source_ips
        self.user_agent = user_agent
        self.object_ref = object_ref
        self.received_ns = received_ns
        self.is_long_running = is_long_running
        self.shows_response = shows_response
