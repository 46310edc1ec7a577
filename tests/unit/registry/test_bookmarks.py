"""What a bookmark of a built-in kind holds: an object of which nothing is said, as Go writes it."""

import json
from typing import Any
from unittest.mock import Mock

import pytest

from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.endpoints.handlers.forms import MetadataForm, TableForm
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.scope import Scope
from quarterdeck.schema.gotype import Struct
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore

DEFINITIONS = {
    f"{each.resource.api_version}/{each.resource.kind}": each
    for each in [*resources.definitions(Mock()), definition_of_definitions()]
}
NO_POD = {"metadata": {}, "spec": {"containers": None}}
EMPTY: dict[str, dict[str, Any]] = {
    "v1/ConfigMap": {},
    "v1/Namespace": {"spec": {}, "status": {}},
    "v1/LimitRange": {"spec": {"limits": None}},
    "v1/Service": {"spec": {}, "status": {"loadBalancer": {}}},
    "v1/ReplicationController": {"spec": {}, "status": {"replicas": 0}},
    "apps/v1/ControllerRevision": {"data": None, "revision": 0},
    "apps/v1/Deployment": {
        "spec": {"replicas": 0, "selector": None, "template": NO_POD, "strategy": {}},
        "status": {},
    },
    "apps/v1/StatefulSet": {
        "spec": {"replicas": 0, "selector": None, "template": NO_POD, "serviceName": "", "updateStrategy": {}},
        "status": {"replicas": 0, "availableReplicas": 0},
    },
    "batch/v1/Job": {"spec": {"template": NO_POD}, "status": {}},
    "autoscaling/v1/HorizontalPodAutoscaler": {
        "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
        "status": {"currentReplicas": 0, "desiredReplicas": 0},
    },
    "autoscaling/v2/HorizontalPodAutoscaler": {
        "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    },
    "events.k8s.io/v1/Event": {
        "eventTime": None,
        "regarding": {},
        "deprecatedSource": {},
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
    },
    "rbac.authorization.k8s.io/v1/RoleBinding": {"roleRef": {"apiGroup": "", "kind": "", "name": ""}},
    "discovery.k8s.io/v1/EndpointSlice": {"addressType": "", "endpoints": None, "ports": None},
    "apiextensions.k8s.io/v1/CustomResourceDefinition": {
        "spec": {"group": "", "names": {"plural": "", "kind": ""}, "scope": "", "versions": None},
        "status": {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": None},
    },
}
CELLS = {
    "v1/PersistentVolume": ["", "0", "", "", "", "", "", "<unset>", "", "<unknown>", "<unset>"],
    "v1/PersistentVolumeClaim": ["", "", "", "", "", "", "<unset>", "<unknown>", "<unset>"],
    "v1/Service": ["", "", "<none>", "<unknown>", "<none>", "<unknown>", "<none>"],
    "apps/v1/Deployment": ["", "0/0", 0, 0, "<unknown>", "", "", ""],
    "autoscaling/v1/HorizontalPodAutoscaler": ["", "/", "<none>", "<unset>", 0, 0, "<unknown>"],
    "autoscaling/v2/HorizontalPodAutoscaler": ["", "/", "<none>", "<unset>", 0, 0, "<unknown>"],
    "networking.k8s.io/v1/IPAddress": ["", "<none>", "<unknown>"],
    "storage.k8s.io/v1/CSIDriver": ["", True, False, False, "<unset>", False, "<none>", "<unknown>"],
    "storage.k8s.io/v1/StorageClass": ["", "", "Delete", "Immediate", False, "<unknown>"],
}


def build(definition: Definition) -> Scope:
    storage = MemoryStore()
    return Assembly(storage, Cacher(storage), convertor_for).build(definition)[""]


def bookmark(definition: Definition, *, is_initial_end: bool = False) -> Any:
    scope = build(definition)
    return json.loads(scope.object_form.encode_bookmark(5, is_initial_end=is_initial_end, is_first=True))


@pytest.mark.parametrize("name", EMPTY)
def test_a_bookmark_is_an_object_of_which_nothing_is_said(name: str) -> None:
    api_version, _, kind = name.rpartition("/")
    told = {"kind": kind, "apiVersion": api_version, "metadata": {"resourceVersion": "5"}, **EMPTY[name]}
    assert bookmark(DEFINITIONS[name]) == told
    told["metadata"] = {"resourceVersion": "5", "annotations": {"k8s.io/initial-events-end": "true"}}
    assert bookmark(DEFINITIONS[name], is_initial_end=True) == told


def is_whole(struct: Struct, value: dict[str, Any]) -> bool:
    """Whether the fields that Go always writes are there, and so inside of them."""
    return all(
        name in value and (not isinstance(field.type, Struct) or field.pointer or is_whole(field.type, value[name]))
        for name, field in struct.fields.items()
        if field.always
    )


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_bookmark_has_the_fields_that_go_always_writes(name: str) -> None:
    assert is_whole(DEFINITIONS[name].make_struct(), bookmark(DEFINITIONS[name]))


def test_the_annotation_that_stands_for_a_field_is_in_whole_objects_only() -> None:
    scope = build(DEFINITIONS["apps/v1/DaemonSet"])
    generation = {"deprecated.daemonset.template.generation": "0"}
    whole = json.loads(scope.object_form.encode_bookmark(5, is_initial_end=True, is_first=False))
    assert whole["metadata"]["annotations"] == {**generation, "k8s.io/initial-events-end": "true"}
    assert json.loads(scope.object_form.encode_bookmark(5, is_initial_end=False, is_first=False))["metadata"] == {
        "resourceVersion": "5",
        "annotations": generation,
    }
    shown = json.loads(MetadataForm(scope.object_form, "v1").encode_bookmark(5, is_initial_end=False, is_first=False))
    assert shown["metadata"] == {"resourceVersion": "5"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("apiextensions.k8s.io/v1/CustomResourceDefinition", "jfWCUB31mvA="),
        ("events.k8s.io/v1/Event", "r2yiGXH7wu8="),
        ("autoscaling/v1/HorizontalPodAutoscaler", "qwQve8ut294="),
        ("v1/Pod", "xPOwRZ+Yhw8="),
    ],
)
def test_discovery_tells_in_which_version_upstream_stores_a_kind(name: str, told: str) -> None:
    assert build(DEFINITIONS[name]).resource.storage_version_hash == told


@pytest.mark.parametrize("name", CELLS)
def test_a_table_has_a_row_for_it(name: str) -> None:
    scope = build(DEFINITIONS[name])
    form = TableForm(scope.shown_form or scope.object_form, scope.table(), "Metadata", "v1")
    row = json.loads(form.encode_bookmark(5, is_initial_end=False, is_first=True))["rows"][0]
    assert row["cells"] == CELLS[name]
    assert row["object"]["metadata"] == {"resourceVersion": "5"}


@pytest.mark.parametrize("include", ["None", "Metadata"])
def test_the_end_of_the_first_events_can_be_told_from_rows_without_objects(include: str) -> None:
    scope = build(DEFINITIONS["v1/ConfigMap"])
    form = TableForm(scope.object_form, scope.table(), include, "v1")
    row = json.loads(form.encode_bookmark(5, is_initial_end=True, is_first=True))["rows"][0]
    annotated = {"resourceVersion": "5", "annotations": {"k8s.io/initial-events-end": "true"}}
    assert row["object"] == {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": annotated}


@pytest.mark.parametrize(("name", "repeats"), [("apiregistration.k8s.io/v1/APIService", True), ("v1/ConfigMap", False)])
def test_whether_each_event_of_a_watch_tells_the_columns(name: str, repeats: bool) -> None:
    scope = build(DEFINITIONS[name])
    form = TableForm(scope.object_form, scope.table(), "Metadata", "v1")
    later = json.loads(form.encode_bookmark(5, is_initial_end=False, is_first=False))
    assert (later["columnDefinitions"] is not None) == repeats
