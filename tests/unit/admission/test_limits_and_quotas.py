"""LimitRanger, ResourceQuota, TaintNodesByCondition, PersistentVolumeClaimResize and PodSecurity's labels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.plugins.claim_resize import ClaimResize
from quarterdeck.admission.plugins.limitranger import LimitRanger
from quarterdeck.admission.plugins.nodes import NodeTaint
from quarterdeck.admission.plugins.podsecurity import PodSecurity
from quarterdeck.admission.plugins.quota.devices import DeviceClasses, DeviceEvaluator
from quarterdeck.admission.plugins.quota.evaluators import Evaluators
from quarterdeck.admission.plugins.quota.plugin import ResourceQuota
from quarterdeck.admission.pluginsettings import LimitedResource
from quarterdeck.admission.podsecurity.counts import Counts
from quarterdeck.apimachinery import errors
from quarterdeck.metrics.registry import Registry

Object = dict[str, Any]
EVALUATORS = Evaluators()


def stored(obj: Object) -> SimpleNamespace:
    metadata = obj["metadata"]
    return SimpleNamespace(
        warnings=[], namespace=metadata.get("namespace", ""), name=metadata["name"], data=json.dumps(obj).encode()
    )


def following(*objects: Object) -> ByNamespace:
    cache: Any = SimpleNamespace(state=SimpleNamespace(all=lambda: [stored(each) for each in objects]), listeners=[])
    return ByNamespace(cache)


def request(obj: Object, resource: str = "pods", group: str = "", old: Object | None = None, **more: Any) -> Any:
    found = {"operation": "UPDATE" if old else "CREATE", "subresource": "", "dry_run": False, "warnings": [], **more}
    return SimpleNamespace(
        obj=obj, old=old, namespace="ns", name="x", resource=SimpleNamespace(group=group, name=resource), **found
    )


def pod(*resources: Object, **spec: Any) -> Object:
    containers = [{"name": f"c{number}", "resources": each} for number, each in enumerate(resources)]
    return {"metadata": {}, "spec": {"containers": containers, **spec}, "status": {"qosClass": "Burstable"}}


def limits(*items: Object) -> LimitRanger:
    return LimitRanger(following({"metadata": {"name": "l", "namespace": "ns"}, "spec": {"limits": list(items)}}))


def refusal(plugin: Any, attributes: Any) -> str:
    """The detail of what a plugin says, "" where it lets pass."""
    try:
        waiting = plugin.validate(attributes)
        if waiting is not None:
            asyncio.run(waiting)
    except errors.Forbidden as refused:
        return str(refused.message).partition("is forbidden: ")[2]
    return ""


def test_containers_get_what_the_limit_range_says() -> None:
    plugin = limits({"type": "Container", "default": {"cpu": "2", "memory": "1Gi"}, "defaultRequest": {"cpu": "1"}})
    made = pod({"limits": {"cpu": "3"}}, {}, initContainers=[{"name": "i"}])
    plugin.admit(request(made))
    first, second = (each["resources"] for each in made["spec"]["containers"])
    assert first == {"requests": {"cpu": "1"}, "limits": {"cpu": "3", "memory": "1Gi"}}
    assert second == {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}}
    assert made["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container c0; memory limit for container c0; "
        "cpu request for container c1; cpu, memory limit for container c1; "
        "cpu request for init container i; cpu, memory limit for init container i"
    )
    untouched = pod({"requests": {"cpu": "1"}, "limits": {"cpu": "1", "memory": "1"}})
    plugin.admit(request(untouched))
    assert untouched["metadata"] == {}


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ({"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}, ""),
        ({}, "[minimum cpu usage per Container is 50m.  No request is specified, maximum cpu usage per Container is 2."
             "  No limit is specified, cpu max limit to request ratio per Container is 4, but no request is specified"
             " or request is 0]"),
        ({"requests": {"cpu": "10m"}, "limits": {"cpu": "40m"}},
         "minimum cpu usage per Container is 50m, but request is 10m"),
        ({"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}, "maximum cpu usage per Container is 2, but limit is 3"),
        ({"requests": {"cpu": "100m"}, "limits": {"cpu": "1"}},
         "cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000"),
    ],
)  # fmt: skip
def test_containers_stay_within_limits(resources: Object, told: str) -> None:
    plugin = limits(
        {"type": "Container", "min": {"cpu": "50m"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "4"}}
    )
    assert refusal(plugin, request(pod(resources))) == told
    assert refusal(plugin, request(pod(resources), old=pod({}))) == ""


@pytest.mark.parametrize(
    ("item", "resources", "told"),
    [
        # Thousandths are compared where 64 bits hold all three, else whole numbers, rounded up.
        ({"min": {"cpu": "1500m"}}, {"requests": {"cpu": "1400m"}, "limits": {"cpu": "10P"}}, ""),
        ({"min": {"cpu": "1500m"}}, {"requests": {"cpu": "1400m"}, "limits": {"cpu": "1P"}}, "request is 1400m"),
        ({"max": {"cpu": "10P"}}, {"requests": {"cpu": "1"}, "limits": {"cpu": "10000000000000000500m"}}, "limit is"),
        ({"max": {"cpu": "1500m"}}, {"limits": {"cpu": "1600m"}}, "limit is 1600m"),
        # More than 64 bits hold is nothing, or less than nothing.
        ({"max": {"cpu": "2"}}, {"requests": {"cpu": "1"}, "limits": {"cpu": "10E"}}, ""),
        ({"min": {"cpu": "2"}}, {"requests": {"cpu": "10E"}}, "request is 10E"),
        ({"max": {"cpu": "9223372036854775808"}}, {"limits": {"cpu": "9223372036854775808"}}, ""),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"requests": {"cpu": "9223372036854775808"}, "limits": {"cpu": "9223372036854775808"}},
            "no request is specified or request is 0",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"requests": {"cpu": "9E"}, "limits": {"cpu": "1E"}},
            "",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "10E"}},
            {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            "provided ratio is 1.000000",
        ),
    ],
)
def test_large_amounts_are_compared_as_upstream_counts_them(item: Object, resources: Object, told: str) -> None:
    detail = refusal(limits({"type": "Container", **item}), request(pod(resources)))
    assert told in detail if told else not detail


def test_of_updates_of_pods_those_that_resize_them_are_looked_at() -> None:
    plugin = limits({"type": "Container", "max": {"cpu": "2"}, "default": {"cpu": "1", "memory": "1Gi"}})
    large, old = pod({"limits": {"cpu": "3"}}), pod({})
    assert refusal(plugin, request(large, old=old)) == ""
    assert refusal(plugin, request(large, old=old, subresource="status")) == ""
    resizing = request(large, old={**old, "metadata": {}}, subresource="resize")
    plugin.admit(resizing)
    assert large["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "3", "memory": "1Gi"}
    assert refusal(plugin, resizing) == "maximum cpu usage per Container is 2, but limit is 3"
    leaving = {**old, "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert refusal(plugin, request(large, old=leaving, subresource="resize")) == ""


def test_pods_and_claims_stay_within_limits() -> None:
    plugin = limits(
        {"type": "Pod", "max": {"cpu": "3"}},
        {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "5Gi"}},
    )
    two = {"limits": {"cpu": "2"}}
    assert refusal(plugin, request(pod(two, two))) == "maximum cpu usage per Pod is 3, but limit is 4"
    for size, told in (
        ("1Gi", ""),
        ("1Mi", "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"),
        ("9Gi", "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 9Gi"),
        ("10E", "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 10E"),
    ):
        claim = {"metadata": {}, "spec": {"resources": {"requests": {"storage": size}}}}
        assert refusal(plugin, request(claim, "persistentvolumeclaims")) == told


class Quotas:
    """A quota in a namespace, whose status is changed as the server changes it."""

    def __init__(
        self, hard: Object, used: Object | None = None, limited: Sequence[LimitedResource] = (), **spec: Any
    ) -> None:
        self.used = dict.fromkeys(hard, "0") | (used or {})
        self.quota: Object = {
            "metadata": {"name": "q", "namespace": "ns"},
            "spec": {"hard": hard, **spec},
            "status": {"hard": hard, "used": self.used},
        }
        self.failures = 0
        self.failure: errors.APIStatus = errors.Conflict.of("", "resourcequotas", "q", "changed")
        self.plugin = ResourceQuota(following(self.quota), self._charge, EVALUATORS, limited)
        self._following = self.plugin

    async def _charge(self, quota: Object, used: dict[str, str]) -> None:
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise self.failure
        quota["status"]["used"] = self.used = used

    def ask(self, *args: Any, **more: Any) -> str:
        return refusal(self.plugin, request(*args, **more))


def test_what_is_added_is_charged_until_the_quota_is_full() -> None:
    quotas = Quotas({"pods": "2", "requests.memory": "2Gi"}, {"requests.memory": "1Gi"})
    small = pod({"requests": {"memory": "1Mi"}})
    assert quotas.ask(small) == ""
    assert quotas.used == {"pods": "1", "requests.memory": "1025Mi"}
    assert quotas.ask(small, dry_run=True) == ""
    assert quotas.used["pods"] == "1"
    assert quotas.ask(pod({"requests": {"memory": "1Gi"}})) == (
        "exceeded quota: q, requested: requests.memory=1Gi, used: requests.memory=1025Mi, limited: requests.memory=2Gi"
    )
    assert quotas.ask(pod({})) == "failed quota: q: must specify requests.memory for: c0"


def test_requests_at_the_same_time_are_charged_one_after_the_other() -> None:
    quotas = Quotas({"count/widgets.a.dev": "2"})

    async def ask() -> list[Any]:
        waiting = [quotas.plugin.validate(request({}, "widgets", "a.dev")) for _ in range(3)]
        return await asyncio.gather(*[each for each in waiting if each is not None], return_exceptions=True)

    outcomes = asyncio.run(ask())
    assert [type(each) for each in outcomes] == [type(None), type(None), errors.Forbidden]
    assert quotas.used == {"count/widgets.a.dev": "2"}


@pytest.mark.parametrize("failure", [errors.Conflict.of("", "q", "q", "changed"), errors.Timeout("a webhook's")])
def test_a_quota_that_could_not_be_charged_is_tried_again(failure: errors.APIStatus) -> None:
    quotas = Quotas({"configmaps": "5"})
    quotas.failure = failure
    quotas.failures = 3
    assert quotas.ask({}, "configmaps") == ""
    quotas.failures = 4
    with pytest.raises(type(failure)):
        quotas.ask({}, "configmaps")


def test_a_quota_whose_use_is_unknown_lets_nothing_pass() -> None:
    quotas = Quotas({"secrets": "5"})
    quotas.quota["status"]["used"].clear()
    quotas = Quotas({"secrets": "5", "pods": "1"})
    del quotas.used["secrets"]
    plugin = ResourceQuota(following(quotas.quota), quotas._charge, EVALUATORS)
    assert refusal(plugin, request({}, "secrets")) == "status unknown for quota: q, resources: secrets"


@pytest.mark.parametrize(
    ("scope", "spec", "status", "is_counted"),
    [
        ("Terminating", {"activeDeadlineSeconds": 5}, {}, True),
        ("Terminating", {}, {}, False),
        ("NotTerminating", {}, {}, True),
        ("BestEffort", {}, {"qosClass": "BestEffort"}, True),
        ("NotBestEffort", {}, {"qosClass": "Burstable"}, True),
        ("PriorityClass", {"priorityClassName": "p"}, {}, True),
        ("PriorityClass", {}, {}, False),
        (
            "CrossNamespacePodAffinity",
            {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"namespaces": ["o"]}]}}},
            {},
            True,
        ),
        ("CrossNamespacePodAffinity", {}, {}, False),
    ],
)
def test_scopes_choose_the_pods_that_count(scope: str, spec: Object, status: Object, is_counted: bool) -> None:
    quotas = Quotas({"pods": "5"}, scopes=[scope])
    assert quotas.ask({**pod({}, **spec), "status": status}) == ""
    assert quotas.used["pods"] == ("1" if is_counted else "0")


def test_a_pod_that_comes_into_a_scope_is_charged() -> None:
    quotas = Quotas({"pods": "0"}, scopes=["Terminating"])
    told = "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0"
    assert quotas.ask(pod({}, activeDeadlineSeconds=1), old=pod({})) == told
    assert quotas.ask(pod({}, activeDeadlineSeconds=1), old=pod({}, activeDeadlineSeconds=2)) == ""


def test_an_update_that_leaves_a_pod_in_its_scopes_is_let_be() -> None:
    quotas = Quotas({"requests.cpu": "1"})
    assert quotas.ask(pod({})) == "failed quota: q: must specify requests.cpu for: c0"
    assert quotas.ask({**pod({}), "metadata": {"labels": {"a": "b"}}}, old=pod({})) == ""
    resized = {"requests": {"cpu": "2"}}, {"requests": {"cpu": "1m"}}
    told = "exceeded quota: q, requested: requests.cpu=1999m, used: requests.cpu=0, limited: requests.cpu=1"
    new, old = map(pod, resized)
    assert quotas.ask(new, old=old) == ""
    assert quotas.ask(new, old=old, subresource="resize") == told


def resized(status: Object, *conditions: Object, **spec: Any) -> Object:
    """A pod whose one container asks for 2 and may use 4; its status tells of another container too."""
    made = pod({"requests": {"cpu": "2"}, "limits": {"cpu": "4"}}, **spec)
    statuses = [{"name": "c0", **status}, {"name": "unknown", "resources": {"requests": {"cpu": "50"}}}]
    return {**made, "status": {"containerStatuses": statuses, "conditions": list(conditions)}}


INFEASIBLE = {"type": "PodResizePending", "reason": "Infeasible"}
DEFERRED = {"type": "PodResizePending", "reason": "Deferred"}


@pytest.mark.parametrize(
    ("status", "conditions", "used"),
    [
        ({}, [], ("2", "4")),
        ({"allocatedResources": {"cpu": "3"}}, [], ("2", "4")),
        ({"allocatedResources": {"cpu": "3"}, "resources": {}}, [], ("3", "4")),
        ({"allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "5"}}}, [], ("5", "4")),
        ({"allocatedResources": {"cpu": "9"}, "resources": {"limits": {"cpu": "8"}}}, [], ("9", "8")),
        ({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}}, [], ("2", "4")),
        ({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}}, [DEFERRED], ("2", "4")),
        ({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}}, [INFEASIBLE], ("1", "3")),
        ({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}}, [DEFERRED, INFEASIBLE], ("2", "4")),
    ],
)
def test_a_pod_counts_for_the_most_that_it_asks_for_or_has(
    status: Object, conditions: list[Object], used: tuple[str, str]
) -> None:
    quotas = Quotas({"requests.cpu": "99", "limits.cpu": "99"})
    assert quotas.ask(resized(status, *conditions)) == ""
    assert (quotas.used["requests.cpu"], quotas.used["limits.cpu"]) == used


def test_of_init_containers_those_that_stay_count_for_what_they_have() -> None:
    amounts = {"resources": {"requests": {"cpu": "1"}}}
    having = {"resources": {"requests": {"cpu": "7"}}}
    for policy, used in (({"restartPolicy": "Always"}, "9"), ({}, "2")):
        quotas = Quotas({"requests.cpu": "99"})
        made = resized({}, initContainers=[{"name": "i", **amounts, **policy}])
        made["status"]["initContainerStatuses"] = [{"name": "i", **having}]
        assert quotas.ask(made) == ""
        assert quotas.used["requests.cpu"] == used


def test_containers_need_say_nothing_in_a_pod_that_says_something_of_itself() -> None:
    quotas = Quotas({"requests.cpu": "1", "requests.memory": "1Gi"})
    assert quotas.ask(pod({}, resources={"limits": {"cpu": "1"}})) == ""
    assert quotas.ask(pod({}, resources={"limits": {"a.dev/x": "1"}})).startswith("failed quota: q: must specify")


def test_devices_that_containers_ask_for_by_their_class_are_charged() -> None:
    quotas = Quotas({"requests.deviceclass.resource.kubernetes.io/gpu": "1"})
    asking = pod({"requests": {"deviceclass.resource.kubernetes.io/gpu": "1"}})
    assert [quotas.ask(asking)[:14] for _ in range(2)] == ["", "exceeded quota"]


NO_LABEL = (
    'values[0][{}]: Invalid value: "a/b": a valid label must be an empty string or consist of alphanumeric characters,'
    " '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("scope", "operator", "hard", "resource", "obj"),
    [
        ("PriorityClass", "In", "pods", "pods", pod({})),
        ("PriorityClass", "NotIn", "services", "pods", pod({}, priorityClassName="p")),
        (
            "VolumeAttributesClass",
            "In",
            "persistentvolumeclaims",
            "persistentvolumeclaims",
            {"metadata": {}, "spec": {}},
        ),
    ],
)
def test_a_scope_with_values_that_no_label_has_lets_nothing_pass(
    scope: str, operator: str, hard: str, resource: str, obj: Object
) -> None:
    selector = {"scopeName": scope, "operator": operator, "values": ["a/b", "p"]}
    quotas = Quotas({hard: "5"}, scopeSelector={"matchExpressions": [selector]})
    with pytest.raises(errors.Unreasoned) as caught:
        quotas.ask(obj, resource)
    begin = f"error matching scopes of quota q, err: error on matching scope {{{scope} {operator} [a/b p]}}: "
    assert str(caught.value) == f"{begin}failed to parse and convert selector: {NO_LABEL.format(scope)}"
    assert quotas.ask({"spec": {}}, "services") == "", "others have no scopes"


def test_what_is_limited_needs_a_quota_that_covers_it() -> None:
    limited = [
        LimitedResource("", "pods", ("limits.", "a.dev/"), ()),
        LimitedResource("", "services", ("balancers",), ()),
    ]
    using = pod({"limits": {"memory": "1", "cpu": "1"}})
    missing = "insufficient quota to consume: {}"
    assert Quotas({"pods": "5"}, limited=limited).ask(using) == missing.format("limits.cpu,limits.memory")
    covering = Quotas({"limits.cpu": "5"}, limited=limited)
    assert covering.ask(using) == missing.format("limits.memory")
    assert covering.used == {"limits.cpu": "0"}, "nothing is charged"
    assert Quotas({"limits.cpu": "5", "limits.memory": "5"}, limited=limited).ask(using) == ""
    without = ResourceQuota(following(), covering._charge, EVALUATORS, limited)
    assert refusal(without, request(using)) == missing.format("limits.cpu,limits.memory")
    assert refusal(without, request(pod({}))) == ""
    assert refusal(without, request(using, old=using)) == "", "what was there stays"
    assert refusal(without, request(using, "widgets", "a.dev")) == ""
    service = {"spec": {"type": "LoadBalancer"}}
    assert refusal(without, request(service, "services")) == missing.format("services.loadbalancers")


def test_scopes_that_are_limited_need_a_quota_that_names_them() -> None:
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": ["p", "q"]}
    limited = [LimitedResource("", "pods", (), (scope,))]
    asking, other = pod({}, priorityClassName="p"), pod({}, priorityClassName="r")
    quotas = Quotas({"pods": "5"}, limited=limited)
    assert quotas.ask(other) == ""
    with pytest.raises(errors.Unreasoned) as caught:
        quotas.ask(asking)
    assert str(caught.value) == "insufficient quota to match these scopes: [{PriorityClass In [p q]}]"
    naming = Quotas({"pods": "5"}, limited=limited, scopes=["PriorityClass"])
    assert naming.ask(asking) == ""
    assert naming.used["pods"] == "1"


def test_services_and_claims_count_what_they_take() -> None:
    quotas = Quotas(
        {"services": "1", "services.nodeports": "1", "gold.storageclass.storage.k8s.io/requests.storage": "2"}
    )
    service = {"spec": {"type": "NodePort", "ports": [{}, {}]}}
    assert quotas.ask(service, "services") == (
        "exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1"
    )
    claim: Object = {
        "metadata": {},
        "spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "1500m"}}},
    }
    del quotas.used["services"]
    assert quotas.ask(service, "services", old=service, subresource="status") == "", "it takes no more than before"
    assert quotas.ask(claim, "persistentvolumeclaims") == ""
    assert quotas.used["gold.storageclass.storage.k8s.io/requests.storage"] == "2"


def test_a_new_node_is_not_ready() -> None:
    node: Object = {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}}
    for _ in range(2):
        NodeTaint().admit(request(node, "nodes"))
    assert [each["key"] for each in node["spec"]["taints"]] == ["k", "node.kubernetes.io/not-ready"]


@pytest.mark.parametrize(
    ("phase", "name", "told"),
    [
        ("Bound", "grows", ""),
        ("Pending", "grows", "Only bound persistent volume claims can be expanded"),
        (
            "Bound",
            "stays",
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support"
            " resize",
        ),
    ],
)
def test_a_claim_grows_where_its_class_lets_it(phase: str, name: str, told: str) -> None:
    classes = {
        "grows": {"metadata": {"name": "grows"}, "allowVolumeExpansion": True},
        "stays": {"metadata": {"name": "stays"}},
    }
    cache: Any = SimpleNamespace(get=lambda namespace, name: stored(classes[name]) if name in classes else None)

    def sized(size: str) -> Object:
        spec = {"storageClassName": name, "resources": {"requests": {"storage": size}}}
        return {"metadata": {}, "spec": spec, "status": {"phase": phase}}

    plugin = ClaimResize(cache)
    assert refusal(plugin, request(sized("2Gi"), "persistentvolumeclaims", old=sized("1Gi"))) == told
    assert refusal(plugin, request(sized("1Gi"), "persistentvolumeclaims", old=sized("2Gi"))) == ""


@pytest.mark.parametrize(
    ("labels", "is_refused"),
    [
        (
            {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn-version": "v1.30"},
            False,
        ),
        ({"pod-security.kubernetes.io/odd": "x"}, False),
        ({"pod-security.kubernetes.io/audit": "odd"}, True),
        ({"pod-security.kubernetes.io/enforce-version": "v1.01"}, True),
    ],
)
def test_a_namespace_names_levels_that_there_are(labels: dict[str, str], is_refused: bool) -> None:
    plugin, namespace = (
        PodSecurity(lambda _: {}, lambda _: [], Counts(Registry())),
        {"metadata": {"name": "n", "labels": labels}},
    )
    plain: Object = {"metadata": {"name": "n"}}
    for old in (None, plain):
        try:
            plugin.validate(request(namespace, "namespaces", old=old))
        except errors.Invalid:
            assert is_refused
        else:
            assert not is_refused
    plugin.validate(request(namespace, "namespaces", old=namespace))


def claim(*requests: Object, **metadata: Any) -> Object:
    return {"metadata": {"name": "c", "namespace": "ns", **metadata}, "spec": {"devices": {"requests": list(requests)}}}


def exactly(name: str, count: int = 0) -> Object:
    mode = {"allocationMode": "ExactCount", "count": count} if count else {"allocationMode": "All"}
    return {"name": "r", "exactly": {"deviceClassName": name, **mode}}


def using_devices(pods: dict[str, Object], claims: Sequence[Object] = ()) -> DeviceEvaluator:
    def of_class(name: str, **spec: Any) -> Object:
        return {"metadata": {"name": name}, "spec": spec}

    classes = following(of_class("gpu", extendedResourceName="a.dev/gpu"), of_class("nic"))
    return DeviceEvaluator(DeviceClasses(classes), lambda _namespace, name: pods.get(name), lambda *_: claims)


DEVICES = ".deviceclass.resource.k8s.io/devices"
COUNTED = "count/resourceclaims.resource.k8s.io"
IMPLICIT = "requests.deviceclass.resource.kubernetes.io/"


@pytest.mark.parametrize(
    "requests, counted",
    [
        ([exactly("nic", 3), exactly("nic", 2)], {f"nic{DEVICES}": "5", f"{IMPLICIT}nic": "5"}),
        ([exactly("nic")], {f"nic{DEVICES}": "32", f"{IMPLICIT}nic": "32"}),
        (
            [exactly("gpu", 2)],
            {f"gpu{DEVICES}": "2", f"{IMPLICIT}gpu": "2", "requests.a.dev/gpu": "2"},
        ),
        (
            [
                {"firstAvailable": [exactly("nic", 4)["exactly"], exactly("nic", 6)["exactly"]]},
                exactly("nic", 1),
            ],
            {f"nic{DEVICES}": "7", f"{IMPLICIT}nic": "7"},
        ),
        ([{"exactly": {"deviceClassName": "nic", "allocationMode": "New"}}], {f"nic{DEVICES}": "0"}),
        ([], {}),
    ],
)
def test_claims_count_devices_by_class(requests: list[Object], counted: Object) -> None:
    used = using_devices({}).usage(claim(*requests))
    assert {name: str(amount) for name, amount in used.items()} == {COUNTED: "1", **counted}


def test_what_a_pod_is_charged_with_its_claim_is_not() -> None:
    running = {**pod({"requests": {"a.dev/gpu": "2"}}), "metadata": {"name": "p", "uid": "u"}}
    evaluator = using_devices({"p": running})
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
    annotations = {"resource.kubernetes.io/extended-resource-claim": "true"}

    def used(**metadata: Any) -> str:
        return str(evaluator.usage(claim(exactly("gpu", 3), **metadata)).get("requests.a.dev/gpu", 0))

    assert used(annotations=annotations, ownerReferences=[owner]) == "1"
    assert used(ownerReferences=[owner]) == "3"
    assert used(annotations=annotations, ownerReferences=[{**owner, "uid": "other"}]) == "3"
    assert used(annotations=annotations, ownerReferences=[{**owner, "controller": False}]) == "3"
    running["status"] = {"extendedResourceClaimStatus": {"resourceClaimName": "another"}}
    assert used(annotations=annotations, ownerReferences=[owner]) == "3"


def test_of_the_claims_of_a_pod_the_oldest_is_what_the_pod_is_charged_with() -> None:
    running = {**pod({"requests": {"a.dev/gpu": "2"}}), "metadata": {"name": "p", "uid": "u"}}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
    annotations = {"resource.kubernetes.io/extended-resource-claim": "true"}

    def made(name: str, second: int, uid: str = "u", **metadata: Any) -> Object:
        at, owners = f"2026-01-01T00:00:0{second}Z", [{**owner, "uid": uid}]
        metadata = {"annotations": annotations, "ownerReferences": owners, "creationTimestamp": at, **metadata}
        return claim(exactly("gpu", 3), **{**metadata, "name": name})

    stored_claims = [made("b", 2), made("a", 2), made("c", 3), made("d", 1, annotations={}), made("e", 1, uid="other")]
    evaluator = using_devices({"p": running}, stored_claims)

    def used(name: str, second: int) -> str:
        return str(evaluator.usage(made(name, second))["requests.a.dev/gpu"])

    assert (used("a", 2), used("b", 2), used("c", 3), used("new", 4)) == ("1", "3", "3", "3")
    running["status"] = {"extendedResourceClaimStatus": {"resourceClaimName": "c"}}
    assert (used("a", 2), used("c", 3)) == ("3", "1")


def test_quotas_limit_devices() -> None:
    evaluator = using_devices({})
    named = [COUNTED, f"x{DEVICES}", f"{IMPLICIT}gpu", f"{IMPLICIT}nic", "requests.a.dev/gpu"]
    others = [f"{IMPLICIT}other", "requests.a.dev/other", "requests.cpu", "pods", "count/pods"]
    assert evaluator.limited(others + named) == sorted(named)
    quotas = Quotas({f"nic{DEVICES}": "4"})
    plugin = ResourceQuota(following(quotas.quota), quotas._charge, Evaluators(evaluator))
    assert refusal(plugin, request(claim(exactly("nic", 3)), "resourceclaims", "resource.k8s.io")) == ""
    told = f"exceeded quota: q, requested: nic{DEVICES}=2, used: nic{DEVICES}=3, limited: nic{DEVICES}=4"
    quotas.quota["status"]["used"] = {f"nic{DEVICES}": "3"}
    again = ResourceQuota(following(quotas.quota), quotas._charge, Evaluators(evaluator))
    assert refusal(again, request(claim(exactly("nic", 2)), "resourceclaims", "resource.k8s.io")) == told


def test_a_pod_that_should_have_gone_is_only_counted() -> None:
    quotas = Quotas({"pods": "5", "count/pods": "5"})
    overdue = {**pod({}), "metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}}
    assert quotas.ask(overdue) == ""
    assert quotas.used == {"pods": "0", "count/pods": "1"}
