"""`quarterdeck replay FILE`: a recording is played against a server, and what is not as it was is shown."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from quarterdeck.cmd.argument_types import parse_duration
from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.parsers import add_server

EXIT_DIFFERENT: Final = 1
_WAIT_S: Final = 10.0


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "replay",
        help="play a recording against a server, and show what is different",
        description="Play a recording (serve --record-file) against a server, and show what is not as it was. Uids,"
        " revisions, times and names that a server makes up may differ.",
        epilog="Exit codes: 0 all is as it was, 1 something is different, or the recording cannot be played,"
        " 2 wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    add_server(parser)
    parser.add_argument(
        "--wait", type=parse_duration, default=_WAIT_S, metavar="DURATION", help="for an answer, an event (default 10s)"
    )
    parser.add_argument(
        "--cluster",
        default="",
        metavar="NAME",
        help="play what a logical cluster was asked (default: the server itself)",
    )
    parser.add_argument(
        "--impersonate", action="store_true", help="make each request as the user who made it; needs the right to"
    )


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd import kubeconfig
    from quarterdeck.cmd.replay.player import Player
    from quarterdeck.recording import file

    try:
        target = kubeconfig.load(arguments.kubeconfig or kubeconfig.default_path(), arguments.context)
        player = Player(
            target, _tell, wait_s=arguments.wait, impersonates=arguments.impersonate, cluster=arguments.cluster
        )
        result = player.play(file.read(arguments.file))
    except (kubeconfig.KubeconfigError, file.BadRecording, OSError) as error:
        return fail(EXIT_DIFFERENT, str(error))
    skipped = f", {result.skipped} not played" if result.skipped else ""
    print(f"{result.requests} requests and {result.events} events{skipped}: {result.differing} different")
    return EXIT_DIFFERENT if result.differing else 0


def _tell(title: str, differences: list[tuple[str, str]]) -> None:
    for place, what in differences:
        print(f"{title}: {place} {what}" if place else f"{title} {what}")
