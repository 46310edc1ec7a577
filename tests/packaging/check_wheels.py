"""Installs each wheel of dist/ as on a bare machine: an environment of its own, no compiler on the path, dependencies
from PyPI as wheels. A server then comes up, is compiled, answers, and goes down.

Run by hand (`make test-dist`): building the wheels takes many minutes for each interpreter.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ASK = """
import json, ssl, subprocess, urllib.request
from importlib.metadata import version
from quarterdeck.endpoints import application
from quarterdeck._kernels import watch
assert application.__file__.endswith(".so") and watch.__file__.endswith(".so")
found = json.loads(subprocess.check_output(["quarterdeck", "list", "-o", "json"]))
(server,) = [each["server"] for each in found]
context = ssl._create_unverified_context()
told = json.load(urllib.request.urlopen(server + "/version", timeout=30, context=context))
print(version("quarterdeck"), told["gitVersion"])
"""


def find_python(version: str) -> str | None:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for each in (f"python{version}", *map(str, root.glob(f"versions/{version}.*/bin/python"))):
        code = "import sys; print('{}.{}'.format(*sys.version_info))"
        done = None
        if shutil.which(each) is not None:
            done = subprocess.run([each, "-c", code], capture_output=True, text=True, check=False)
        if done is not None and done.stdout.strip() == version:
            return each
    return None


def check(wheel: Path, python: str, folder: Path) -> None:
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    own = folder / "venv/bin"
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PYTHON", "KUBECONFIG"))
    }
    environment |= {"PATH": str(own), "HOME": str(folder), "QUARTERDECK_INTERPRETED": ""}
    assert shutil.which("cc", path=environment["PATH"]) is None

    def run(*command: str) -> str:
        line = [str(own / command[0]), *command[1:]]
        done = subprocess.run(
            line, env=environment, cwd=folder, capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    run("python", "-m", "pip", "--quiet", "install", "--only-binary=:all:", str(wheel))
    run("quarterdeck", "up")
    try:
        print(f"{wheel.name}: {run('python', '-c', _ASK)}", flush=True)
    finally:
        run("quarterdeck", "down")


def main() -> None:
    wheels = sorted((ROOT / "dist").glob("*.whl"))
    if not wheels:
        sys.exit("there is no wheel in dist/: make dist")
    for wheel in wheels:
        tag = re.search(r"-cp3(\d+)-", wheel.name)
        assert tag is not None, wheel.name
        python = find_python(f"3.{tag[1]}")
        if python is None:
            sys.exit(f"{wheel.name}: there is no Python 3.{tag[1]} to install it with")
        with tempfile.TemporaryDirectory() as folder:
            check(wheel, python, Path(folder))


if __name__ == "__main__":
    main()
