"""All of kubectl's ways to change objects, against a real server: apply in both forms and from one to the other, diff,
edit, patch, scale, replace, label, annotate, delete with every policy, dry runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.kubectl import Kubectl
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, minimum: 0}
              color: {type: string, default: red}
              note: {type: string}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, size: {type: integer}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              phase: {type: string}
"""


def widget(name: str, **spec: Any) -> str:
    return json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec or {"replicas": 1}}
    )


def config_map(name: str, *, owner: Any = None, **members: Any) -> str:
    metadata: dict[str, Any] = {"name": name}
    if owner is not None:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"]}
        reference |= {"uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}
        metadata["ownerReferences"] = [reference]
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **members})


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with Server() as server:
        command = Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))
        command("apply", "-f", "-", stdin=WIDGETS)
        command.await_established("crd/widgets.example.com")
        yield command


def shown(kubectl: Kubectl, *what: str) -> Any:
    return json.loads(kubectl("get", *what, "-o", "json", "--show-managed-fields"))


def managers(kubectl: Kubectl, *what: str) -> list[tuple[str, str, str]]:
    entries = shown(kubectl, *what)["metadata"]["managedFields"]
    return sorted((entry["manager"], entry["operation"], entry.get("subresource", "")) for entry in entries)


# - apply


def test_apply_on_the_client_creates_changes_and_takes_away(kubectl: Kubectl) -> None:
    assert kubectl("apply", "-f", "-", stdin=widget("a", replicas=1, note="x")) == "widget.example.com/a created\n"
    assert kubectl("apply", "-f", "-", stdin=widget("a", replicas=1, note="x")) == "widget.example.com/a unchanged\n"
    assert kubectl("apply", "-f", "-", stdin=widget("a", replicas=2)) == "widget.example.com/a configured\n"
    assert shown(kubectl, "widget", "a")["spec"] == {"replicas": 2, "color": "red"}
    assert managers(kubectl, "widget", "a") == [("kubectl-client-side-apply", "Update", "")]
    last = kubectl("apply", "view-last-applied", "widget", "a", "-o", "json")
    assert json.loads(last)["spec"] == {"replicas": 2}


def test_apply_on_the_server_reports_conflicts_and_forces_through_them(kubectl: Kubectl) -> None:
    applied = ("apply", "--server-side", "-f", "-")
    parts = [{"name": "wheel", "size": 1}]
    assert "serverside-applied" in kubectl(*applied, stdin=widget("s", replicas=1, parts=parts))
    others = [{"name": "wheel", "size": 2}, {"name": "door"}]
    error = kubectl(
        *applied, "--field-manager=other", stdin=widget("s", replicas=3, color="blue", parts=others), code=1
    )
    assert error.startswith('error: Apply failed with 2 conflicts: conflicts with "kubectl":\n')
    assert '\n- .spec.parts[name="wheel"].size\n' in error
    assert "\n- .spec.replicas\n" in error
    assert "Please review the fields above--they currently have other managers." in error
    assert shown(kubectl, "widget", "s")["spec"]["replicas"] == 1
    # What two apply alike both own; what one does not name any more goes only when no one else owns it.
    kubectl(*applied, "--field-manager=other", stdin=widget("s", replicas=1, parts=[{"name": "door"}]))
    kubectl(*applied, "--field-manager=other", stdin=widget("s", parts=[{"name": "door", "size": 4}]))
    assert shown(kubectl, "widget", "s")["spec"]["replicas"] == 1
    kubectl(*applied, "--field-manager=other", "--force-conflicts", stdin=widget("s", replicas=3, parts=others))
    spec = shown(kubectl, "widget", "s")["spec"]
    assert spec == {"replicas": 3, "color": "red", "parts": [{"name": "wheel", "size": 2}, {"name": "door"}]}
    error = kubectl(*applied, stdin=widget("s", replicas=1, parts=parts), code=1)
    assert 'conflicts with "other"' in error
    # Giving up: the fields that nobody else owns go, and come back with their defaults.
    kubectl(*applied, stdin=widget("s", note="mine"))
    kubectl(*applied, "--field-manager=other", stdin=widget("s", color="blue"))
    assert shown(kubectl, "widget", "s")["spec"] == {"color": "blue", "note": "mine"}


