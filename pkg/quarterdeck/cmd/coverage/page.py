"""A document of coverage as one HTML page that needs nothing else: no scripts, no files beside it.

All that servers and clients have named is escaped, and a policy in the page keeps it from loading anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

from quarterdeck.cmd.coverage import summary
from quarterdeck.cmd.coverage.summary import Share
from quarterdeck.cmd.coverage.text import request_of

Document = dict[str, Any]
Parts = Iterator[str]

_STYLE: Final = """
:root { color-scheme: light dark; --line: #d0d7de; --dim: #59636e; --good: #1a7f37; --bad: #bc4c00; --bar: #eaeef2; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --dim: #9198a1; --good: #3fb950; --bad: #f0883e; --bar: #262c36; }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; }
nav a { border: 1px solid var(--line); border-radius: 6px; color: inherit; padding: .6rem 1rem; text-decoration: none; }
nav b { display: block; font-size: 1.3rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
.bar { background: var(--bar); border-radius: 4px; display: inline-block; height: .6rem; overflow: hidden;
  vertical-align: middle; width: 10rem; }
.bar i { background: var(--good); display: block; height: 100%; }
table { border-collapse: collapse; margin: .6rem 0; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; } td.n, th.n { font-variant-numeric: tabular-nums; text-align: right; width: 5rem; }
code { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.never { color: var(--bad); } .dim { color: var(--dim); }
"""
_HEAD: Final = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API coverage</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>API coverage</h1>
"""
_END: Final = "</body>\n</html>\n"


def build(document: Document, only: Sequence[str] = ()) -> str:
    wanted = [section for section in summary.SECTIONS if not only or section in only]
    parts = [_HEAD, _navigate(document, wanted)]
    for section in wanted:
        parts += [f'<h2 id="{section}">{_TITLES[section]}</h2>\n', *_SECTIONS[section](document)]
        if left := summary.left_out(document, section):
            parts.append(f"<p>{left}</p>\n")
    return "".join([*parts, _END])


def _navigate(document: Document, wanted: Iterable[str]) -> str:
    links = []
    for section in wanted:
        share_of = summary.SHARES.get(section)
        told = share_of(document) if share_of is not None else len(document[_COUNTED[section]])
        links.append(f'<a href="#{section}">{_TITLES[section]} <b>{told}</b></a>')
    return f"<nav>{''.join(links)}</nav>\n"


def _fields(document: Document) -> Parts:
    for each in sorted(document["fields"], key=lambda told: (_percent(told), told["definition"], told["version"])):
        share = Share(each["set"], each["of"])
        title = f"{each['definition']}/{each['version']}{' (gone)' if each.get('gone') else ''}"
        yield f"<details><summary>{_bar(share)} <b>{escape(title)}</b> "
        yield f'{share} <span class="dim">by {each["writes"]} writes</span></summary>\n'
        if unset := summary.never_set(each["paths"]):
            rows = [(_never(_code(path)), number) for path, number in unset.items()]
            yield _table(("Never set", "#Fields"), rows)
        known = [(_code(path), count) for path, count in each["paths"].items() if count]
        yield _table(("Set", "#Writes"), known)
        yield "</details>\n"


def _percent(told: Document) -> float:
    return Share(told["set"], told["of"]).percent


def _rules(document: Document) -> Parts:
    by_owner: dict[str, list[Document]] = {}
    for each in document["rules"]:
        by_owner.setdefault(summary.name_of(each), []).append(each)
    for owner, rules in by_owner.items():
        share = Share(sum(map(summary.is_tested, rules)), len(rules))
        yield f"<details><summary>{_bar(share)} <b>{escape(owner)}</b> {share}</summary>\n"
        rows = [
            (
                _code(each["path"] or "."),
                _code(each["rule"]),
                "" if summary.is_tested(each) else _never("never false" if each["evaluated"] else "never evaluated"),
                *(each[name] for name in ("evaluated", "false", "errors")),
            )
            for each in sorted(rules, key=summary.is_tested)
        ]
        yield _table(("Path", "Rule", "", "#Evaluated", "#False", "#Errors"), rows)
        yield "</details>\n"


def _conditions(document: Document) -> Parts:
    by_kind: dict[str, list[Document]] = {}
    for each in document["conditions"]:
        by_kind.setdefault(summary.kind_of(each), []).append(each)
    for kind, conditions in by_kind.items():
        yield f"<details><summary><b>{escape(kind)}</b></summary>\n"
        columns = ("path", "type", "status", "reason")
        rows: list[tuple[str | int, ...]] = [
            (*(escape(each[name]) for name in columns), each["count"]) for each in conditions
        ]
        yield _table(("Path", "Type", "Status", "Reason", "#Writes"), rows)
        yield "</details>\n"


def _webhooks(document: Document) -> Parts:
    columns = ("called", "allowed", "mutated", "refused", "failed")
    rows: list[tuple[str | int, ...]] = [
        (
            escape(f"{each['kind']} {each['configuration']}"),
            escape(each["name"]),
            "" if each["called"] else _never("never called"),
            *(each[name] for name in columns),
        )
        for each in sorted(document["webhooks"], key=lambda each: bool(each["called"]))
    ]
    yield _table(("Configuration", "Webhook", "", *(f"#{name.capitalize()}" for name in columns)), rows)


def _bindings(document: Document) -> Parts:
    rows: list[tuple[str | int, ...]] = [
        (
            *(escape(each[name]) for name in ("kind", "policy", "name")),
            "" if each["evaluated"] else _never("never"),
            each["evaluated"],
        )
        for each in sorted(document["bindings"], key=lambda each: bool(each["evaluated"]))
    ]
    yield _table(("Kind", "Policy", "Binding", "", "#Requests"), rows)


def _verbs(document: Document) -> Parts:
    for caller in document["callers"]:
        yield f"<details><summary><b>{escape(caller['user'])}</b> "
        yield f'<span class="dim">{escape(caller["userAgent"])}</span></summary>\n'
        rows: list[tuple[str | int, ...]] = []
        for each in caller["requests"]:
            *told, count = request_of(each)
            rows.append((escape(each["verb"]), *map(escape, told), int(count)))
        yield _table(("Verb", "Asked", "Namespace", "Names", "#Count"), rows)
        yield "</details>\n"


def _bar(share: Share) -> str:
    return f'<span class="bar"><i style="width: {share.percent:.0f}%"></i></span>'


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _never(html: str) -> str:
    return f'<span class="never">{html}</span>'


def _table(head: Sequence[str], rows: Sequence[tuple[str | int, ...]]) -> str:
    """Cells are HTML, or numbers, whose columns begin with #. Nothing where there are no rows."""
    if not rows:
        return ""
    titles = "".join(f'<th class="n">{each[1:]}</th>' if each[:1] == "#" else f"<th>{each}</th>" for each in head)
    lines = ["".join(_cell(cell) for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return f"<table>\n<tr>{titles}</tr>\n{body}</table>\n"


def _cell(cell: str | int) -> str:
    return f"<td>{cell}</td>" if isinstance(cell, str) else f'<td class="n">{cell}</td>'


_TITLES: Final = {
    "fields": "Fields set",
    "rules": "Rules false at least once",
    "conditions": "Conditions",
    "webhooks": "Webhooks called",
    "bindings": "Bindings that concerned a request",
    "verbs": "Callers",
}
_COUNTED: Final = {"conditions": "conditions", "verbs": "callers"}
_SECTIONS: Final[dict[str, Callable[[Document], Parts]]] = {
    "fields": _fields,
    "rules": _rules,
    "conditions": _conditions,
    "webhooks": _webhooks,
    "bindings": _bindings,
    "verbs": _verbs,
}
