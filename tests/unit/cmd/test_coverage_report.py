"""Documents of coverage: merged, as text, as a page, and judged."""

from __future__ import annotations

import argparse
import copy
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.cmd.coverage import command, merging, page, summary, text
from quarterdeck.cmd.coverage.summary import Share

Document = dict[str, Any]
PATHS = {
    ".spec": 2,
    ".spec.a": 0,
    ".spec.a.b": 0,
    ".spec.a2": 0,
    ".spec.items": 1,
    ".spec.items[].name": 0,
    ".status": 0,
}
DEFINITION = "CustomResourceDefinition"


def document(*, paths: dict[str, int] = PATHS, **changed: Any) -> Document:
    told: Document = {
        "callers": [
            {
                "user": "admin",
                "userAgent": "boats/1",
                "requests": [
                    {"verb": "get", "group": "", "resource": "pods", "subresource": "log", "names": ["a"], "count": 2},
                    {"verb": "get", "path": "/metrics", "count": 1},
                ],
            }
        ],
        "leftOut": 1,
        "fields": [
            {
                "definition": "boats.example.com",
                "version": "v1",
                "kind": "Boat",
                "writes": 2,
                "set": sum(map(bool, paths.values())),
                "of": len(paths),
                "paths": paths,
            }
        ],
        "rules": [rule(), rule(path=".b", false=1), rule("MutatingAdmissionPolicy", path="spec.mutations[0]")],
        "conditions": [condition()],
        "webhooks": [webhook("one", called=1), webhook("two")],
        "bindings": [binding("one", 2), binding("two")],
        "notKept": {"fields": 1},
    }
    return copy.deepcopy(told | changed)


def rule(kind: str = DEFINITION, path: str = ".a", **counts: int) -> Document:
    named = {"kind": kind, "name": "boats.example.com", "path": path, "rule": "self > 0"}
    named |= {"version": "v1"} if kind == DEFINITION else {}
    return named | {"evaluated": 1, "false": 0, "errors": 0} | counts


def condition(**changed: Any) -> Document:
    told = {"group": "example.com", "kind": "Boat", "path": ".status.conditions", "type": "Ready", "status": "True"}
    return told | {"reason": "Done", "count": 1} | changed


def webhook(name: str, **counts: int) -> Document:
    named = {"kind": "ValidatingWebhookConfiguration", "configuration": "c", "name": name}
    return named | dict.fromkeys(("called", "allowed", "mutated", "refused", "failed"), 0) | counts


def binding(name: str, evaluated: int = 0) -> Document:
    return {
        "kind": "ValidatingAdmissionPolicyBinding",
        "policy": "boats.example.com",
        "name": name,
        "evaluated": evaluated,
    }


def test_shares_tell_how_much_of_all_is_used() -> None:
    told = document()
    assert summary.fields(told) == Share(2, 7)
    assert summary.rules(told) == Share(2, 3), "a mutation is never false"
    assert summary.webhooks(told) == Share(1, 2)
    assert summary.bindings(told) == Share(1, 2)
    assert Share(0, 0).percent == 100


def test_what_was_never_set_is_told_from_the_outside() -> None:
    assert summary.never_set(PATHS) == {".spec.a": 2, ".spec.a2": 1, ".spec.items[].name": 1, ".status": 1}


@given(st.sets(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map(tuple), max_size=12), st.data())
def test_never_set_counts_each_once(names: set[tuple[str, ...]], data: st.DataObject) -> None:
    names |= {each[:end] for each in names for end in range(1, len(each))}
    are_set = {each for each in names if data.draw(st.booleans())}
    are_set |= {each[:end] for each in are_set for end in range(1, len(each))}
    paths = {"".join(f".{name}" for name in each): int(each in are_set) for each in sorted(names)}
    tops = {"".join(f".{name}" for name in each) for each in names - are_set if each[:-1] in are_set | {()}}
    found = summary.never_set(paths)
    assert set(found) == tops
    assert sum(found.values()) == len(names - are_set)


def test_sections_are_chosen() -> None:
    told = document()
    assert summary.choose(told, []) == told
    assert set(summary.choose(told, ["verbs"])) == {"callers", "leftOut"}
    assert set(summary.choose(told, ["fields", "webhooks"])) == {"fields", "webhooks"}


