"""The command line of `quarterdeck storage`: what a data directory's store holds, and going on after damage."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd.telling import fail, one_line

if TYPE_CHECKING:
    from quarterdeck.storage.sqlite.salvage import Findings

EXIT_OK: Final = 0
EXIT_DAMAGED: Final = 1
EXIT_DATA: Final = 4
_SHOWN_MAX: Final = 20


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    storage = commands.add_parser(
        "storage",
        help="look at a stopped server's store, or repair it",
        description="Look at the store of a server that is stopped, or repair it.",
        epilog="Exit codes: 0 all is well, 1 damaged, 2 wrong usage, 4 the data directory cannot be used.",
        allow_abbrev=False,
    )
    actions = storage.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, what in (
        ("check", "tell what is damaged or missing; changes nothing"),
        ("repair", "make a whole store of what can be read; the damaged files are kept beside it"),
    ):
        action = actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.", allow_abbrev=False)
        action.add_argument("--data-dir", type=Path, required=True, metavar="DIR", help="the server's data directory")


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.server.datadir import STORE_FILE, DataDirectory, DataDirectoryError
    from quarterdeck.storage.interface import StorageError
    from quarterdeck.storage.sqlite import salvage

    path = arguments.data_dir.absolute() / STORE_FILE
    if not arguments.data_dir.is_dir():
        return fail(EXIT_DATA, f"there is no data directory {arguments.data_dir}")
    try:
        directory = DataDirectory.open(arguments.data_dir.absolute())
    except DataDirectoryError as error:
        return fail(EXIT_DATA, str(error))
    try:
        if arguments.action == "check":
            findings = salvage.check(path)
            _describe(findings)
            return EXIT_OK if findings.is_whole else EXIT_DAMAGED
        findings, kept = salvage.repair(path)
    except (StorageError, OSError) as error:
        return fail(EXIT_DATA, str(error))
    finally:
        directory.close()
    _describe(findings)
    print(f"repaired: the store holds what could be read; the files as they were are in {kept}")
    return EXIT_OK


def _describe(findings: Findings) -> None:
    print(f"records: {findings.records}, up to revision {findings.revision}")
    log = findings.log
    print(f"log: {log.commits} commits that can be read, {log.commits_behind} behind damage")
    print(f"acknowledged: up to revision {findings.acknowledged or 'unknown'}")
    if findings.lost_revisions:
        first = findings.revision + 1
        print(f"lost: {findings.lost_revisions} writes, revisions {first} to {findings.acknowledged}")
    for line in (*findings.damaged[:_SHOWN_MAX], *findings.mendable[:_SHOWN_MAX]):
        print(one_line(line))
    hidden = max(0, len(findings.damaged) - _SHOWN_MAX) + max(0, len(findings.mendable) - _SHOWN_MAX)
    if hidden:
        print(f"and {hidden} more records")
    print(f"the server would not start: {one_line(findings.refusal)}" if findings.refusal else "the server would start")
