"""The ways of authentication together, and what is kept with the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from quarterdeck.apimachinery import clock, errors
from quarterdeck.apimachinery.user import ANONYMOUS, User
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.interface import FOREVER, Identity
from quarterdeck.transport.messages import ConnectionInfo, Request


class Fixed:
    """Always the same answer; None: no credentials, an exception: bad ones."""

    def __init__(self, name: str | None, *, expires_at: float = FOREVER, is_bad: bool = False) -> None:
        self.calls = 0
        self._identity = None if name is None else Identity(User(name), expires_at)
        self._is_bad = is_bad

    def authenticate(self, request: Request, warnings: list[str]) -> Identity | None:
        self.calls += 1
        if self._is_bad:
            raise errors.Unauthorized
        return self._identity


BAD = Fixed(None, is_bad=True)


def build_request(connection: ConnectionInfo | None = None, authorization: str | None = "Bearer x") -> Request:
    headers = {} if authorization is None else {"authorization": authorization}
    return Request("GET", "/", "", headers, b"", connection or ConnectionInfo("", is_secure=True))


def test_the_first_that_knows_the_credentials_answers() -> None:
    user = Authenticator([Fixed(None), BAD, Fixed("alice"), Fixed("bob")]).authenticate(build_request(), [])
    assert user == User("alice", groups=("system:authenticated",))


def test_without_credentials_a_request_is_anonymous_where_that_is_allowed() -> None:
    assert Authenticator([Fixed(None)]).authenticate(build_request(), []) is ANONYMOUS
    assert Authenticator([Fixed(None)], is_anonymous_allowed=False).authenticate(build_request(), []) is None


def test_bad_credentials_are_never_anonymous() -> None:
    request = build_request()
    with pytest.raises(errors.Unauthorized, match="Unauthorized"):
        Authenticator([BAD, Fixed(None)]).authenticate(request, [])
    assert "authorization" in request.headers


def test_the_header_is_taken_off_with_every_success() -> None:
    connection = ConnectionInfo("", is_secure=True)
    authenticator = Authenticator([Fixed("alice")])
    for _ in range(2):
        request = build_request(connection)
        authenticator.authenticate(request, [])
        assert request.headers == {}


def test_a_connection_proves_itself_once_for_each_header() -> None:
    method = Fixed("alice")
    authenticator, connection = Authenticator([method]), ConnectionInfo("", is_secure=True)
    for authorization in ("Bearer a", "Bearer a", "Bearer b", "Bearer b", None, None):
        assert authenticator.authenticate(build_request(connection, authorization), []) is not None
    assert method.calls == 3


def test_what_has_expired_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Fixed("alice", expires_at=1000)
    authenticator, connection = Authenticator([method]), ConnectionInfo("", is_secure=True)
    for now in (998.0, 999.0, 1000.0):
        monkeypatch.setattr(clock, "wall_s", lambda now=now: now)
        authenticator.authenticate(build_request(connection), [])
    assert method.calls == 2


def test_a_warning_comes_with_each_request() -> None:
    class Warns:
        def authenticate(self, request: Request, warnings: list[str]) -> None:
            warnings.append("odd")

    authenticator, connection = Authenticator([Warns()]), ConnectionInfo("", is_secure=True)
    for _ in range(2):
        warnings: list[str] = []
        authenticator.authenticate(build_request(connection), warnings)
        assert warnings == ["odd"]


def test_plain_http_is_the_administrator() -> None:
    request = build_request(ConnectionInfo("", is_secure=False), "Bearer whatever")
    user = Authenticator([BAD]).authenticate(request, [])
    assert user is not None
    assert (user.name, user.is_master) == ("system:admin", True)


def test_groups_are_added_once() -> None:
    class Known:
        def authenticate(self, request: Request, warnings: list[str]) -> Identity:
            return Identity(User("a", groups=("x", "system:authenticated")))

    user = Authenticator([Known()]).authenticate(build_request(), [])
    assert user is not None
    assert user.groups == ("x", "system:authenticated")


@pytest.mark.parametrize(
    "path, expected",
    [("/livez", ANONYMOUS), ("/%6civez", ANONYMOUS), ("/livez/", None), ("/api", None), ("/LIVEZ", None)],
)
def test_anonymous_requests_may_be_allowed_at_some_paths_alone(path: str, expected: User | None) -> None:
    authenticator = Authenticator([Fixed(None)], anonymous_paths=frozenset(["/livez", "/readyz"]))
    connection = ConnectionInfo("", is_secure=True)
    for _ in range(2):  # what one path is allowed says nothing about the next request of the connection
        assert authenticator.authenticate(Request("GET", "/readyz", "", {}, b"", connection), []) is ANONYMOUS
        assert authenticator.authenticate(Request("GET", path, "", {}, b"", connection), []) is expected


def test_a_way_that_has_to_ask_elsewhere_is_waited_for() -> None:
    class Slow(Fixed):
        def authenticate(self, request: Request, warnings: list[str]) -> Awaitable[Identity | None]:  # type: ignore[override]
            async def wait() -> Identity | None:
                await asyncio.sleep(0)
                return super(Slow, self).authenticate(request, warnings)

            return wait()

    async def ask(*methods: Fixed) -> User | None:
        request = build_request()
        found = Authenticator(methods).authenticate(request, [])
        assert found is not None
        assert not isinstance(found, User)
        user = await found
        assert "authorization" not in request.headers
        return user

    alice = User("alice", groups=("system:authenticated",))
    assert asyncio.run(ask(Slow(None), Fixed("alice"))) == alice
    assert asyncio.run(ask(BAD, Slow("alice"), Fixed("bob"))) == alice
    assert asyncio.run(ask(Slow(None, is_bad=True), Slow("alice"))) == alice
    assert asyncio.run(ask(Slow(None), Slow(None))) is ANONYMOUS
    for methods in ([BAD, Slow(None)], [Slow(None, is_bad=True), Fixed(None)], [Slow(None), BAD]):
        with pytest.raises(errors.Unauthorized):
            asyncio.run(ask(*methods))


def test_audits_are_told_with_each_request() -> None:
    told = (("a", "1"), ("b", "2"))

    class Telling(Fixed):
        def authenticate(self, request: Request, warnings: list[str]) -> Identity | None:
            self.calls += 1
            return Identity(User("alice"), annotations=told)

    class Waiting(Telling):
        def authenticate(self, request: Request, warnings: list[str]) -> Awaitable[Identity | None]:  # type: ignore[override]
            async def answer() -> Identity | None:
                return super(Waiting, self).authenticate(request, warnings)

            return answer()

    async def ask(authenticator: Authenticator, connection: ConnectionInfo) -> dict[str, str]:
        annotations: dict[str, str] = {}
        found = authenticator.authenticate(build_request(connection), [], annotations)
        if isinstance(found, Awaitable):
            await found
        return annotations

    for method in (Telling(None), Waiting(None)):
        authenticator, connection = Authenticator([method]), ConnectionInfo("", is_secure=True)
        for _ in range(3):
            assert asyncio.run(ask(authenticator, connection)) == dict(told)
        assert method.calls == 1


def test_what_one_authenticator_has_found_is_not_believed_by_another() -> None:
    connection = ConnectionInfo("", is_secure=True)
    one, other = Authenticator([Fixed("alice")]), Authenticator([Fixed("bob")])
    for authenticator, name in ((one, "alice"), (other, "bob"), (one, "alice")):
        user = authenticator.authenticate(build_request(connection), [])
        assert isinstance(user, User)
        assert user.name == name
