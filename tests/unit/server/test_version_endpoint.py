"""/version: the numbers that clients decide by."""

from __future__ import annotations

import json

import pytest

from quarterdeck.server.version import DEFAULT_VERSION, build_response, parse_version


@pytest.mark.parametrize(
    ("text", "git_version"),
    [
        ("1.36", "v1.36.0+quarterdeck"),
        ("v1.35.2", "v1.35.2+quarterdeck"),
        ("kube=1.34", "v1.34.0+quarterdeck"),
        ("v1.36.0-alpha.1+vendor", "v1.36.0-alpha.1+vendor"),
    ],
)
def test_versions_are_completed(text: str, git_version: str) -> None:
    assert parse_version(text).git_version == git_version


@pytest.mark.parametrize("text", ["", "1", "v1", "x1.2", "1.36.", "1.36 "])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        parse_version(text)


def test_the_document_has_all_fields_as_text() -> None:
    response = build_response(DEFAULT_VERSION)
    assert response.headers == [("Content-Type", "application/json")]
    assert isinstance(response.body, bytes)
    document = json.loads(response.body)
    assert (document["major"], document["minor"], document["gitVersion"]) == ("1", "36", "v1.36.0+quarterdeck")
    assert list(document)[-6:] == ["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"]
    assert all(isinstance(value, str) for value in document.values())
