"""`quarterdeck history` and `quarterdeck diff`: what an object was, and what changed between two revisions."""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from quarterdeck.cmd.asking import ask
from quarterdeck.cmd.parsers import add_server

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    history = commands.add_parser(
        "history",
        help="show what an object was: who wrote what, and when",
        description="Show the states of an object that a running server remembers, the newest first: who wrote it, and"
        " which fields changed.",
        epilog="Exit codes: 0 shown, 1 failed, 2 wrong usage.",
        allow_abbrev=False,
    )
    history.add_argument("resource", metavar="RESOURCE", help="as kubectl takes it: boats, boat, boats.example.com")
    history.add_argument("name", metavar="NAME")
    history.add_argument("-n", "--namespace", default="default", metavar="NAMESPACE", help="(default %(default)s)")
    history.add_argument("--limit", type=int, default=20, metavar="N", help="states at most (default %(default)s)")
    history.add_argument("--revision", type=int, default=0, metavar="N", help="begin there, as of a deleted object")
    diff = commands.add_parser(
        "diff",
        help="show what changed between two revisions",
        description="Show which objects were created, deleted and changed between two revisions of a running server.",
        epilog="Exit codes: 0 nothing changed, 1 something did, or it failed, 2 wrong usage.",
        allow_abbrev=False,
    )
    diff.add_argument("old", type=int, metavar="REV1")
    diff.add_argument("new", type=int, metavar="REV2")
    diff.add_argument("resources", nargs="*", metavar="RESOURCE", help="(default: all)")
    for each in (history, diff):
        add_server(each)
        each.add_argument("-o", "--output", choices=("text", "json"), default="text", help="(default %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    return ask(arguments, _show_history if arguments.command == "history" else _diff)


def _show_history(arguments: argparse.Namespace, client: Client) -> int:
    from quarterdeck.cmd.history import changes, past

    resource = past.find_resources(client, arguments.resource)[0]
    history = past.History(client, resource.path(arguments.namespace, arguments.name))
    states: list[dict[str, Any] | None] = []
    for state in history.walk(arguments.revision):
        states.append(state)
        if len(states) > arguments.limit:
            break
    else:
        states.append(None)  # what was before is not there, or not known
    told = []
    for new, old in pairwise(states):
        assert new is not None
        is_known = old is not None or history.is_whole
        found = changes.compare(old, new) if is_known else []
        told.append(
            {
                "resourceVersion": new["metadata"]["resourceVersion"],
                "time": changes.time_of(new),
                "managers": changes.find_managers(old, new) if is_known else [],
                "changes": [{"field": place, "change": how} for place, how in found],
            }
        )
    if arguments.output == "json":
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    for each in told:
        print(f"{each['resourceVersion']}  {each['time']}  {', '.join(each['managers'])}".rstrip())
        for change in each["changes"]:
            print(f"    {change['field']}{': ' if change['field'] else ''}{change['change']}")
    if states[-1] is None and not history.is_whole:
        print("older states are forgotten")
    return 0


def _diff(arguments: argparse.Namespace, client: Client) -> int:
    from quarterdeck.cmd.history import changes, past

    wanted = arguments.resources or [""]
    found: list[dict[str, Any]] = []
    for resource in [each for name in wanted for each in past.find_resources(client, name)]:
        old, new = (past.list_at(client, resource, each) for each in (arguments.old, arguments.new))
        for key in sorted(old.keys() | new.keys()):
            if (told := changes.compare(old.get(key), new.get(key))) != []:
                shown = f"{resource.name}.{resource.group}" if resource.group else resource.name
                found.append({"resource": shown, "namespace": key[0], "name": key[1], "changes": told})
    if arguments.output == "json":
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        for each in found:
            print(f"{each['resource']} {'/'.join(part for part in (each['namespace'], each['name']) if part)}")
            for place, how in each["changes"]:
                print(f"    {place}{': ' if place else ''}{how}")
    return 1 if found else 0
