"""Helm 4, as its Go library comes in the package helm-python-sdk: a process for each command, as with helm itself.

python helm.py KUBECONFIG install|upgrade|uninstall|history|list|status|lint [ARGUMENTS as JSON]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

IS_INSTALLED = find_spec("helm_python") is not None


class HelmError(Exception):
    """The text is Helm's."""


class Helm:
    def __init__(self, kubeconfig: Path, home: Path) -> None:
        self._kubeconfig = kubeconfig
        self._home = home

    def __call__(self, command: str, *arguments: Any, **options: Any) -> Any:
        done = subprocess.run(
            [sys.executable, __file__, str(self._kubeconfig), command, json.dumps([arguments, options])],
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            env={**os.environ, "HOME": str(self._home)},
        )
        if done.returncode:
            raise HelmError(done.stderr)
        return json.loads(done.stdout)


def main() -> None:
    import helm_python

    kubeconfig, command, given = sys.argv[1:]
    arguments, options = json.loads(given)
    with helm_python.Config(kubeconfig_path=kubeconfig, namespace="default") as config:
        try:
            run = helm_python.lint if command == "lint" else getattr(config, command)
            print(json.dumps(run(*arguments, **options)))
        except helm_python.HelmError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
