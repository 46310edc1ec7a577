"""`quarterdeck clock`: the virtual clock of a running server (docs/virtual-clock.md)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.cmd.asking import ask
from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client

_PATH: Final = "/quarterdeck/v1/clock"
_NOT_SETTLED: Final = 1
_WAYS: Final = {"advance": "advance", "step": "step", "set": "time"}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    clock = commands.add_parser(
        "clock",
        help="have time pass on a running server",
        description="Have time pass on a running server. It has to run with --virtual-clock.",
        epilog="Exit codes: 0 done, 1 failed, or the server has not done yet what it has to do, 2 wrong usage.",
        allow_abbrev=False,
    )
    actions = clock.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_action(actions, "now", "tell what time it is")
    for name, metavar, what in (
        ("advance", "DURATION", "let time pass, with all that is due meanwhile: 90s, 1h30m"),
        ("step", "DURATION", "have the time of day jump, while no time passes"),
        ("set", "TIME", "have it jump to a time, as of RFC 3339"),
    ):
        add_action(actions, name, what).add_argument("value", metavar=metavar)
    actions.choices["step"].add_argument("--back", action="store_true", help="to earlier")
    for action in actions.choices.values():
        add_server(action)
        action.add_argument("-o", "--output", choices=("text", "json"), default="text", help="(default text)")


def run(arguments: argparse.Namespace) -> int:
    return ask(arguments, _do)


def _do(arguments: argparse.Namespace, client: Client) -> int:
    way = _WAYS.get(arguments.action)
    told: dict[str, Any]
    if way is None:
        told = client.must(200, "GET", _PATH)
    else:
        is_back = arguments.action == "step" and arguments.back
        told = client.must(200, "POST", _PATH, {way: f"-{arguments.value}" if is_back else arguments.value})
    print(json.dumps(told, indent=2) if arguments.output == "json" else told["now"])
    if not told.get("settled", True):
        return fail(_NOT_SETTLED, "the server has not done yet what it has to do")
    return 0
