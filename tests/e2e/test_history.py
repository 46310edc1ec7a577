"""What an object was, and what changed: the commands against a running server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from quarterdeck.testing import ControlPlane
from support import definitions
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

GROUP = "history.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE = "application/merge-patch+json"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane() as running:
        running.apply(definitions.of_things(GROUP))
        yield running


def run(plane: ControlPlane, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "quarterdeck", *arguments, "--kubeconfig", str(plane.kubeconfig)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
    return done.returncode, done.stdout, done.stderr


def write(plane: ControlPlane, name: str) -> list[str]:
    """Created, changed, its status written, deleted: the revision of each."""
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"a": [1], "b": "x"}}
    made = [plane.call("POST", f"{THINGS}?fieldManager=maker", thing)]
    change: dict[str, Any] = {"spec": {"a": [2], "b": None, "c": True}}
    made.append(plane.call("PATCH", f"{THINGS}/{name}?fieldManager=changer", change, content_type=MERGE))
    made.append(plane.call("PATCH", f"{THINGS}/{name}?fieldManager=other", {"spec": {"c": False}}, content_type=MERGE))
    assert [status for status, _ in made] == [201, 200, 200], made
    return [answer["metadata"]["resourceVersion"] for _, answer in made]


def test_the_history_of_an_object(plane: ControlPlane) -> None:
    revisions = write(plane, "one")
    code, text, _ = run(plane, "history", "thing", "one", "-o", "json")
    assert code == 0
    told = json.loads(text)
    assert [each["resourceVersion"] for each in told] == revisions[::-1]
    for each, manager in zip(told, ("other", "changer", "maker"), strict=True):  # and who loses a field to them
        assert f"{manager} (Update)" in each["managers"]
    changes = {each["field"]: each["change"] for each in told[1]["changes"]}
    assert changes["spec.a[0]"] == "1 → 2"
    assert changes["spec.b"] == '"x" → removed'
    assert changes["spec.c"] == "added true"
    assert told[2]["changes"] == [{"field": "", "change": "created"}]
    code, text, _ = run(plane, "history", f"things.{GROUP}", "one")
    assert text.splitlines()[-1] == "    created"
    assert len(json.loads(run(plane, "history", "things", "one", "--limit", "1", "-o", "json")[1])) == 1


def test_an_object_that_is_gone(plane: ControlPlane) -> None:
    revisions = write(plane, "gone")
    plane.call("DELETE", f"{THINGS}/gone")
    code, _, told = run(plane, "history", "things", "gone")
    assert code == 1
    assert "not found" in told
    code, text, _ = run(plane, "history", "things", "gone", "--revision", revisions[1], "-o", "json")
    assert [each["resourceVersion"] for each in json.loads(text)] == revisions[1::-1]
    code, _, told = run(plane, "history", "nothing", "one")
    assert (code, told) == (1, "quarterdeck: error: the server has no resource 'nothing'\n")


def test_what_changed_between_two_revisions(plane: ControlPlane) -> None:
    before = str(plane.revision())
    revisions = write(plane, "two")
    code, text, _ = run(plane, "diff", before, revisions[-1], "things")
    assert (code, text) == (1, f"things.{GROUP} default/two\n    created\n")
    code, text, _ = run(plane, "diff", revisions[1], revisions[2], "things", "-o", "json")
    found = json.loads(text)
    assert [(each["namespace"], each["name"]) for each in found] == [("default", "two")]
    assert ["spec.c", "true → false"] in found[0]["changes"]
    assert run(plane, "diff", revisions[2], before, "things")[1].endswith("    deleted\n")
    assert run(plane, "diff", before, before) == (0, "", "")
    code, _, told = run(plane, "diff", "1000000", before, "things")
    assert code == 1
    assert "resource version" in told
