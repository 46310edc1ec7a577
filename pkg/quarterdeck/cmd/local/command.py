"""`quarterdeck up`, `down`, `list`, `kubeconfig`, `logs`, and kind's words for them."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.argument_types import parse_duration
from quarterdeck.cmd.asking import print_rows
from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.parsers import add_kubeconfig

_NAME: Final = "quarterdeck"
_CODES: Final = "Exit codes: 0 done, 1 failed or no such cluster, 2 wrong usage, 3 its port cannot be had, 4 its data"
_CODES_END: Final = f"{_CODES} cannot be used."
_WAIT_S: Final = 60.0
_GAP: Final = "   "  # between columns, as kubectl has it

Commands = Any  # argparse's, which has no public name


def add_parsers(commands: Commands) -> None:
    _add_up(_add(commands, "up", "start a named server, and wait until it is ready"))
    _add_down(_add(commands, "down", "end a named server and remove its data"))
    _add_list(_add(commands, "list", "the named servers"))
    _add_kubeconfig(_add(commands, "kubeconfig", "print the kubeconfig of a named server"))
    _add_logs(_add(commands, "logs", "print what a named server has said"))
    create = _group(commands, "create", "kind's word: create cluster")
    _add_up(_add(create, "cluster", "the same as up"))
    delete = _group(commands, "delete", "kind's word: delete cluster")
    _add_down(_add(delete, "cluster", "the same as down"))
    get = _group(commands, "get", "kind's words: get clusters, get kubeconfig")
    _add_list(_add(get, "clusters", "the same as list"))
    _add_kubeconfig(_add(get, "kubeconfig", "the same as kubeconfig"))
    export = _group(commands, "export", "kind's words: export kubeconfig, export logs")
    _add_export(_add(export, "kubeconfig", "merge the context of a named server into a kubeconfig"))
    _add_export_logs(_add(export, "logs", "copy what a named server has said into a directory"))


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.local.clusters import ClusterError

    try:
        arguments.local(arguments)
    except ClusterError as error:
        return fail(error.code, str(error))
    except OSError as error:
        return fail(1, f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
    return 0


def _add(commands: Commands, word: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(word, help=text, epilog=_CODES_END, allow_abbrev=False)
    return parser


def _group(commands: Commands, word: str, text: str) -> Commands:
    parser = commands.add_parser(word, help=text, allow_abbrev=False)
    return parser.add_subparsers(dest="what", metavar="WHAT", required=True)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help=f"(default {_NAME})")
    parser.add_argument("--name", "-n", dest="name_flag", default="", metavar="NAME", help="the same, as kind has it")


def _add_up(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    add = parser.add_argument
    add(
        "--kubeconfig", type=Path, metavar="FILE", help="merge its context into this file (default: no file is touched)"
    )
    add("--wait", type=parse_duration, default=_WAIT_S, metavar="DURATION", help="for it to be ready (default 1m)")
    add(
        "--flag", action="append", default=[], metavar="--NAME=VALUE", help="of `quarterdeck serve`; may be given again"
    )
    parser.set_defaults(local=_up)


def _add_down(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    add = parser.add_argument
    add("--keep-data", action="store_true", help="end the process alone; the next up goes on with its data")
    add("--kubeconfig", type=Path, metavar="FILE", help="take its context out of this file")
    parser.set_defaults(local=_down)


def _add_list(parser: argparse.ArgumentParser) -> None:
    choices = ("text", "name", "json", "yaml")
    parser.add_argument("--output", "-o", choices=choices, default="text", help="(default %(default)s)")
    parser.set_defaults(local=_list)


def _add_kubeconfig(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    parser.set_defaults(local=_print_kubeconfig)


def _add_export(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    add_kubeconfig(parser)
    parser.set_defaults(local=_export_kubeconfig)


def _add_logs(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    parser.set_defaults(local=_print_logs)


def _add_export_logs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="made if missing")
    parser.add_argument("--name", "-n", dest="name", default=_NAME, metavar="NAME", help="(default %(default)s)")
    parser.set_defaults(local=_export_logs, name_flag="")


def _cluster(arguments: argparse.Namespace, *, must_exist: bool = True) -> Any:
    from quarterdeck.cmd.local.clusters import Cluster, ClusterError

    cluster = Cluster(arguments.name_flag or arguments.name or _NAME)
    if must_exist and not cluster.exists:
        raise ClusterError(f"there is no cluster {cluster.name}")
    return cluster


def _up(arguments: argparse.Namespace) -> None:
    from quarterdeck.cmd.local import contexts

    cluster = _cluster(arguments, must_exist=False)
    was_started = cluster.up(arguments.flag, arguments.wait)
    print(f"cluster {cluster.name} is ready" if was_started else f"cluster {cluster.name} runs already")
    if arguments.kubeconfig is not None:
        contexts.merge(cluster, arguments.kubeconfig)
        print(f"kubectl cluster-info --context quarterdeck-{cluster.name}")
    else:
        print(f"export KUBECONFIG={cluster.kubeconfig}")
    if (page := cluster.page) is not None:
        print(f"live page: {page.read_text().strip() if sys.stdout.isatty() else page}")


def _down(arguments: argparse.Namespace) -> None:
    """What is not there is down already, as with kind."""
    from quarterdeck.cmd.local import contexts

    cluster = _cluster(arguments, must_exist=False)
    if arguments.kubeconfig is not None:
        contexts.remove(cluster, arguments.kubeconfig)
    cluster.down(keeps_data=arguments.keep_data)
    print(f"cluster {cluster.name} is down")


def _list(arguments: argparse.Namespace) -> None:
    from quarterdeck.cmd.local.clusters import find_all

    found = [cluster.describe() for cluster in find_all()]
    if arguments.output == "json":
        print(json.dumps(found, indent=2))
    elif arguments.output == "yaml":
        import yaml

        sys.stdout.write(yaml.safe_dump(found, sort_keys=False))
    elif arguments.output == "name":
        print_rows(([each["name"]] for each in found), _GAP)
    else:
        rows = ([each["name"], each["status"], each["server"]] for each in found)
        print_rows([["NAME", "STATUS", "SERVER"], *rows], _GAP)


def _print_kubeconfig(arguments: argparse.Namespace) -> None:
    from quarterdeck.cmd.local import contexts

    sys.stdout.write(contexts.build(_cluster(arguments)))


def _export_kubeconfig(arguments: argparse.Namespace) -> None:
    from quarterdeck.cmd.kubeconfig import default_path
    from quarterdeck.cmd.local import contexts

    cluster = _cluster(arguments)
    contexts.merge(cluster, arguments.kubeconfig or default_path())
    print(f"kubectl cluster-info --context quarterdeck-{cluster.name}")


def _print_logs(arguments: argparse.Namespace) -> None:
    with _cluster(arguments).log.open("r", errors="replace") as log:
        shutil.copyfileobj(log, sys.stdout)


def _export_logs(arguments: argparse.Namespace) -> None:
    cluster = _cluster(arguments)
    arguments.directory.mkdir(parents=True, exist_ok=True)
    target = arguments.directory / f"{cluster.name}.log"
    shutil.copyfile(cluster.log, target)
    print(target)
