"""`quarterdeck coverage`: what a running server has been asked for, and roles for it (docs/api-coverage.md)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from quarterdeck.cmd.asking import ask, print_rows
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client

_PATH: Final = "/quarterdeck/v1/coverage"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    coverage = commands.add_parser(
        "coverage",
        help="what a running server was asked for, and the smallest roles for it",
        description="What a running server was asked for. It has to run with --enable-api-coverage.",
        epilog="Exit codes: 0 done, 1 failed, 2 wrong usage.",
        allow_abbrev=False,
    )
    actions = coverage.add_subparsers(dest="action", metavar="ACTION", required=True)
    report = add_action(actions, "report", "show who has asked for what")
    report.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table", help="(default table)")
    roles = add_action(actions, "roles", "write the smallest roles that allow it, as YAML")
    roles.add_argument("--name", default="coverage", help="of the roles (default coverage)")
    roles.add_argument("--subject", default="", metavar="USER", help="bind the roles to this user or service account")
    roles.add_argument("--any-name", action="store_true", help="allow it for objects of any name")
    roles.add_argument("--any-namespace", action="store_true", help="allow it in all namespaces")
    for action in (report, roles):
        action.add_argument("--users", default="*", metavar="PATTERN", help="of these users alone (default *)")
        action.add_argument("--user-agents", default="*", metavar="PATTERN", help="of these clients (default *)")
    add_action(actions, "reset", "forget what was asked so far")
    for action in actions.choices.values():
        add_server(action)


def run(arguments: argparse.Namespace) -> int:
    return ask(arguments, _do)


def _do(arguments: argparse.Namespace, client: Client) -> int:
    if arguments.action == "reset":
        client.must(200, "DELETE", _PATH)
        return 0
    options = {"users": arguments.users, "userAgents": arguments.user_agents}
    if arguments.action == "roles":
        options |= {"name": arguments.name, "subject": arguments.subject}
        options |= {"names": "any"} if arguments.any_name else {}
        options |= {"namespaces": "any"} if arguments.any_namespace else {}
        _print_yaml(client.must(200, "GET", f"{_PATH}/roles?{urlencode(options)}")["items"])
        return 0
    told = client.must(200, "GET", f"{_PATH}?{urlencode(options)}")
    if arguments.output == "table":
        _show(told)
    elif arguments.output == "yaml":
        _print_yaml([told])
    else:
        import json

        print(json.dumps(told, indent=2))
    return 0


def _print_yaml(values: list[dict[str, Any]]) -> None:
    import yaml

    print(yaml.safe_dump_all(values, sort_keys=False), end="")


def _show(told: dict[str, Any]) -> None:
    rows = [("USER", "USER-AGENT", "VERB", "ASKED", "NAMESPACE", "NAMES", "COUNT")]
    for caller in told["callers"]:
        for each in caller["requests"]:
            names = "(many)" if "tooManyNames" in each else ",".join(each.get("names", ()))
            place = (each.get("namespace", ""), names, str(each["count"]))
            rows.append((caller["user"], caller["userAgent"], each["verb"], _subject_of(each), *place))
    print_rows(rows, "  ")
    if told["leftOut"]:
        print(f"left out: {told['leftOut']} requests")


def _subject_of(each: dict[str, Any]) -> str:
    if "path" in each:
        return str(each["path"])
    resource = f"{each['resource']}.{each['group']}" if each["group"] else str(each["resource"])
    return f"{resource}/{each['subresource']}" if "subresource" in each else resource
