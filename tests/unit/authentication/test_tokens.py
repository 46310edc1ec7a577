"""Bearer tokens and the static token file."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication import tokenfile
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.cache import CacheMetrics, TokenCache
from quarterdeck.authentication.interface import Identity
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import Agnostic, TokenUnion
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request

SPACE_WARNING = "the provided Authorization header contains extra space before the bearer token, and is ignored"


def load(folder: Path, text: str) -> TokenFile:
    path = folder / "tokens.csv"
    path.write_text(text, encoding="utf-8")
    return TokenFile(tokenfile.read(path))


def bearer(tokens: dict[str, User]) -> BearerMethod:
    return BearerMethod(TokenUnion([Agnostic(TokenFile(tokens), ["api"])]), ["api"])


def request_with(authorization: str | None) -> Request:
    headers = {} if authorization is None else {"authorization": authorization}
    return Request("GET", "/", "", headers, b"", ConnectionInfo("", is_secure=True))


@pytest.mark.parametrize("header", ["Bearer abc", "bearer abc", "BEARER abc def", "  Bearer abc  "])
def test_a_known_token_is_its_user(header: str) -> None:
    method = bearer({"abc": User("alice")})
    identity = method.authenticate(request_with(header), [])
    assert isinstance(identity, Identity)
    assert identity.user.name == "alice"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", "Token abc", "abc"])
def test_what_is_no_bearer_token_is_no_credential(header: str | None) -> None:
    warnings: list[str] = []
    assert bearer({}).authenticate(request_with(header), warnings) is None
    assert warnings == []


@pytest.mark.parametrize("header", ["Bearer wrong", "bearer a.b.c", "Bearer ab", "Bearer abcd", "Bearer \udcff"])
def test_an_unknown_token_is_refused(header: str) -> None:
    with pytest.raises(errors.Unauthorized):
        bearer({"abc": User("alice")}).authenticate(request_with(header), [])


@pytest.mark.parametrize(("sent", "is_known"), [(["abc", "wrong"], True), (["wrong", "abc"], False)])
def test_of_several_headers_the_first_counts(sent: list[str], is_known: bool) -> None:
    values = [f"Bearer {token}" for token in sent]
    headers = {"authorization": ", ".join(values), "\nauthorization": "\n".join(values)}  # as the parser has them
    request = Request("GET", "/", "", headers, b"", ConnectionInfo("", is_secure=True))
    method = bearer({"abc": User("alice")})
    if is_known:
        assert isinstance(method.authenticate(request, []), Identity)
        assert not [name for name in headers if "wrong" in headers[name]]
    else:
        with pytest.raises(errors.Unauthorized):
            method.authenticate(request, [])


def test_an_extra_space_is_ignored_with_a_warning() -> None:
    warnings: list[str] = []
    method = bearer({"abc": User("alice")})
    assert method.authenticate(request_with("Bearer  abc"), warnings) is None
    assert warnings == [SPACE_WARNING]


def test_the_file_holds_users_with_ids_and_groups(tmp_path: Path) -> None:
    tokens = load(tmp_path, 'a,alice,1\n\nb,"Bob, B.",2,"dev,ops"\nc,carol,3,one\nd,dan,4,\ne,eve,5,one,ignored\n')
    users = {token: identity.user for token in "abcde" if (identity := tokens.authenticate_token(token))}
    assert users == {
        "a": User("alice", "1"),
        "b": User("Bob, B.", "2", ("dev", "ops")),
        "c": User("carol", "3", ("one",)),
        "d": User("dan", "4"),
        "e": User("eve", "5", ("one",)),
    }


def test_empty_tokens_are_skipped_and_the_last_duplicate_wins(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tokens = load(tmp_path, ",nobody,0\na,first,1\na,second,2\n")
    assert tokens.authenticate_token("") is None
    identity = tokens.authenticate_token("a")
    assert identity is not None
    assert identity.user.name == "second"
    assert [record.getMessage().split(" has been")[0] for record in caplog.records] == [
        "empty token",
        "duplicate token",
    ]


def test_a_line_with_too_few_columns_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must have at least 3 columns \(token, user name, user uid\), found 2"):
        load(tmp_path, "a,alice\n")


def test_what_is_no_csv_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="field larger than field limit"):
        load(tmp_path, f"a,{'b' * 200_000},1\n")


def test_replaced_tokens_are_not_believed_any_more() -> None:
    tokens = TokenFile({"same": User("alice"), "other": User("bob"), "gone": User("carol")})
    before = {token: tokens.authenticate_token(token) for token in ("same", "other", "gone")}
    tokens.replace({"same": User("alice"), "other": User("root"), "new": User("dave")})
    current = {token: found.is_current() for token, found in before.items() if found and found.is_current}
    assert current == {"same": True, "other": False, "gone": False}
    assert tokens.authenticate_token("gone") is None
    new = tokens.authenticate_token("new")
    assert new is not None
    assert new.user == User("dave")


def test_a_replaced_token_is_refused_although_it_is_cached_and_its_connection_known() -> None:
    static = TokenFile({"abc": User("alice")})
    cache = TokenCache(TokenUnion([Agnostic(static, ["api"])]), CacheMetrics(Registry()))
    authenticator = Authenticator([BearerMethod(cache, ["api"])])
    request = request_with("Bearer abc")
    assert authenticator.authenticate(request, []) == User("alice", groups=("system:authenticated",))
    static.replace({})
    for connection in (request.connection, ConnectionInfo("", is_secure=True)):
        with pytest.raises(errors.Unauthorized):
            authenticator.authenticate(Request("GET", "/", "", {"authorization": "Bearer abc"}, b"", connection), [])
