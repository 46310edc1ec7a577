"""Field management of built-in kinds, and of their scale."""

import copy

from quarterdeck.fieldmanager import builtin, manager, scale
from quarterdeck.schema import gotypes

NOW = "2026-01-01T00:00:00Z"
TYPE = builtin.from_go_type(gotypes.struct_of("v1", "Service"))
FIELDS = manager.FieldManager(
    {"v1": TYPE}.get,
    lambda obj, _version: obj,
    kind="Service",
    is_builtin=True,
    reset_fields=builtin.reset_fields(["v1"], "Service", ["status"]),
)
SPEC = {
    "ports": [{"port": 443, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
    "selector": {"app": "x"},
    "externalIPs": ["1.2.3.4"],
    "type": "ClusterIP",
}


def service(spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": copy.deepcopy(spec), "status": {}}


def test_who_creates_owns_no_struct_that_is_always_there():
    obj = service(SPEC)
    FIELDS.update(None, obj, manager="u", api_version="v1", now=NOW)
    (entry,) = obj["metadata"]["managedFields"]
    assert str(entry["fieldsV1"]) == str(
        {
            "f:spec": {
                "f:externalIPs": {},
                "f:ports": {
                    ".": {},
                    'k:{"port":53,"protocol":"UDP"}': {".": {}, "f:port": {}, "f:protocol": {}},
                    'k:{"port":443,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:protocol": {}},
                },
                "f:selector": {},
                "f:type": {},
            }
        }
    )


def test_a_key_that_is_absent_counts_as_its_default():
    body = service({"ports": [{"port": 80}]})
    new = FIELDS.apply(None, body, manager="m", force=False, api_version="v1", now=NOW)
    (entry,) = new["metadata"]["managedFields"]
    assert entry["fieldsV1"] == {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}}}}


def test_status_is_owned_through_its_subresource_only():
    live = service(SPEC)
    FIELDS.update(None, live, manager="u", api_version="v1", now=NOW)
    live["metadata"]["uid"] = "u"
    body = service({"type": "NodePort"})
    body["status"] = {"conditions": [{"type": "Ready", "status": "True"}]}
    through_object = FIELDS.apply(live, body, manager="m", force=True, api_version="v1", now=NOW)
    assert {"f:spec": {"f:type": {}}} in [entry["fieldsV1"] for entry in through_object["metadata"]["managedFields"]]
    through_status = FIELDS.apply(live, body, manager="m", force=True, subresource="status", api_version="v1", now=NOW)
    owned = through_status["metadata"]["managedFields"][0]
    assert owned["subresource"] == "status"
    expected = {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:status": {}, "f:type": {}}}}}
    assert owned["fieldsV1"] == expected


def test_zero_of_a_type_has_what_go_never_leaves_out():
    assert TYPE.zero == {"metadata": {}, "spec": {}, "status": {"loadBalancer": {}}}
    assert builtin.zero_of(gotypes.named_struct("core", "ServicePort")) == {"port": 0, "targetPort": 0}
    request = gotypes.named_struct("certificates", "CertificateSigningRequestSpec")
    assert builtin.zero_of(request) == {"request": None, "signerName": ""}


def entry(name, operation, fields, version="apps/v1", **more):
    return {
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": name,
        "operation": operation,
        **more,
    }


REPLICAS = {"f:spec": {"f:replicas": {}}}
PATHS = {"apps/v1": ("spec", "replicas"), "apps/v2": None}


def test_a_scale_has_the_owners_of_the_replicas():
    parent = [
        entry("a", "Apply", {"f:spec": {"f:replicas": {}, "f:x": {}}}, time=NOW),
        entry("b", "Update", {"f:spec": {"f:x": {}}}),
        entry("c", "Update", REPLICAS, "apps/v9"),
    ]
    shown = scale.ScaleFields(parent, "apps/v1", PATHS).to_scale()
    assert shown == [entry("a", "Apply", REPLICAS, "autoscaling/v1", time=NOW)]


def test_who_writes_the_scale_takes_the_replicas_from_the_parent():
    parent = [
        entry("a", "Apply", {"f:spec": {"f:replicas": {}, "f:x": {}}}, time=NOW),
        entry("b", "Update", {"f:spec": {"f:y": {}}}, "apps/v2"),
        entry("c", "Update", REPLICAS, "apps/v9"),
    ]
    owners = scale.ScaleFields(parent, "apps/v1", PATHS)
    written = [entry("hpa", "Update", REPLICAS, "autoscaling/v1", subresource="scale", time=NOW)]
    assert owners.to_parent(written) == [
        entry("a", "Apply", {"f:spec": {"f:x": {}}}, time=NOW),
        entry("b", "Update", {"f:spec": {"f:y": {}}}, "apps/v2"),
        entry("hpa", "Update", REPLICAS, subresource="scale"),
    ]


def test_an_applier_that_the_scale_left_its_replicas_keeps_them():
    parent = [entry("a", "Apply", {"f:spec": {"f:replicas": {}, "f:x": {}}}, time=NOW)]
    owners = scale.ScaleFields(parent, "apps/v1", PATHS)
    assert owners.to_parent(owners.to_scale()) == parent


def test_an_int_or_string_is_held_against_no_type_before_it_is_read():
    body = service({"ports": [{"port": 80, "targetPort": {"a": [{}]}}]})
    new = FIELDS.apply(None, body, manager="m", force=False, api_version="v1", now=NOW)
    assert new["spec"]["ports"] == body["spec"]["ports"]
    body["spec"]["ports"][0]["targetPort"] = "http"
    new = FIELDS.apply(None, body, manager="m", force=False, api_version="v1", now=NOW)
    (entry,) = new["metadata"]["managedFields"]
    port = {".": {}, "f:port": {}, "f:targetPort": {}}
    assert entry["fieldsV1"] == {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': port}}}
