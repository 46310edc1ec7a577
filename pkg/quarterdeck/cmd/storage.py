"""The command line of `quarterdeck storage`: what a data directory's store holds, going on after damage, and bringing
objects into the version that they are to be stored in."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd import etcd_flags
from quarterdeck.cmd.failures import fail, one_line
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.migrate import Migration, Progress
    from quarterdeck.storage.sqlite.salvage import Findings

EXIT_OK: Final = 0
EXIT_DAMAGED: Final = 1
EXIT_FAILED: Final = 1
EXIT_DATA: Final = 4
_SHOWN_MAX: Final = 20


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    storage = commands.add_parser(
        "storage",
        help="look at a stopped server's store, repair it, or migrate a running server's objects",
        description="Look at the store of a stopped server, or repair it; migrate the objects of a running one.",
        epilog="Exit codes: 0 done, all is well; 1 damaged, not migrated; 2 wrong usage; 4 unusable data directory.",
        allow_abbrev=False,
    )
    actions = storage.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, what in (
        ("check", "tell what is damaged or missing; changes nothing"),
        ("repair", "make a whole store of what can be read; the damaged files are kept beside it"),
    ):
        action = add_action(actions, name, what)
        action.add_argument("--data-dir", type=Path, required=True, metavar="DIR", help="the server's data directory")
    what = "copy what one store holds into an empty one, and compare the two"
    copy = add_action(actions, "copy", what)
    copy.add_argument("source", metavar="SRC", help="the data directory of a stopped server, or URL,… of an etcd")
    copy.add_argument("target", metavar="DST", help="a data directory, missing or empty, or URL,… of an etcd")
    etcd_flags.add_access(copy)
    what = "write every object of a resource in its storage version, encrypted by the first key"
    more = (
        ", as a client of the running server. It may be stopped and run again: what is done is not done twice. A "
        "definition's status.storedVersions stays as it is."
    )
    migrate = add_action(actions, "migrate", what, more)
    migrate.add_argument(
        "definitions", nargs="+", metavar="RESOURCE", help="such as secrets, deployments.apps, widgets.example.com"
    )
    add_server(migrate)


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "migrate":
        return _migrate(arguments)
    if arguments.action == "copy":
        from quarterdeck.cmd import copy

        return copy.run(arguments)
    return _check_or_repair(arguments)


def _migrate(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.client import RequestError
    from quarterdeck.cmd.kubeconfig import KubeconfigError, default_path, load
    from quarterdeck.cmd.migrate import Migration

    code = EXIT_OK
    try:
        target = load(arguments.kubeconfig or default_path(), arguments.context)
        for name in arguments.definitions:
            migration = Migration(target, name, partial(_print_progress, name))
            if not _conclude(name, migration, is_done=migration.run()):
                code = EXIT_FAILED
    except (KubeconfigError, RequestError, OSError) as error:
        return fail(EXIT_FAILED, str(error))
    return code


def _print_progress(name: str, progress: Progress, left: int | None) -> None:
    failed = f", {progress.failed} failed" if progress.failed else ""
    rest = f", {left} left" if left else ""
    print(f"{name}: {progress.rewritten} written, {progress.unchanged} were up to date{failed}{rest}", flush=True)


def _conclude(name: str, migration: Migration, *, is_done: bool) -> bool:
    version, stored = migration.version, migration.stored_versions
    for line in migration.progress.failures:
        print(one_line(line))
    if not is_done:
        print(f"{name}: not all objects are stored in {version}: run it again")
    elif stored == [version]:
        print(f"{name}: all objects are stored in {version}")
    else:
        patch = json.dumps({"status": {"storedVersions": [version]}})
        print(
            f"{name}: all objects are stored in {version}; storedVersions still says {', '.join(stored)}. To end that:"
        )
        print(f"  kubectl patch crd {name} --subresource=status --type=merge -p '{patch}'")
    return is_done


def _check_or_repair(arguments: argparse.Namespace) -> int:
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
