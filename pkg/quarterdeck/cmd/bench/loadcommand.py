"""The command lines of `quarterdeck bench get, list, create, …`: their flags, the progress, what is printed."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.cmd.bench import flags

if TYPE_CHECKING:
    from quarterdeck.cmd.bench.load import Load
    from quarterdeck.cmd.bench.payload import Payload


# A connection may have 250, here and upstream.
_STREAMS: Final = 100


def add_flags(parser: argparse.ArgumentParser) -> None:
    flags.add_target(parser)
    add = parser.add_argument
    flags.add_count(parser, "--connections", 16, "requests under way at a time, each on one of its own with HTTP/1.1")
    flags.add_http2(parser, "of these requests", _STREAMS)
    add(
        "--processes",
        type=flags.positive,
        metavar="N",
        help="of the load (default: a core each, no more than connections)",
    )
    add("--duration", type=float, default=10.0, metavar="S", help=flags.SHOWN_DEFAULT)
    add("--requests", type=flags.positive, default=0, metavar="N", help="end after so many operations instead")
    add("--rate", type=float, default=0.0, metavar="N", help="operations a second (default: as fast as answers come)")
    add("--ramp", type=float, default=0.0, metavar="S", help="connections begin one after another within it")
    flags.add_count(parser, "--objects", 1000, "that are there before")
    flags.add_count(parser, "--page", 500, "limit of lists")
    payload = parser.add_mutually_exclusive_group()
    flags.add_count(payload, "--object-bytes", 400, "padding of an object")
    payload.add_argument("--template", type=Path, metavar="FILE", help="an object, YAML or JSON; wants --resource")
    payload.add_argument("--crd", type=Path, metavar="FILE", help="a definition: objects are made up by its schema")
    add("--resource", default="", metavar="PLURAL", help="what the server calls the template's objects: configmaps")
    flags.add_figures(parser)


def build(arguments: argparse.Namespace) -> tuple[Load, Payload]:
    """Raises FlagsError, PayloadError."""
    from quarterdeck.cmd.bench import payload
    from quarterdeck.cmd.bench.load import Load

    if bool(arguments.template) != bool(arguments.resource):
        raise payload.PayloadError("--template and --resource are given together")
    if arguments.template:
        chosen = payload.of_template(arguments.template, arguments.resource)
    elif arguments.crd:
        chosen = payload.of_definition(arguments.crd)
    else:
        chosen = payload.of_padding(arguments.object_bytes)
    streams = flags.choose_streams(arguments, _STREAMS)
    load = Load(
        scenario=arguments.scenario,
        connections=arguments.connections,
        processes=arguments.processes or os.cpu_count() or 1,
        duration_s=arguments.duration,
        requests=arguments.requests,
        rate=arguments.rate,
        ramp_s=arguments.ramp,
        objects=arguments.objects,
        page=arguments.page,
        namespace=arguments.namespace,
        streams=streams,
    )
    return dataclasses.replace(load, processes=min(load.processes, load.tcp_connections)), chosen


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.bench import loadreport
    from quarterdeck.cmd.bench.loadrun import LoadRun
    from quarterdeck.cmd.bench.payload import PayloadError
    from quarterdeck.cmd.bench.watchreader import WatchersError
    from quarterdeck.cmd.client import RequestError
    from quarterdeck.cmd.kubeconfig import KubeconfigError, default_path
    from quarterdeck.cmd.kubeconfig import load as read_kubeconfig

    try:
        load, payload = build(arguments)
        target = read_kubeconfig(arguments.kubeconfig or default_path(), arguments.context)
        outcome = LoadRun(target, payload, load, arguments.server_pid).run(_tell)
    except (flags.FlagsError, PayloadError, KubeconfigError, RequestError, WatchersError, OSError) as error:
        print(f"quarterdeck: error: {error}", file=sys.stderr)
        return 1
    if sys.stderr.isatty():
        print(file=sys.stderr)
    summary: dict[str, Any] = loadreport.summarize(load, outcome)
    if arguments.output == "json":
        print(json.dumps(summary, indent=1))
    else:
        print("\n".join(loadreport.describe(target.url, summary)))
    return 1 if outcome.measured.failures else 0


def run_compare(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.bench import loadreport

    try:
        print("\n".join(loadreport.compare(arguments.before, arguments.after)))
    except ValueError as error:
        print(f"quarterdeck: error: {error}", file=sys.stderr)
        return 1
    return 0


def _tell(elapsed_s: float, requests: int, failures: int) -> None:
    """The progress, where somebody looks."""
    if sys.stderr.isatty():
        per_s = requests / elapsed_s if elapsed_s else 0.0
        text = f"\r{elapsed_s:6.1f} s  {requests} requests, {per_s:,.0f} a second, {failures} failed"
        print(text, end="", file=sys.stderr, flush=True)
