"""Rules of well-known projects: all compile, and real objects of them are judged as kube-apiserver judged them."""

import copy
import gzip
import json

import pytest

from support import cel_recordings, data

CORPUS = data.find("corpus")
PROJECTS = sorted(path.parent for path in CORPUS.glob("*/crds.json.gz")) if CORPUS else []
pytestmark = pytest.mark.skipif(not PROJECTS, reason="the corpus is not here")


def _load(path):
    return json.loads(gzip.decompress(path.read_bytes()))


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_rules_of_a_project_answer_as_recorded(project):
    state = cel_recordings._State()
    for crd in _load(project / "crds.json.gz"):
        assert not [error for compiled in state.define(crd) for error in compiled.errors]
    if not (project / "objects.json.gz").exists():
        return
    different = []
    for entry in _load(project / "objects.json.gz"):
        version, _, plural = entry["path"].split("?")[0].strip("/").split("/", 2)[2].partition("/")
        key = f"{version}/{plural.rsplit('/', 1)[-1]}"
        if entry["op"] not in ("example", "mutation") or not state.rules.get(key):
            continue
        if (entry.get("mutation") or {}).get("path") == "kind":
            continue  # defaults, which this replay cannot know, are not applied to an object of a wrong kind
        obj = copy.deepcopy(entry["request"])
        obj.pop("status", None)
        cel_recordings._drop_nulls(obj, state.schemas[key])
        got = {cel_recordings._cause_of(error) for error in state.rules[key].validate(obj).errors}
        causes = [] if entry["code"] < 300 else cel_recordings._causes({"body": entry["answer"]})
        if entry["code"] >= 300 and (not causes or any("rules were not checked" in c[2] for c in causes)):
            continue
        wanted = {c for c in causes if c in got or cel_recordings._FROM_RULES.search(c[2])}
        if got != wanted:
            different.append((entry["crd"], sorted(wanted), sorted(got)))
    assert not different
