"""The commands for tests of clients, which talk to a running server: they are loaded when one of them is called."""

from __future__ import annotations

import argparse
from typing import Final

from quarterdeck.cmd import clock, faults
from quarterdeck.cmd.coverage import command as coverage
from quarterdeck.cmd.history import command as history
from quarterdeck.cmd.replay import command as replay

_COMMANDS: Final = {
    "clock": clock,
    "coverage": coverage,
    "faults": faults,
    "replay": replay,
    "history": history,
    "diff": history,
}


def add_parsers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    for module in dict.fromkeys(_COMMANDS.values()):
        module.add_parser(commands)


def run(arguments: argparse.Namespace) -> int:
    return int(_COMMANDS[arguments.command].run(arguments))
