"""A document of coverage as text: a section for each kind of thing, with what was never used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from quarterdeck.cmd.asking import lay_out
from quarterdeck.cmd.coverage import summary
from quarterdeck.cmd.failures import one_line

Document = dict[str, Any]
Lines = Iterator[str]
_INDENT: Final = "  "


def build(document: Document, only: Sequence[str]) -> str:
    wanted = [section for section in summary.SECTIONS if not only or section in only]
    return "\n".join("\n".join(_section(document, section)) + "\n" for section in wanted)


def _section(document: Document, section: str) -> Lines:
    yield from _SECTIONS[section](document)
    if left := summary.left_out(document, section):
        yield f"{_INDENT}{left}"


def _fields(document: Document) -> Lines:
    yield f"FIELDS set: {summary.fields(document)}"
    for each in document["fields"]:
        title = f"{each['definition']}/{each['version']}"
        share = summary.Share(each["set"], each["of"])
        yield f"{_INDENT}{one_line(title)}{' (gone)' if each.get('gone') else ''}: {share} by {each['writes']} writes"
        for path, number in summary.never_set(each["paths"]).items():
            yield f"{_INDENT * 2}never set: {one_line(path)}{f' ({number} fields)' if number > 1 else ''}"


def _rules(document: Document) -> Lines:
    yield f"RULES false at least once: {summary.rules(document)}"
    rows = [("OF", "PATH", "RULE", "EVALUATED", "FALSE", "ERRORS", "")]
    for each in document["rules"]:
        counts = (str(each["evaluated"]), str(each["false"]), str(each["errors"]))
        rows.append(
            (summary.name_of(each), each["path"], each["rule"], *counts, "" if summary.is_tested(each) else "never")
        )
    yield from _table(rows)


def _conditions(document: Document) -> Lines:
    yield "CONDITIONS that objects had"
    rows = [("KIND", "TYPE", "STATUS", "REASON", "WRITES")]
    for each in document["conditions"]:
        place = "" if each["path"] == ".status.conditions" else f" {each['path']}"
        rows.append(
            (f"{summary.kind_of(each)}{place}", each["type"], each["status"], each["reason"], str(each["count"]))
        )
    yield from _table(rows)


def _webhooks(document: Document) -> Lines:
    yield f"WEBHOOKS called: {summary.webhooks(document)}"
    rows = [("CONFIGURATION", "WEBHOOK", "CALLED", "ALLOWED", "MUTATED", "REFUSED", "FAILED", "")]
    for each in document["webhooks"]:
        counts = [str(each[name]) for name in ("called", "allowed", "mutated", "refused", "failed")]
        told = "" if each["called"] else "never"
        rows.append((f"{each['kind']} {each['configuration']}", each["name"], *counts, told))
    yield from _table(rows)


def _bindings(document: Document) -> Lines:
    yield f"BINDINGS of policies that concerned a request: {summary.bindings(document)}"
    rows = [("KIND", "POLICY", "BINDING", "REQUESTS", "")]
    for each in document["bindings"]:
        told = "" if each["evaluated"] else "never"
        rows.append((each["kind"], each["policy"], each["name"], str(each["evaluated"]), told))
    yield from _table(rows)


def _verbs(document: Document) -> Lines:
    yield "VERBS"
    rows = [("USER", "USER-AGENT", "VERB", "ASKED", "NAMESPACE", "NAMES", "COUNT")]
    for caller in document["callers"]:
        for each in caller["requests"]:
            rows.append((caller["user"], caller["userAgent"], each["verb"], *request_of(each)))
    yield from _table(rows)


def request_of(request: Document) -> tuple[str, str, str, str]:
    """What was asked, in which namespace, of which names, how often."""
    names = "(many)" if "tooManyNames" in request else ",".join(request.get("names", ()))
    return _subject_of(request), request.get("namespace", ""), names, str(request["count"])


def _subject_of(request: Document) -> str:
    if "path" in request:
        return str(request["path"])
    resource = f"{request['resource']}.{request['group']}" if request["group"] else str(request["resource"])
    return f"{resource}/{request['subresource']}" if "subresource" in request else resource


def _table(rows: Sequence[Sequence[str]]) -> Lines:
    """Nothing where there is no more than the head."""
    if len(rows) > 1:
        yield from (_INDENT + line for line in lay_out([list(map(one_line, row)) for row in rows], "  "))


_SECTIONS: Final[dict[str, Callable[[Document], Lines]]] = {
    "fields": _fields,
    "rules": _rules,
    "conditions": _conditions,
    "webhooks": _webhooks,
    "bindings": _bindings,
    "verbs": _verbs,
}
