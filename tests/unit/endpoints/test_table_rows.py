"""Rows of built-in types, the table around rows, and includeObject."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import PrinterColumn
from quarterdeck.endpoints.table import (
    build_table,
    builtin,
    columns,
    compile_columns,
    parse_include_object,
    partial_metadata,
)

NOW_S = 1767225642.0  # 42 seconds into 2026
META = {"name": "a", "namespace": "n", "creationTimestamp": "2026-01-01T00:00:00Z"}


def cells(group, kind, **fields):
    row = builtin.convertor_for(group, kind).row({"metadata": META, **fields}, NOW_S, b"null")
    return json.loads(row)["cells"]


def names(group, kind):
    return [column["name"] for column in builtin.convertor_for(group, kind).column_definitions]


def test_an_address_tells_its_age_though_no_column_does():
    parent = {"resource": "services", "namespace": "n", "name": "s"}
    assert cells("networking.k8s.io", "IPAddress", spec={"parentRef": parent}) == ["a", "services/n/s", "42s"]
    assert names("networking.k8s.io", "IPAddress") == ["Name", "ParentRef"]


@pytest.mark.parametrize(
    ("group", "kind", "fields", "expected"),
    [
        ("", "Namespace", {"status": {"phase": "Active"}}, ["a", "Active", "42s"]),
        ("", "ConfigMap", {"data": {"x": "1"}, "binaryData": {"y": ""}}, ["a", 2, "42s"]),
        ("", "ConfigMap", {"data": None}, ["a", 0, "42s"]),
        ("", "Secret", {"type": "Opaque", "data": {"x": ""}}, ["a", "Opaque", 1, "42s"]),
        ("", "ServiceAccount", {}, ["a", "42s"]),
        ("coordination.k8s.io", "Lease", {"spec": {"holderIdentity": "me"}}, ["a", "me", "42s"]),
        ("coordination.k8s.io", "Lease", {}, ["a", "", "42s"]),
        ("autoscaling", "Scale", {"spec": {"replicas": 3}, "status": {}}, ["a", 3, 0, "42s"]),
        ("autoscaling", "Scale", {"spec": {"replicas": 0}, "status": {"replicas": 0}}, ["a", None, 0, "42s"]),
        ("autoscaling", columns.BUILTIN_SCALE, {"spec": {"replicas": 0}, "status": {}}, ["a", 0, 0, "42s"]),
        ("apiextensions.k8s.io", "CustomResourceDefinition", {}, ["a", "2026-01-01T00:00:00Z"]),
        (
            "",
            "PersistentVolumeClaim",
            {"spec": {"volumeName": "v", "volumeAttributesClassName": ""}, "status": {}},
            ["a", "", "v", "0", "", "", "", "42s", "<unset>"],
        ),
    ],
)
def test_built_in_rows(group, kind, fields, expected):
    assert cells(group, kind, **fields) == expected


@pytest.mark.parametrize(
    ("group", "kind", "annotation"),
    [
        ("networking.k8s.io", "IngressClass", "ingressclass.kubernetes.io/is-default-class"),
        ("storage.k8s.io", "StorageClass", "storageclass.kubernetes.io/is-default-class"),
    ],
)
def test_default_classes_are_marked(group, kind, annotation):
    convertor = builtin.convertor_for(group, kind)
    for value, shown in (("true", "a (default)"), ("false", "a")):
        row = convertor.row({"metadata": {**META, "annotations": {annotation: value}}}, NOW_S, b"null")
        assert json.loads(row)["cells"][0] == shown


def test_no_class_of_volume_attributes_is_marked():
    annotations = {"volumeattributesclass.alpha.kubernetes.io/is-default-class": "true"}
    row = builtin.convertor_for("storage.k8s.io", "VolumeAttributesClass").row(
        {"metadata": {**META, "annotations": annotations}, "driverName": "d"}, NOW_S, b"null"
    )
    assert json.loads(row)["cells"] == ["a", "d", "42s"]


def test_definitions_show_when_they_were_created():
    assert names("apiextensions.k8s.io", "CustomResourceDefinition") == ["Name", "Created At"]


def test_event_row_reads_both_groups_words():
    core = {
        "type": "Normal",
        "reason": "R",
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "source": {"component": "c", "host": "h"},
        "message": " m\n",
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:30Z",
        "count": 2,
    }
    expected = ["12s", "Normal", "R", "pod/p", "spec", "c, h", "m", "42s", 2, "a"]
    assert cells("", "Event", **core) == expected
    other = {
        "type": "Normal",
        "reason": "R",
        "regarding": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "deprecatedSource": {"component": "c", "host": "h"},
        "note": " m\n",
        "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z",
        "deprecatedLastTimestamp": "2026-01-01T00:00:30Z",
        "deprecatedCount": 2,
    }
    assert cells("events.k8s.io", "Event", **other) == expected


def test_event_row_of_a_series_and_of_a_single_occurrence():
    series = {"count": 7, "lastObservedTime": "2026-01-01T00:00:40.000000Z"}
    row = cells("", "Event", eventTime="2026-01-01T00:00:00.000000Z", series=series, reportingComponent="r")
    assert row == ["2s", "", "", "", "", "r", "", "42s", 7, "a"]
    assert cells("", "Event")[8] == 1


def test_table_repeats_no_definitions_when_told_so():
    convertor = compile_columns([PrinterColumn("A", "string", ".a")])
    row = convertor.row({"metadata": META, "a": "x"}, NOW_S, b'{"k":1}')
    table = json.loads(build_table("v1beta1", {"resourceVersion": "5"}, None, [row, row]))
    assert table == {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1beta1",
        "metadata": {"resourceVersion": "5"},
        "columnDefinitions": None,
        "rows": [{"cells": ["a", "x"], "object": {"k": 1}}] * 2,
    }
    assert json.loads(build_table("v1", {}, convertor.definitions, []))["rows"] == []


@pytest.mark.parametrize(
    ("group", "kind", "rows"),
    [("", "ConfigMap", []), ("", "LimitRange", None), ("rbac.authorization.k8s.io", "Role", None)],
)
def test_an_empty_table_of_names_and_ages_has_no_rows_at_all(group, kind, rows):
    convertor = builtin.convertor_for(group, kind)
    table = build_table("v1", {}, convertor.definitions, [], convertor.no_rows)
    assert json.loads(table)["rows"] == rows


def test_partial_metadata_keeps_metadata_alone():
    assert json.loads(partial_metadata({"metadata": META, "spec": {}}, "v1")) == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": META,
    }


def test_include_object_is_checked():
    assert [parse_include_object(value) for value in ("", "None", "Metadata", "Object")] == [
        "Metadata",
        "None",
        "Metadata",
        "Object",
    ]
    with pytest.raises(errors.BadRequest) as raised:
        parse_include_object("Other")
    assert raised.value.message == (
        'Unable to convert to Table as requested: includeObject: Invalid value: "Other": must be '
        "'Metadata', 'Object', 'None', or empty"
    )


def test_number_cells_are_written_as_go_writes_them():
    convertor = compile_columns([PrinterColumn("N", "number", ".n")])
    assert b"9223372036854776000" in convertor.row({"metadata": META, "n": 2**63 - 1}, NOW_S, b"null")
    assert b"1e-7" in convertor.row({"metadata": META, "n": 1e-7}, NOW_S, b"null")


def test_typed_columns_show_no_number_of_their_path_and_no_byte():
    paths = ["@.n", "@.n 5", "@.n 5.5", "@.s.*"]
    expected = {
        "integer": [5, None, 5, None],
        "number": [5, None, 5.5, None],
        "string": ["5", "5", "5.5", "115"],
    }
    for kind, shown in expected.items():
        convertor = compile_columns([PrinterColumn("N", kind, path) for path in paths])
        row = json.loads(convertor.row({"metadata": META, "n": 5, "s": "s"}, NOW_S, b"null"))
        assert row["cells"][1:] == shown
