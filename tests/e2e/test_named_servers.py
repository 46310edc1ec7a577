"""`quarterdeck up` and its kin, as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.e2e

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    cleared = {name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "KUBECONFIG"))}
    environment = cleared | {"HOME": str(tmp_path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "quarterdeck", *words]
        return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=90, check=False)

    yield run
    for name in run("list", "-o", "name").stdout.split():
        assert run("down", name).returncode == 0


def must(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_server_comes_up_once_and_goes_down_with_its_data(command: Command, tmp_path: Path) -> None:
    assert "is ready" in must(command("up", "boats"))
    assert "runs already" in must(command("up", "boats"))
    found = json.loads(must(command("list", "-o", "json")))
    assert [(each["name"], each["status"]) for each in found] == [("boats", "Running")]
    assert yaml.safe_load(must(command("list", "-o", "yaml"))) == found
    assert must(command("list", "-o", "name")) == "boats\n"
    assert must(command("list")).split()[:3] == ["NAME", "STATUS", "SERVER"]
    config = yaml.safe_load(must(command("kubeconfig", "boats")))
    assert config["current-context"] == "quarterdeck-boats"
    assert config["clusters"][0]["cluster"]["server"] == found[0]["server"]
    assert "is ready" in must(command("logs", "boats"))
    assert not (tmp_path / ".kube").exists()
    must(command("down", "boats"))
    assert must(command("list", "-o", "name")) == ""
    assert not Path(found[0]["dataDir"]).exists()


def test_kept_data_and_the_port_are_found_again(command: Command) -> None:
    must(command("up"))
    before = must(command("kubeconfig"))
    must(command("down", "--keep-data"))
    assert json.loads(must(command("list", "-o", "json")))[0]["status"] == "Stopped"
    must(command("up"))
    assert must(command("kubeconfig")) == before


def test_kinds_words_do_the_same(command: Command, tmp_path: Path) -> None:
    must(command("create", "cluster", "--name", "kinds"))
    assert must(command("get", "clusters", "-o", "name")) == "kinds\n"
    assert must(command("get", "kubeconfig", "--name", "kinds")) == must(command("kubeconfig", "kinds"))
    must(command("export", "kubeconfig", "--name", "kinds"))
    assert yaml.safe_load((tmp_path / ".kube/config").read_text())["current-context"] == "quarterdeck-kinds"
    target = Path(must(command("export", "logs", str(tmp_path / "logs"), "--name", "kinds")).strip())
    assert "is ready" in target.read_text()
    must(command("delete", "cluster", "--name", "kinds"))
    must(command("delete", "cluster", "--name", "kinds"))


def test_a_context_is_merged_and_taken_out_and_the_others_stay(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    other = {"name": "other", "context": {"cluster": "other", "user": "other"}}
    path.write_text(yaml.safe_dump({"contexts": [other], "current-context": "other", "preferences": {}}))
    for _ in range(2):
        must(command("up", "--kubeconfig", str(path)))
    merged = yaml.safe_load(path.read_text())
    assert [each["name"] for each in merged["contexts"]] == ["other", "quarterdeck-quarterdeck"]
    assert merged["current-context"] == "quarterdeck-quarterdeck"
    assert path.stat().st_mode & 0o777 == 0o600
    must(command("down", "--kubeconfig", str(path)))
    left = yaml.safe_load(path.read_text())
    assert left["contexts"] == [other]
    assert left["current-context"] == ""


def test_two_that_come_up_at_once_are_one(command: Command, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "quarterdeck", "up"]
    environment = os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": "", "XDG_STATE_HOME": ""}
    both = [subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True) for _ in "12"]
    told = sorted(each.communicate(timeout=90)[0].splitlines()[0] for each in both)
    assert told == ["cluster quarterdeck is ready", "cluster quarterdeck runs already"]


def test_failures_have_their_exit_codes(command: Command) -> None:
    for words, code, text in (
        (("kubeconfig", "none"), 1, "there is no cluster none"),
        (("logs", "none"), 1, "there is no cluster none"),
        (("up", "No_Name"), 2, "is no name"),
        (("list", "-o", "wide"), 2, "invalid choice"),
        (("up", "bad", "--flag=--service-account-max-token-expiration=1s"), 2, "did not start"),
    ):
        done = command(*words)
        assert (done.returncode, text in done.stderr) == (code, True), (words, done)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_commands_and_flags(command: Command, shell: str) -> None:
    text = must(command("completion", shell))
    assert "kubeconfig" in text
    assert "secure-port" in text


def test_bash_completes(command: Command) -> None:
    script = must(command("completion", "bash"))
    asked = 'COMP_WORDS=(quarterdeck get clu); COMP_CWORD=2; _quarterdeck; echo "${COMPREPLY[@]}"'
    assert (
        subprocess.run(["bash", "-c", script + asked], capture_output=True, text=True, check=True).stdout
        == "clusters\n"
    )
    asked = 'COMP_WORDS=(quarterdeck serve --secure-p); COMP_CWORD=2; _quarterdeck; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script + asked], capture_output=True, text=True, check=True)
    assert done.stdout == "--secure-port\n"
