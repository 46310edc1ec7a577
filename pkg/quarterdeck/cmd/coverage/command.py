"""`quarterdeck coverage`: what a running server has been asked for, what of its definitions, webhooks and policies was
used, and roles for it (docs/api-coverage.md)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.cmd.argument_types import parse_percent
from quarterdeck.cmd.asking import ask
from quarterdeck.cmd.coverage import summary
from quarterdeck.cmd.failures import fail, say
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client
    from quarterdeck.cmd.coverage.client import Document

_TOO_LITTLE: Final = 3


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    coverage = commands.add_parser(
        "coverage",
        help="what a running server was asked for, and the smallest roles for it",
        description="What a running server was asked for, and what was used of its definitions, webhooks and policies. "
        "It has to run with --enable-api-coverage.",
        epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 less was used than --fail-under-… asks for.",
        allow_abbrev=False,
    )
    actions = coverage.add_subparsers(dest="action", metavar="ACTION", required=True)
    report = add_action(actions, "report", "show who has asked for what, and what was used")
    formats = ("table", "json", "yaml", "html")
    report.add_argument("-o", "--output", choices=formats, default="table", help="(default table)")
    report.add_argument(
        "--only",
        action="append",
        choices=summary.SECTIONS,
        default=[],
        metavar="|".join(summary.SECTIONS),
        help="this section alone; may be given several times",
    )
    report.add_argument(
        "--from",
        action="append",
        type=Path,
        default=[],
        dest="files",
        metavar="FILE",
        help="of what -o json, or pytest --quarterdeck-coverage, has written, instead of a server; several add up",
    )
    report.add_argument(
        "--definitions", default="*", metavar="PATTERN", help="fields and rules of these definitions alone (default *)"
    )
    for section in summary.SHARES:
        report.add_argument(
            f"--fail-under-{section}",
            type=parse_percent,
            metavar="PERCENT",
            help=f"exit with 3 where less of the {section} was used",
        )
    roles = add_action(actions, "roles", "write the smallest roles that allow it, as YAML")
    roles.add_argument("--name", default="coverage", help="of the roles (default coverage)")
    roles.add_argument("--subject", default="", metavar="USER", help="bind the roles to this user or service account")
    roles.add_argument("--any-name", action="store_true", help="allow it for objects of any name")
    roles.add_argument("--any-namespace", action="store_true", help="allow it in all namespaces")
    for action in (report, roles):
        action.add_argument("--users", default="*", metavar="PATTERN", help="requests of these users alone (default *)")
        action.add_argument("--user-agents", default="*", metavar="PATTERN", help="of these clients (default *)")
    add_action(actions, "reset", "forget what was asked so far, of everybody")
    for action in actions.choices.values():
        add_server(action)


def run(arguments: argparse.Namespace) -> int:
    if arguments.action != "report" or not arguments.files:
        return ask(arguments, _do)
    from quarterdeck.cmd.coverage import saved

    try:
        document = saved.load(arguments.files, arguments.users, arguments.user_agents)
    except saved.SavedError as error:
        return fail(1, str(error))
    return _report(arguments, document)


def _do(arguments: argparse.Namespace, client: Client) -> int:
    from quarterdeck.cmd.coverage.client import CoverageClient

    server = CoverageClient(lambda method, path: client.must(200, method, path))
    if arguments.action == "reset":
        server.reset()
        return 0
    callers = {"users": arguments.users, "user_agents": arguments.user_agents}
    if arguments.action == "roles":
        choice = {name: getattr(arguments, name) for name in ("name", "subject", "any_name", "any_namespace")}
        found = server.roles(**callers, **choice)
        _warn_of_nobody(arguments, has_any=bool(found))
        _print_yaml(found)
        return 0
    return _report(arguments, server.report(**callers))


def _report(arguments: argparse.Namespace, document: Document) -> int:
    document = summary.of_definitions(document, arguments.definitions)
    if not arguments.only or "verbs" in arguments.only:
        _warn_of_nobody(arguments, has_any=bool(document["callers"]))
    if arguments.output == "table":
        from quarterdeck.cmd.coverage import text

        print(text.build(document, arguments.only), end="")
    elif arguments.output == "html":
        from quarterdeck.cmd.coverage import page

        print(page.build(document, arguments.only), end="")
    else:
        chosen = summary.choose(document, arguments.only)
        if arguments.output == "yaml":
            _print_yaml([chosen])
        else:
            import json

            print(json.dumps(chosen, indent=2))
    return _judge(arguments, document)


def _judge(arguments: argparse.Namespace, document: Document) -> int:
    code = 0
    for section, share_of in summary.SHARES.items():
        wanted, share = getattr(arguments, f"fail_under_{section}"), share_of(document)
        if wanted is not None and share.percent < wanted:
            say(f"{section}: {share} is less than {wanted:g} %")
            code = _TOO_LITTLE
    return code


def _warn_of_nobody(arguments: argparse.Namespace, *, has_any: bool) -> None:
    """A pattern that fits nobody is more often a mistake than an operator that asks for nothing."""
    if not has_any and (arguments.users, arguments.user_agents) != ("*", "*"):
        chosen = f"--users {arguments.users!r} and --user-agents {arguments.user_agents!r}"
        say(f"no requests are of {chosen}")


def _print_yaml(values: list[dict[str, Any]]) -> None:
    import yaml

    print(yaml.safe_dump_all(values, sort_keys=False), end="")
