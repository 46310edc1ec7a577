"""Whose certificates a server asks its clients for."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.transport.tls import TLSContext
from support.certificates import Certificate
from support.handshakes import first_flight

ONE, OTHER = (Certificate(name, is_authority=True) for name in ("one", "other"))


def names_told(server: TLSContext) -> list[bool]:
    """Whether each of the two is told."""
    told = first_flight(server.wrap)
    return [each.subject.public_bytes() in told for each in (ONE, OTHER)]


def test_they_are_those_of_the_files_as_these_are_now(tmp_path: Path) -> None:
    files = Certificate("leaf").write(tmp_path)
    first, second = tmp_path / "first.pem", tmp_path / "second.pem"
    first.write_bytes(ONE.pem)
    server = TLSContext(*files, [first, second])
    assert server.files() == [*files, first, second]
    assert names_told(server) == [True, False]  # the other file is not there
    second.write_bytes(b"# a comment\n" + OTHER.pem + ONE.pem)
    assert names_told(server) == [True, False]
    server.reload()
    assert names_told(server) == [True, True]
    first.write_bytes(b"")
    second.write_bytes(OTHER.pem)
    server.reload()
    assert names_told(server) == [False, True]
    assert names_told(TLSContext(*files)) == [False, False]


def test_more_than_a_handshake_holds_are_not_told(tmp_path: Path) -> None:
    files = Certificate("leaf").write(tmp_path)
    many = tmp_path / "many.pem"
    many.write_bytes(ONE.pem + b"".join(Certificate(f"c{n}", is_authority=True).pem for n in range(100)))
    assert names_told(TLSContext(*files, [many])) == [False, False]
