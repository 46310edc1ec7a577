"""`quarterdeck`: the sub-commands, their exit codes, and errors in one line.

Heavy imports wait until it is clear that they are needed: `--help`, `version` and a wrong flag answer at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd import directories, options, snapshot, storage
from quarterdeck.cmd.assets import command as assets
from quarterdeck.cmd.bench import command as bench
from quarterdeck.cmd.failures import fail, say
from quarterdeck.server.config import Config, ConfigError

if TYPE_CHECKING:
    from quarterdeck.server.lifecycle import Build

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_ADDRESS: Final = 3
EXIT_DATA: Final = 4


def main(argv: Sequence[str] | None = None) -> int:
    try:
        arguments, ignored = options.parse(sys.argv[1:] if argv is None else argv)
    except ConfigError as error:
        return fail(EXIT_USAGE, str(error))
    if arguments.command == "version":
        _print_version()
        return EXIT_OK
    if hasattr(arguments, "local"):
        from quarterdeck.cmd.local import command as local

        return local.run(arguments)
    if arguments.command == "completion":
        from quarterdeck.cmd import completion

        print(completion.build(options.build_parser(), arguments.shell), end="")
        return EXIT_OK
    if arguments.command == "assets":
        return assets.run(arguments)
    if arguments.command == "bench":
        return bench.run(arguments)
    if arguments.command == "storage":
        return storage.run(arguments)
    if arguments.command == "snapshot":
        return snapshot.run(arguments)
    if arguments.command != "serve":
        from quarterdeck.cmd import testing_commands

        return testing_commands.run(arguments)
    with directories.choose_data_dir(arguments):
        return _serve(arguments, ignored)


def _serve(arguments: argparse.Namespace, ignored: Sequence[str]) -> int:
    try:
        config = options.build_config(arguments)
    except ConfigError as error:
        return fail(EXIT_USAGE, str(error))
    if ignored:
        say(f"ignored, they have no meaning here: {' '.join(ignored)}")
    from quarterdeck.server.apiserver import build

    return run(config, build)


def run(config: Config, build: Build) -> int:
    """Serve until a signal; the exit code."""
    import logging

    import uvloop

    from quarterdeck.server import lifecycle
    from quarterdeck.server.datadir import DataDirectoryError
    from quarterdeck.storage.interface import StorageError

    os.umask(0o077)  # the files hold keys and secrets
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="quarterdeck: %(levelname)s: %(message)s")
    try:
        uvloop.run(lifecycle.serve(config, build, _announce))
    except lifecycle.AddressError as error:
        return fail(EXIT_ADDRESS, str(error))
    except (DataDirectoryError, StorageError) as error:
        return fail(EXIT_DATA, str(error))
    except (lifecycle.StartError, ConfigError) as error:
        return fail(EXIT_FAILED, str(error))
    return EXIT_OK


def _announce(line: str) -> None:
    print(line, flush=True)


def _print_version() -> None:
    from importlib.metadata import version

    from quarterdeck.server.version import DEFAULT_VERSION

    print(f"quarterdeck {version('quarterdeck')} (Kubernetes {DEFAULT_VERSION.git_version})")
