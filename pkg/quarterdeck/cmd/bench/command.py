"""The command line of `quarterdeck bench`: its flags, what is printed, its exit code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd.bench import flags, loadcommand, loads

if TYPE_CHECKING:
    from quarterdeck.cmd.bench import scenario

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
# Of watches: a connection may have 250, here and upstream.
_STREAMS: Final = 200


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bench = commands.add_parser(
        "bench",
        help="measure this or another API server",
        description="Measure a server that a kubeconfig names: this one, kube-apiserver or any other.",
        allow_abbrev=False,
    )
    scenarios = bench.add_subparsers(dest="scenario", metavar="SCENARIO", required=True)
    watch = scenarios.add_parser(
        "watch",
        help="one write to many watchers",
        description="Open many watches of one collection and write to it. With one writer each write waits until the "
        "last watcher has seen the one before; several create side by side. The run makes a definition and objects, "
        "and removes them. CPU of the server is told where it runs on this machine.",
        allow_abbrev=False,
    )
    flags.add_target(watch)
    flags.add_count(watch, "--watchers", 1000)
    flags.add_http2(watch, "watches", _STREAMS)
    flags.add_count(watch, "--events", 50, "writes of each writer")
    flags.add_count(watch, "--writers", 1)
    flags.add_count(watch, "--object-bytes", 400, "padding of an object")
    add = watch.add_argument
    add("--selector", default="", metavar="SELECTOR", help="label selector of the watches; objects have app=bench")
    add("--timeout", type=float, default=120.0, metavar="S", help="for one step (default %(default)s)")
    flags.add_figures(watch)
    for name, text in loads.SCENARIOS.items():
        load = scenarios.add_parser(
            name,
            help=text.replace("%", "%%"),
            description=f"Keep connections busy: {text.replace('%', '%%')}. What is needed for that is made before and "
            "removed after the run. The server's CPU and memory are told where it runs on this machine.",
            allow_abbrev=False,
        )
        loadcommand.add_flags(load)
    compare = scenarios.add_parser("compare", help="two runs side by side", allow_abbrev=False)
    compare.add_argument("before", type=Path, metavar="A", help="what --output json printed")
    compare.add_argument("after", type=Path, metavar="B")


def run(arguments: argparse.Namespace) -> int:
    if arguments.scenario == "compare":
        return loadcommand.run_compare(arguments)
    return loadcommand.run(arguments) if arguments.scenario != "watch" else _run_watch(arguments)


def _run_watch(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.bench import scenario
    from quarterdeck.cmd.bench.watchreader import WatchersError
    from quarterdeck.cmd.client import RequestError
    from quarterdeck.cmd.kubeconfig import KubeconfigError, default_path, load

    try:
        streams = flags.choose_streams(arguments, _STREAMS)
    except flags.FlagsError as error:
        print(f"quarterdeck: error: {error}", file=sys.stderr)
        return EXIT_FAILED
    options = scenario.Options(
        watchers=arguments.watchers,
        events=arguments.events,
        writers=arguments.writers,
        namespace=arguments.namespace,
        object_bytes=arguments.object_bytes,
        selector=arguments.selector,
        timeout_s=arguments.timeout,
        server_pids=arguments.server_pid,
        streams=streams,
    )
    try:
        target = load(arguments.kubeconfig or default_path(), arguments.context)
        result = scenario.Scenario(target, options).run()
    except (KubeconfigError, RequestError, WatchersError, OSError) as error:
        print(f"quarterdeck: error: {error}", file=sys.stderr)
        return EXIT_FAILED
    if arguments.output == "json":
        print(scenario.to_json(scenario.summarize(options, result)))
    else:
        print("\n".join(describe(target.url, options, result)))
    return EXIT_OK


def describe(url: str, options: scenario.Options, result: scenario.Result) -> list[str]:
    """The figures for a person, a line each."""
    from quarterdeck.cmd.bench.scenario import quantile

    per_s = result.deliveries / result.elapsed_s
    shared = f", {options.streams} on a connection of HTTP/2" if options.streams else ""
    lines = [
        f"server      {url} ({result.version})",
        f"watchers    {options.watchers} opened in {result.open_s:.2f} s{shared}",
        f"deliveries  {result.deliveries} at {per_s:,.0f} a second",
    ]
    if options.writers == 1:
        for text, values in (
            ("from answer of a write to the last watcher", result.lags_s),
            ("from sending a write to the last watcher", result.spans_s),
            ("from answer of a write to its arrival at the last watcher, none reading", result.arrivals_s),
        ):
            if values:
                p50, p99 = quantile(values, 0.5) * 1e3, quantile(values, 0.99) * 1e3
                lines.append(f"{text}: p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    if result.cpu_s is not None:
        lines.append(f"server CPU  {result.cpu_s / result.deliveries * 1e6:.2f} us a delivery")
    if result.open_cpu_s is not None:
        lines[-1] += f", {result.open_cpu_s / options.watchers * 1e6:.0f} us to open a watch"
    return lines
