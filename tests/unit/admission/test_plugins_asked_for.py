"""Plugins about pods and services that have to be asked for: what they set, and what they refuse."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.antiaffinity import LimitAntiAffinity
from quarterdeck.admission.plugins.autoprovision import NamespaceAutoProvision
from quarterdeck.admission.plugins.externalips import DenyServiceExternalIPs
from quarterdeck.admission.plugins.namespacetolerations import PodTolerationRestriction
from quarterdeck.admission.plugins.nodeselector import PodNodeSelector
from quarterdeck.admission.plugins.pullimages import AlwaysPullImages
from quarterdeck.admission.pluginsettings import TolerationSettings
from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.builtin.core import tolerations
from quarterdeck.registry.builtin.core.podamounts import quality_of_service

Object = dict[str, Any]
PREFIX = "scheduler.alpha.kubernetes.io/"


def asked(spec: Object, old: Object | None = None, operation: str = "", subresource: str = "") -> Any:
    before = None if old is None else {"metadata": {"name": "p"}, "spec": old}
    return SimpleNamespace(
        operation=operation or ("CREATE" if old is None else "UPDATE"),
        obj={"metadata": {"name": "p"}, "spec": spec},
        old=before,
        subresource=subresource,
        name="p",
        namespace="ns",
    )


def image(policy: str, name: str = "i") -> Object:
    return {"name": "c", "image": name, "imagePullPolicy": policy}


def test_images_are_always_pulled() -> None:
    volume = {"name": "v", "image": {"reference": "r", "pullPolicy": "Never"}}
    given = asked({"containers": [image("Never")], "initContainers": [image("IfNotPresent")], "volumes": [volume]})
    AlwaysPullImages().admit(given)
    spec = given.obj["spec"]
    policies = [spec[member][0]["imagePullPolicy"] for member in ("containers", "initContainers")]
    assert [*policies, spec["volumes"][0]["image"]["pullPolicy"]] == ["Always"] * 3
    AlwaysPullImages().validate(given)
    assert volume["image"] == {"reference": "r", "pullPolicy": "Never"}, "what was given is not changed"


def test_an_update_without_new_images_is_let_be() -> None:
    old = {"containers": [image("Never")]}
    for new, policy in ((image("Never"), "Never"), (image("Never", "other"), "Always")):
        given = asked({"containers": [new]}, old)
        AlwaysPullImages().admit(given)
        assert given.obj["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_what_another_plugin_set_back_is_refused() -> None:
    text = 'pods "p" is forbidden: spec.containers[{}].imagePullPolicy: Unsupported value: "Never": ' + (
        'supported values: "Always"'
    )
    with pytest.raises(errors.Unreasoned) as one:
        AlwaysPullImages().validate(asked({"containers": [image("Never"), image("Always")]}))
    assert str(one.value) == text.format(0)
    with pytest.raises(errors.Unreasoned) as both:
        AlwaysPullImages().validate(asked({"containers": [image("Never"), image("Never")]}))
    assert str(both.value) == f"[{text.format(0)}, {text.format(1)}]"


def test_a_pod_keeps_others_off_its_node_alone() -> None:
    def away(key: str) -> Any:
        terms = [{"topologyKey": "kubernetes.io/hostname"}, {"topologyKey": key}]
        return asked({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})

    LimitAntiAffinity().validate(away("kubernetes.io/hostname"))
    with pytest.raises(errors.Forbidden, match=r"has TopologyKey zone but only key kubernetes\.io/hostname is allowed"):
        LimitAntiAffinity().validate(away("zone"))


def test_a_service_gets_no_new_external_addresses() -> None:
    plugin = DenyServiceExternalIPs()
    plugin.validate(asked({}))
    plugin.validate(asked({"externalIPs": ["1.2.3.4"]}, {"externalIPs": ["1.2.3.4", "1.2.3.5"]}))
    plugin.validate(asked({"externalIPs": ["1.2.3.4"]}, {}, subresource="status"))
    for old in (None, {"externalIPs": ["1.2.3.5"]}):
        with pytest.raises(errors.Forbidden, match="Use of external IPs is denied by admission control"):
            plugin.validate(asked({"externalIPs": ["1.2.3.4"]}, old))


def selecting(text: str) -> PodNodeSelector:
    return PodNodeSelector(lambda _: {f"{PREFIX}node-selector": text})


@pytest.mark.parametrize(
    ("text", "own", "found"),
    [
        ("env=prod, a = b", {"x": "y"}, {"env": "prod", "a": "b", "x": "y"}),
        ("env=prod", {"env": "prod"}, {"env": "prod"}),
        ("", {"x": "y"}, {"x": "y"}),
    ],
)
def test_pods_run_on_the_nodes_of_their_namespace(text: str, own: Object, found: Object) -> None:
    given = asked({"nodeSelector": own})
    selecting(text).admit(given)
    assert given.obj["spec"]["nodeSelector"] == found


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("env=prod", errors.Forbidden, "pod node label selector conflicts with its namespace node label selector"),
        ("env", errors.Unreasoned, "invalid selector: [env]"),
        ("a=b=c", errors.Unreasoned, "invalid selector: [a b c]"),
        ("-x=1", errors.Unreasoned, '<nil>: Invalid value: "-x": name part must consist of'),
        ("a=-", errors.Unreasoned, '[a]: Invalid value: "-": a valid label must be'),
    ],
)
def test_node_selectors_that_do_not_fit(text: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error) as caught:
        selecting(text).admit(asked({"nodeSelector": {"env": "dev"}}))
    assert told in str(caught.value)


def test_settings_select_nodes_for_namespaces_that_do_not() -> None:
    settings = {"clusterDefaultNodeSelector": "env=test", "ns": "env=test,a=b"}
    cases: list[tuple[dict[str, str], Object | None]] = [({}, {"env": "test"}), ({f"{PREFIX}node-selector": ""}, None)]
    for said, found in cases:
        given = asked({})
        PodNodeSelector({"ns": said}.get, settings).admit(given)
        assert given.obj["spec"].get("nodeSelector") == found
    plugin = PodNodeSelector(lambda _: {f"{PREFIX}node-selector": ""}, settings)
    plugin.validate(asked({"nodeSelector": {"a": "b", "env": "test"}}))
    for step in (plugin.admit, plugin.validate):
        with pytest.raises(errors.Forbidden, match="pod node label selector labels conflict with its namespace white"):
            step(asked({"nodeSelector": {"a": "c"}}))


def tolerating(**annotations: str) -> PodTolerationRestriction:
    found = {PREFIX + name: text for name, text in annotations.items()}
    return PodTolerationRestriction(lambda _: found, tolerations.read, quality_of_service)


def test_pods_tolerate_what_their_namespace_says() -> None:
    plugin = tolerating(defaultTolerations='[{"key":"k","operator":"Exists"}]')
    given = asked({"containers": [], "tolerations": [{"key": "k", "operator": "Equal", "value": "v"}]})
    plugin.admit(given)
    assert given.obj["spec"]["tolerations"] == [{"key": "k", "operator": "Exists"}], "what another covers goes"
    again = asked({"containers": []}, {"containers": []})
    plugin.admit(again)
    assert "tolerations" not in again.obj["spec"], "defaults are for new pods"


def test_pods_that_ask_for_something_tolerate_that_memory_is_short() -> None:
    given = asked({"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]})
    tolerating().admit(given)
    assert [each["key"] for each in given.obj["spec"]["tolerations"]] == ["node.kubernetes.io/memory-pressure"]


@pytest.mark.parametrize(
    ("allowed", "one", "is_allowed"),
    [
        ('[{"operator":"Exists"}]', {"key": "x", "operator": "Exists"}, True),
        ('[{"key":"k","operator":"Exists"}]', {"key": "x", "operator": "Exists"}, False),
        ('[{"key":"k","value":"v"}]', {"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, True),
        ('[{"key":"k","operator":"Exists","effect":"NoSchedule"}]', {"key": "k", "operator": "Exists"}, False),
        (
            '[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":30}]',
            {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 31},
            False,
        ),
        ("[]", {"key": "x"}, True),
        ("null", {"key": "x"}, True),
    ],
)
def test_which_tolerations_a_namespace_allows(allowed: str, one: Object, is_allowed: bool) -> None:
    plugin, given = tolerating(tolerationsWhitelist=allowed), asked({"containers": [], "tolerations": [one]})
    if is_allowed:
        plugin.admit(given)
        return
    with pytest.raises(errors.Unreasoned, match="conflict with its namespace whitelist"):
        plugin.admit(given)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x", "invalid character 'x' looking for beginning of value"),
        ('{"a":1}', "json: cannot unmarshal object into Go value of type []v1.Toleration"),
        ('[{"key":1}]', "json: cannot unmarshal number into Go struct field Toleration.key of type string"),
    ],
)
def test_annotations_that_are_no_tolerations(text: str, told: str) -> None:
    with pytest.raises(errors.Unreasoned) as caught:
        tolerating(defaultTolerations=text).admit(asked({"containers": []}))
    assert str(caught.value) == told


class Provisioned:
    """What a request finds of namespaces, and makes of them."""

    def __init__(self, *names: str, fault: Exception | None = None) -> None:
        self.names = set(names)
        self.fault = fault
        self.plugin = NamespaceAutoProvision(SimpleNamespace(get=self._get))  # type: ignore[arg-type]
        self.plugin.create = self._create

    def _get(self, _namespace: str, name: str) -> str | None:
        return name if name in self.names else None

    async def _create(self, name: str) -> None:
        if self.fault is not None:
            raise self.fault
        self.names.add(name)

    async def ask(self, **changes: Any) -> None:
        given = asked({})
        given.dry_run, given.kind = False, GroupVersionKind("", "v1", "Pod")
        given.resource = SimpleNamespace(group="", name="pods")
        for name, value in changes.items():
            setattr(given, name, value)
        waiting = self.plugin.admit(given)
        if waiting is not None:
            await waiting


async def test_a_namespace_that_is_missing_is_made() -> None:
    world = Provisioned()
    for changes in (
        {"dry_run": True},
        {"operation": "UPDATE"},
        {"namespace": ""},
        {"kind": GroupVersionKind("", "v1", "Namespace")},
    ):
        await world.ask(**changes)
        assert world.names == set()
    await world.ask()
    assert world.names == {"ns"}
    await world.ask()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (errors.AlreadyExists("there"), ""),
        (errors.Forbidden("no"), "no"),
        (errors.Invalid("odd"), 'pods "p" is forbidden: odd'),
    ],
)
async def test_a_namespace_that_cannot_be_made(fault: Exception, told: str) -> None:
    world = Provisioned(fault=fault)
    if not told:
        await world.ask()
        return
    with pytest.raises(errors.Forbidden) as caught:
        await world.ask()
    assert str(caught.value) == told


def test_settings_tell_what_is_tolerated_where_namespaces_do_not() -> None:
    one, other = ({"key": key, "operator": "Exists"} for key in "ab")
    settings = TolerationSettings((one,), (one,))

    def plugin(**annotations: str) -> PodTolerationRestriction:
        found = {PREFIX + name: text for name, text in annotations.items()}
        return PodTolerationRestriction(lambda _: found, tolerations.read, quality_of_service, settings)

    given = asked({"containers": []})
    plugin().admit(given)
    assert given.obj["spec"]["tolerations"] == [one]
    with pytest.raises(errors.Unreasoned, match="conflict with its cluster whitelist"):
        plugin().validate(asked({"tolerations": [other]}))
    said = asked({"containers": [], "tolerations": [other]})
    plugin(defaultTolerations="", tolerationsWhitelist="[]").admit(said)
    assert said.obj["spec"]["tolerations"] == [other], "a namespace that says nothing in many words"
