"""Builds the container image without a daemon, and runs it as who trusts it with nothing would: by its own user, with a
root file system that cannot be written, without new privileges, and with one folder to write to.

Run by hand, as root (`make test-image`): the base is made of Debian's packages, and the server is compiled. No registry
of images is asked, and nothing stays behind.
"""

from __future__ import annotations

import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "packaging/container/Dockerfile"
IMAGE = "localhost/quarterdeck"
_READY_S, _STOP_S = 60.0, 30.0
_CERTIFICATES = "/etc/ssl/of-this-machine.crt"
# In a mount namespace: the root that cannot be written, the volume that can; then another root and another user.
_ENTER = """
mount --bind "$1" "$1" && mount --bind "$2" "$1$3" && mount -o remount,bind,ro "$1"
mount --bind /dev "$1/dev" && mount -t proc proc "$1/proc"
root=$1 user=$4; shift 4
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
"""


class Builder:
    """buildah, with all that it keeps in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._line = ["buildah", f"--root={folder}/images", f"--runroot={folder}/run"]
        self._environment = {**os.environ, "STORAGE_DRIVER": "vfs"}  # the others want more than a folder

    def __call__(self, *arguments: object) -> str:
        line = [*self._line, *map(str, arguments)]
        done = subprocess.run(line, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(line)}: exit code {done.returncode}")
        return done.stdout.strip()


def make_base(build: Builder, folder: Path) -> None:
    """What the Dockerfile calls its base, of Debian's packages."""
    base = re.search(r"^ARG DEBIAN=(\w+):(\w+)-slim$", FILE.read_text(), re.MULTILINE)
    assert base is not None
    name, suite = base.groups()
    archive = folder / "base.tar"
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", suite, archive], check=True)
    container = build("from", "scratch")
    build("add", "--quiet", container, archive, "/")
    if given := os.environ.get("PIP_CERT"):  # a registry is behind certificates that this machine alone knows
        build("copy", "--quiet", container, given, _CERTIFICATES)
        build("config", f"--env=PIP_CERT={_CERTIFICATES}", container)
    build("commit", "--quiet", "--rm", container, f"docker.io/library/{name}:{suite}-slim")


def build_image(build: Builder) -> dict[str, Any]:
    """How the image is to be run."""
    ignored = FILE.with_name("Dockerfile.dockerignore")
    options = ["--quiet", "--pull-never", "--isolation=chroot", "--format=docker", f"--ignorefile={ignored}"]
    build("bud", *options, f"--file={FILE}", f"--tag={IMAGE}", ".")
    config: dict[str, Any] = json.loads(build("inspect", "--type=image", IMAGE))["Docker"]["config"]
    return config


class Container:
    """`root` is the image's file system, `volume` the folder that it may write."""

    def __init__(self, root: Path, volume: Path, config: dict[str, Any]) -> None:
        self.config = config
        self._enter = ["unshare", "--mount", "sh", "-ec", _ENTER, "sh", str(root), str(volume)]
        self._enter += [next(iter(config["Volumes"])), config["User"]]
        self._environment = dict(each.split("=", 1) for each in config["Env"])

    def begin(self, *command: str) -> subprocess.Popen[str]:
        line = [*self._enter, *command]
        return subprocess.Popen(
            line, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, *command: str) -> tuple[int, str]:
        process = self.begin(*command)
        told, _ = process.communicate(timeout=_READY_S)
        return process.returncode, told


def wait_until(is_so: Callable[[], bool], timeout_s: float, what: str) -> None:
    end_s = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > end_s:
            sys.exit(f"{what} after {timeout_s:.0f} s")
        time.sleep(0.2)


def is_ready(url: str) -> bool:
    context = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=4, context=context) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def serving(container: Container) -> Iterator[subprocess.Popen[str]]:
    """The image's own command; at the end it is stopped as a runtime stops it."""
    process = container.begin(*container.config["Entrypoint"], *container.config["Cmd"])
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"it has not ended within {_STOP_S:.0f} s")


def check(container: Container) -> None:
    config = container.config
    code, told = container.run("sh", "-c", "id -u; touch /opt/quarterdeck/x 2>&1; grep NoNewPrivs /proc/self/status")
    assert code == 0, told
    assert told.split()[0] == config["User"].partition(":")[0], told
    assert "Read-only file system" in told, told
    assert told.split()[-1] == "1", told
    code, told = container.run(*config["Entrypoint"], "version")
    assert code == 0, told
    (port,) = [each.partition("/")[0] for each in config["ExposedPorts"]]
    with serving(container) as process:
        wait_until(lambda: process.poll() is not None or is_ready(f"https://127.0.0.1:{port}"), _READY_S, "not ready")
        assert process.poll() is None, process.communicate()[0]
        healthy = container.run(*config["Healthcheck"]["Test"][1:])
        assert healthy == (0, ""), healthy
        volume = next(iter(config["Volumes"]))
        imported = "from quarterdeck.endpoints import application as found; print(found.__file__)"
        ask = f"test -s {volume}/admin.kubeconfig && exec /opt/quarterdeck/bin/python -c '{imported}'"
        code, told = container.run("sh", "-c", ask)
        assert code == 0, told
        assert told.strip().endswith(".so"), f"not compiled: {told}"
    assert process.returncode == 0, process.returncode
    print("the image is built, ready, healthy and stops, by its own user with a root that cannot be written")


def main() -> None:
    if os.geteuid():
        sys.exit("only root can make the root file system of an image")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = Builder(folder)
        make_base(build, folder)
        config = build_image(build)
        made = build("from", "--pull-never", IMAGE)
        root = Path(build("mount", made))
        volume = folder / "volume"
        volume.mkdir(mode=0o700)
        user, _, group = config["User"].partition(":")
        os.chown(volume, int(user), int(group))
        try:
            check(Container(root, volume, config))
        finally:
            build("umount", made)


if __name__ == "__main__":
    main()