def test_the_text_tells_of_shares_and_of_what_is_never_used() -> None:
    whole = text.build(document(), [])
    for line in (
        "FIELDS set: 2 of 7 (28 %)",
        "  boats.example.com/v1: 2 of 7 (28 %) by 2 writes",
        "    never set: .spec.a (2 fields)",
        "RULES false at least once: 2 of 3 (66 %)",
        "WEBHOOKS called: 1 of 2 (50 %)",
        "  left out: 1",
    ):
        assert line in whole.splitlines()
    assert "pods/log" in whole
    only = text.build(document(), ["webhooks"])
    assert "two" in only
    assert "pods" not in only
    assert "FIELDS" not in only


def test_the_text_moves_no_cursor() -> None:
    hostile = "\x1b[2J\r\u202e"
    paths = {f'.spec["{hostile}"]': 0}
    told = document(conditions=[condition(reason=hostile)], rules=[{**rule(), "rule": hostile}], paths=paths)
    assert not any(ord(each) < 32 and each != "\n" for each in text.build(told, []))
    assert "\u202e" not in text.build(told, [])


class _Tags(HTMLParser):
    """`problems`: tags that are not closed as they were opened, scripts, handlers, and addresses of elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.problems: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        links = [value for name, value in attrs if name in ("href", "src") and not (value or "").startswith("#")]
        if tag in ("script", "img", "link", "iframe") or links or any(name.startswith("on") for name, _ in attrs):
            self.problems.append(f"{tag} {attrs}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parse(html: str) -> _Tags:
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags


HOSTILE = st.sampled_from(
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=y>',
        "</code></td></table>",
        "&lt;b&gt;",
        "'",
        "a&b",
        "<!--",
        "]]>",
    ]
)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_the_page_is_whole_and_shows_hostile_names_as_text(one: str, two: str, three: str) -> None:
    told = document(
        paths={f'.spec["{one}"]': 1, f".{two}": 0},
        rules=[{**rule(path=one), "rule": two, "name": three}, {**rule(three, path=two), "rule": one}],
        conditions=[condition(kind=one, group=two, path=three, type=one, status=two, reason=three)],
        webhooks=[{**webhook(one), "kind": two, "configuration": three}],
        bindings=[{**binding(one), "kind": two, "policy": three}],
    )
    told["callers"][0] |= {"user": one, "userAgent": two}
    told["callers"][0]["requests"] = [
        {
            "verb": one,
            "group": two,
            "resource": three,
            "subresource": one,
            "namespace": two,
            "names": [three],
            "count": 1,
        },
        {"verb": one, "path": two, "count": 1},
    ]
    told["fields"][0]["definition"] = three
    found = parse(page.build(told))
    assert found.problems == []
    assert found.open == []
    shown = "".join(found.text)
    assert all(each in shown for each in (one, two, three))


def test_the_page_of_nothing_and_of_sections() -> None:
    empty = page.build(merging.merge([]))
    assert parse(empty).problems == []
    only = page.build(document(), ["webhooks"])
    assert "never called" in only
    assert 'id="fields"' not in only


def test_documents_are_merged() -> None:
    one, two = document(), document(paths={**dict.fromkeys(PATHS, 0), ".spec": 1, ".spec.a": 1, ".new": 1})
    two["webhooks"][1]["called"] = 3
    two["callers"][0]["requests"][0] |= {"names": ["b"]}
    two["rules"][0]["false"] = 4
    before = copy.deepcopy((one, two))
    merged = merging.merge([one, two])
    assert (one, two) == before, "what is merged stays as it is"
    (fields,) = merged["fields"]
    assert (fields["writes"], fields["set"], fields["of"]) == (4, 4, 8)
    assert fields["paths"] == {**PATHS, ".spec": 3, ".spec.a": 1, ".new": 1}
    (caller,) = merged["callers"]
    pods = next(each for each in caller["requests"] if "resource" in each)
    assert (pods["names"], pods["count"]) == (["a", "b"], 4)
    assert merged["leftOut"] == 2
    assert [each["called"] for each in merged["webhooks"]] == [2, 3]
    assert next(each for each in merged["rules"] if each["path"] == ".a")["false"] == 4
    assert merged["notKept"] == {"fields": 2}


def test_merging_keeps_what_one_alone_knows() -> None:
    many = document()
    many["callers"][0]["requests"][0] = {"verb": "get", "group": "", "resource": "pods", "subresource": "log",
                                         "tooManyNames": True, "count": 5}  # fmt: skip
    merged = merging.merge([document(), many])
    told = next(each for each in merged["callers"][0]["requests"] if "resource" in each)
    assert (told["tooManyNames"], told["count"]) == (True, 7)
    assert "names" not in told
    unwritten = document()
    unwritten["fields"][0] |= {"writes": 0, "set": 0, "of": 7, "paths": {}}
    gone = document()
    gone["fields"][0] |= {"gone": True, "kind": ""}
    (fields,) = merging.merge([gone, unwritten])["fields"]
    assert (fields["kind"], fields["of"], fields["set"], "gone" in fields) == ("Boat", 7, 2, False)
    assert fields["paths"] == PATHS


@given(st.permutations([document(), document(leftOut=5), document(webhooks=[webhook("three", called=2)])]))
def test_the_order_of_documents_means_nothing(documents: list[Document]) -> None:
    assert merging.merge(documents) == merging.merge(documents[::-1])
    assert merging.merge([merging.merge(documents[:2]), documents[2]]) == merging.merge(documents)


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ([], 0),
        (["--fail-under-fields=28"], 0),
        (["--fail-under-fields=29"], 3),
        (["--fail-under-rules=66", "--fail-under-webhooks=50"], 0),
        (["--fail-under-rules=68"], 3),
        (["--fail-under-webhooks=100"], 3),
        (["--fail-under-bindings=50"], 0),
        (["--fail-under-bindings=51"], 3),
    ],
)
def test_too_little_has_an_exit_code(flags: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = parse_arguments("report", "-o", "json", *flags)
    server = _Server()
    assert command._do(arguments, server) == code  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert json.loads(out) == document()
    assert ("is less than" in err) == (code == 3)


@pytest.mark.parametrize(
    "flag", [*(f"--fail-under-fields={wrong}" for wrong in ("101", "-1", "x", "nan", "")), "--only=x"]
)
def test_wrong_usage(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse_arguments("report", flag)
    assert ("is no number from 0 to 100" in capsys.readouterr().err) == ("fail" in flag)


def test_patterns_that_fit_nobody_are_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    server = _Server(callers=[])
    for arguments, is_told in (
        (["report", "--users=jane"], True),
        (["roles", "--user-agents=x*"], True),
        (["report"], False),
        (["report", "--users=jane", "--only=fields"], False),
    ):
        command._do(parse_arguments(*arguments), server)  # type: ignore[arg-type]
        assert ("no requests are of" in capsys.readouterr().err) == is_told


@pytest.mark.parametrize("output", ["table", "json", "yaml", "html"])
def test_every_output_is_written(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command._do(parse_arguments("report", "-o", output, "--only", "fields"), _Server()) == 0  # type: ignore[arg-type]
    out = capsys.readouterr().out
    assert "boats.example.com" in out
    assert "/metrics" not in out


def test_reports_in_files_are_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps(document()))
    two.write_text(json.dumps(document(leftOut=5)))
    flags = [f"--from={one}", f"--from={two}", "--fail-under-fields=50"]
    assert command.run(parse_arguments("report", "-o", "json", *flags)) == 3
    assert json.loads(capsys.readouterr().out) == merging.merge([document(), document(leftOut=5)])
    assert command.run(parse_arguments("report", f"--from={one}", "--users=jane", "-o", "json")) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["callers"] == []
    assert "no requests are of --users 'jane'" in err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "cannot read"),
        ("{", "is no JSON"),
        ("[]", "is no whole report"),
        ('{"callers": []}', "is no whole report"),
    ],
)
def test_files_that_are_no_report(
    text: str | None, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "it.json"
    if text is not None:
        path.write_text(text)
    assert command.run(parse_arguments("report", f"--from={path}")) == 1
    assert told in capsys.readouterr().err


def test_definitions_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    server = _Server()
    for pattern, number in (("boats.*", 3), ("*", 3), ("other.*", 1)):
        command._do(parse_arguments("report", "-o", "json", f"--definitions={pattern}"), server)  # type: ignore[arg-type]
        told = json.loads(capsys.readouterr().out)
        assert len(told["rules"]) == number, "those of policies are not of a definition"
        assert len(told["fields"]) == (number > 1)
        assert told["webhooks"] == document()["webhooks"]


class _Server:
    """A client of a server that answers a document, and no roles."""

    def __init__(self, **changed: Any) -> None:
        self._document = document(**changed)

    def must(self, _status: int, method: str, path: str) -> Document:
        assert (method, path.partition("?")[0].rpartition("/")[2] in ("coverage", "roles")) == ("GET", True)
        return {"items": []} if "/roles" in path else self._document


def parse_arguments(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    return parser.parse_args(["coverage", *arguments])