def test_an_object_applied_on_the_client_is_taken_over_by_the_server(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=widget("m", replicas=1, note="x"))
    assert "serverside-applied" in kubectl("apply", "--server-side", "-f", "-", stdin=widget("m", replicas=2))
    obj = shown(kubectl, "widget", "m")
    assert obj["spec"] == {"replicas": 2, "color": "red"}  # the note was applied before and is no more
    assert ("kubectl", "Apply", "") in managers(kubectl, "widget", "m")
    assert ("kubectl-client-side-apply", "Update", "") not in managers(kubectl, "widget", "m")
    # And back: kubectl keeps its annotation while it applies on the server.
    kubectl("apply", "-f", "-", stdin=widget("m", replicas=5, note="y"))
    assert shown(kubectl, "widget", "m")["spec"] == {"replicas": 5, "color": "red", "note": "y"}
    kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=widget("m", replicas=6))
    assert shown(kubectl, "widget", "m")["spec"]["replicas"] == 6


def test_apply_prunes_what_is_no_more_in_the_set(kubectl: Kubectl, tmp_path: Path) -> None:
    for name in ("keep", "drop"):
        (tmp_path / f"{name}.json").write_text(
            config_map(name).replace('"metadata": {', '"metadata": {"labels": {"set": "p"}, ')
        )
    kubectl("apply", "-f", str(tmp_path))
    (tmp_path / "drop.json").unlink()
    pruned = kubectl("apply", "-f", str(tmp_path), "--prune", "-l", "set=p", "--prune-allowlist=core/v1/ConfigMap")
    assert "configmap/drop pruned" in pruned
    assert shown(kubectl, "cm", "keep")["metadata"]["name"] == "keep"


# - diff


def test_diff_shows_what_an_apply_would_change_and_changes_nothing(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=widget("d", replicas=1))
    assert kubectl.run("diff", "-f", "-", stdin=widget("d", replicas=1)).code == 0
    for server_side in ((), ("--server-side", "--force-conflicts")):
        done = kubectl.run("diff", *server_side, "-f", "-", stdin=widget("d", replicas=4))
        assert done.code == 1, done
        assert "-  replicas: 1\n+  replicas: 4\n" in done.out
    done = kubectl.run("diff", "-f", "-", stdin=widget("new", replicas=4))
    assert done.code == 1
    assert "+  replicas: 4\n" in done.out
    assert shown(kubectl, "widget", "d")["spec"]["replicas"] == 1
    assert "NotFound" in kubectl("get", "widget", "new", code=1)


# - edit, replace, patch, scale


