"""`quarterdeck faults`: the rules by which a running server spoils requests (docs/testing-faults.md)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from quarterdeck.cmd.asking import ask
from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client

_PATH: Final = "/quarterdeck/v1/faults"
_NEVER: Final = 1


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    faults = commands.add_parser(
        "faults",
        help="spoil requests of a running server by rules",
        description="Spoil requests of a running server by rules. It has to run with --enable-fault-injection.",
        epilog="Exit codes: 0 done, 1 failed, or `check` found a rule that never fired, 2 wrong usage.",
        allow_abbrev=False,
    )
    actions = faults.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = add_action(actions, "add", "add the rules of a file, or replace those of the same name")
    add.add_argument("file", metavar="FILE", help="YAML or JSON; - is standard input")
    for name, what in (
        ("list", "show all rules, and how often each has fired"),
        ("check", "fail where a rule has never fired"),
        ("clear", "remove all rules"),
    ):
        add_action(actions, name, what)
    remove = add_action(actions, "remove", "remove a rule")
    remove.add_argument("name", metavar="NAME")
    for name, action in actions.choices.items():
        add_server(action)
        if name in ("list", "add"):
            action.add_argument("-o", "--output", choices=("table", "json"), default="table", help="(default table)")


def run(arguments: argparse.Namespace) -> int:
    return ask(arguments, _do)


def _do(arguments: argparse.Namespace, client: Client) -> int:
    action = arguments.action
    if action == "add":
        _show(arguments, client.must(201, "POST", _PATH, _read(arguments.file))["rules"])
    elif action == "clear":
        client.must(200, "DELETE", _PATH)
    elif action == "remove":
        client.must(200, "DELETE", f"{_PATH}/{quote(arguments.name, safe='')}")
    else:
        rules = client.must(200, "GET", _PATH)["rules"]
        if action == "list":
            _show(arguments, rules)
        elif never := [each["name"] for each in rules if not each["fired"]]:
            return fail(_NEVER, f"never fired: {', '.join(never)}")
    return 0


def _read(file: str) -> Any:
    """The server says what is wrong with it."""
    import yaml

    text = sys.stdin.read() if file == "-" else Path(file).read_text()
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise OSError(f"{file}: {error}") from error


def _show(arguments: argparse.Namespace, rules: list[dict[str, Any]]) -> None:
    if arguments.output == "json":
        print(json.dumps({"rules": rules}, indent=2))
        return
    rows = [("NAME", "FIRED", "MATCHED", "RULE")]
    for rule in rules:
        rest = {name: value for name, value in rule.items() if name not in ("name", "fired", "matched")}
        rows.append((rule["name"], str(rule["fired"]), str(rule["matched"]), json.dumps(rest)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]))