def test_edit_opens_the_object_in_an_editor(kubectl: Kubectl, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/replicas: 1/replicas: $REPLICAS/" "$1"\n')
    editor.chmod(0o755)
    kubectl("create", "-f", "-", stdin=widget("e", replicas=1))
    done = kubectl.run("edit", "widget", "e", environment={"KUBE_EDITOR": str(editor), "REPLICAS": "7"})
    assert (done.code, done.out) == (0, "widget.example.com/e edited\n"), done
    assert shown(kubectl, "widget", "e")["spec"]["replicas"] == 7
    done = kubectl.run("edit", "widget", "e", environment={"KUBE_EDITOR": "true"})
    assert "no changes made" in done.err + done.out
    kubectl("create", "-f", "-", stdin=config_map("e", data={"replicas": "replicas: 1"}))
    done = kubectl.run("edit", "cm", "e", environment={"KUBE_EDITOR": str(editor), "REPLICAS": "9"})
    assert done.code == 0, done
    assert shown(kubectl, "cm", "e")["data"] == {"replicas": "replicas: 9"}


def test_edit_shows_why_an_object_is_invalid(kubectl: Kubectl, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/replicas: 1/replicas: -1/' \"$1\"\n")
    editor.chmod(0o755)
    kubectl("create", "-f", "-", stdin=widget("invalid", replicas=1))
    done = kubectl.run("edit", "widget", "invalid", environment={"KUBE_EDITOR": str(editor)})
    assert done.code == 1
    assert 'widgets.example.com "invalid" is invalid' in done.err
    # The editor is opened again on the object with the causes above it; the last text is kept.
    kept = Path(done.err.partition('stored to "')[2].partition('"')[0])
    assert "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0" in (
        kept.read_text().replace("\n# ", " ")
    )
    kept.unlink()
    assert shown(kubectl, "widget", "invalid")["spec"]["replicas"] == 1


def test_replace_needs_the_newest_resource_version(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=widget("r", replicas=1))
    obj = shown(kubectl, "widget", "r")
    obj["spec"] = {"replicas": 2}
    assert kubectl("replace", "-f", "-", stdin=json.dumps(obj)) == "widget.example.com/r replaced\n"
    error = kubectl("replace", "-f", "-", stdin=json.dumps(obj), code=1)
    assert "Conflict" in error and "the object has been modified" in error
    uid = obj["metadata"]["uid"]
    kubectl("replace", "--force", "-f", "-", stdin=widget("r", replicas=3))
    forced = shown(kubectl, "widget", "r")
    assert forced["spec"]["replicas"] == 3
    assert forced["metadata"]["uid"] != uid


def test_every_type_of_patch(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=widget("p", replicas=1, note="x"))
    kubectl("patch", "widget", "p", "--type=merge", "-p", '{"spec":{"note":null,"replicas":2}}')
    assert shown(kubectl, "widget", "p")["spec"] == {"replicas": 2, "color": "red"}
    operations = '[{"op":"test","path":"/spec/replicas","value":2},{"op":"add","path":"/spec/note","value":"y"}]'
    kubectl("patch", "widget", "p", "--type=json", "-p", operations)
    assert shown(kubectl, "widget", "p")["spec"]["note"] == "y"
    failing = operations.replace('"value":2', '"value":3')
    error = kubectl("patch", "widget", "p", "--type=json", "-p", failing, code=1)
    assert "the server rejected our request due to an error in our request" in error
    error = kubectl("patch", "widget", "p", "--type=strategic", "-p", '{"spec":{"replicas":3}}', code=1)
    assert "the body of the request was in an unknown format" in error
    assert "kubectl patch" not in error
    assert "no change" in kubectl("patch", "widget", "p", "--type=merge", "-p", '{"spec":{"note":"y"}}')
    kubectl(
        "patch", "widget", "p", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"on"},"spec":null}'
    )
    obj = shown(kubectl, "widget", "p")
    assert (obj["status"], obj["spec"]["note"]) == ({"phase": "on"}, "y")
    assert ("kubectl-patch", "Update", "status") in managers(kubectl, "widget", "p")
    kubectl("create", "-f", "-", stdin=config_map("p", data={"a": "1", "b": "2"}))
    kubectl("patch", "cm", "p", "-p", '{"data":{"a":"3","b":null}}')
    assert shown(kubectl, "cm", "p")["data"] == {"a": "3"}
    kubectl("patch", "cm", "p", "-p", '{"data":{"$patch":"replace","c":"4"}}')
    assert shown(kubectl, "cm", "p")["data"] == {"c": "4"}


def test_scale_writes_the_replicas(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=widget("scaled", replicas=1))
    assert kubectl("scale", "widget", "scaled", "--replicas=5") == "widget.example.com/scaled scaled\n"
    assert shown(kubectl, "widget", "scaled")["spec"]["replicas"] == 5
    error = kubectl("scale", "widget", "scaled", "--replicas=2", "--current-replicas=4", code=1)
    assert "Expected replicas to be 4, was 5" in error
    assert ("kubectl", "Update", "scale") in managers(kubectl, "widget", "scaled")
    assert kubectl("get", "widget", "scaled", "--subresource=scale", "-o", "jsonpath={.spec.replicas}") == "5"


def test_labels_and_annotations(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=widget("l"))
    assert kubectl("label", "widget", "l", "tier=one") == "widget.example.com/l labeled\n"
    assert "already has a value" in kubectl("label", "widget", "l", "tier=two", code=1)
    kubectl("label", "widget", "l", "tier=two", "--overwrite")
    kubectl("annotate", "widget", "l", "example.com/note=some text")
    metadata = shown(kubectl, "widget", "l")["metadata"]
    assert metadata["labels"] == {"tier": "two"}
    assert metadata["annotations"] == {"example.com/note": "some text"}
    kubectl("label", "widget", "l", "tier-")
    kubectl("annotate", "widget", "l", "example.com/note-")
    metadata = shown(kubectl, "widget", "l")["metadata"]
    assert "labels" not in metadata and "annotations" not in metadata


def test_dry_runs_on_the_server_check_and_store_nothing(kubectl: Kubectl) -> None:
    dry = ("--dry-run=server", "-f", "-")
    assert kubectl("create", *dry, stdin=widget("dry")) == "widget.example.com/dry created (server dry run)\n"
    assert "(server dry run)" in kubectl("apply", *dry, stdin=widget("dry"))
    assert "(server dry run)" in kubectl("apply", "--server-side", *dry, stdin=widget("dry"))
    error = kubectl("create", *dry, stdin=widget("dry", replicas=-1), code=1)
    assert "should be greater than or equal to 0" in error
    assert "NotFound" in kubectl("get", "widget", "dry", code=1)
    kubectl("create", "-f", "-", stdin=widget("dry"))
    before = shown(kubectl, "widget", "dry")
    kubectl("patch", "widget", "dry", "--type=merge", "-p", '{"spec":{"replicas":9}}', "--dry-run=server")
    kubectl("scale", "widget", "dry", "--replicas=9", "--dry-run=server")
    kubectl("label", "widget", "dry", "a=b", "--dry-run=server")
    kubectl("delete", "widget", "dry", "--dry-run=server")
    assert shown(kubectl, "widget", "dry") == before


# - delete


def test_delete_with_every_policy(kubectl: Kubectl) -> None:
    for policy in ("background", "foreground", "orphan"):
        kubectl("create", "-f", "-", stdin=config_map(policy))
        owner = shown(kubectl, "cm", policy)
        kubectl("create", "-f", "-", stdin=config_map(f"{policy}-dependent", owner=owner))
        waiting = kubectl.start("wait", "--for=delete", f"cm/{policy}", "--timeout=100s")
        kubectl("delete", "cm", policy, f"--cascade={policy}", "--timeout=100s")
        assert waiting.wait(timeout=PATIENCE_S) == 0
    assert "ownerReferences" not in shown(kubectl, "cm", "orphan-dependent")["metadata"]
    kubectl("wait", "--for=delete", "cm/background-dependent", "--timeout=100s")
    assert "NotFound" in kubectl("get", "cm", "foreground-dependent", code=1)


def test_a_finalizer_holds_an_object_until_it_is_taken(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=widget("held"))
    kubectl("patch", "widget", "held", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    kubectl("delete", "widget", "held", "--wait=false")
    assert "timed out waiting for the condition" in kubectl(
        "wait", "--for=delete", "widget/held", "--timeout=300ms", code=1
    )
    waiting = kubectl.start("wait", "--for=delete", "widget/held", "--timeout=100s")
    kubectl("patch", "widget", "held", "--type=json", "-p", '[{"op":"remove","path":"/metadata/finalizers"}]')
    assert waiting.wait(timeout=PATIENCE_S) == 0


def test_delete_by_selector_and_of_all(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "many")
    for name in ("one", "two", "three"):
        kubectl("create", "-n", "many", "-f", "-", stdin=widget(name))
    kubectl("label", "-n", "many", "widget", "one", "two", "go=yes")
    gone = kubectl("delete", "-n", "many", "widgets", "-l", "go=yes")
    assert gone.splitlines() == [
        'widget.example.com "one" deleted from many namespace',
        'widget.example.com "two" deleted from many namespace',
    ]
    kubectl("delete", "-n", "many", "widgets", "--all")
    assert shown(kubectl, "-n", "many", "widgets")["items"] == []
    kubectl("delete", "namespace", "many", "--timeout=100s")
