"""What the file of --admission-control-config-file makes of plugins, and what is told of one that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.admission import pluginnames, pluginsettings
from quarterdeck.admission.pluginsettings import EventLimit, LimitedResource, PluginSettings
from quarterdeck.admission.podsecurity.levels import LevelVersion, Policy
from quarterdeck.schema.configfile import BadFile
from quarterdeck.server.admissionconfig.load import load

PLUGINS = pluginnames.ON | pluginnames.OFF - pluginnames.CONFIGURED
HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"
POD_SECURITY = {"apiVersion": "pod-security.admission.config.k8s.io/v1", "kind": "PodSecurityConfiguration"}
EVENTS = {"apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration"}
TOLERATIONS = {"apiVersion": "podtolerationrestriction.admission.k8s.io/v1alpha1", "kind": "Configuration"}
QUOTA = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration"}
WEBHOOKS = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "WebhookAdmissionConfiguration"}
POLICIES = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ValidatingAdmissionPolicyConfiguration"}
KUBECONFIG = {
    "current-context": "x",
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "*"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://images.example.com/policy"}}],
    "users": [{"name": "*", "user": {"token": "t"}}],
}


def of_plugin(name: str, configuration: Any) -> str:
    return HEAD + f"plugins: {json.dumps([{'name': name, 'configuration': configuration}])}"


def loaded(tmp_path: Path, text: str, *more: str) -> PluginSettings:
    (tmp_path / "admission.yaml").write_text(text)
    return load(tmp_path / "admission.yaml", PLUGINS | {*more})


def told(tmp_path: Path, text: str, *more: str) -> str:
    with pytest.raises(BadFile) as caught:
        loaded(tmp_path, text, *more)
    return str(caught.value)


def test_a_file_that_tells_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, HEAD) == load(None, PLUGINS) == pluginsettings.DEFAULT


def test_levels_and_exemptions_of_pods(tmp_path: Path) -> None:
    defaults = {"enforce": "baseline", "enforce-version": "v1.30", "warn": "restricted"}
    exemptions = {"usernames": ["u"], "namespaces": ["n", "m"], "runtimeClasses": ["r"]}
    found = loaded(
        tmp_path, of_plugin("PodSecurity", {**POD_SECURITY, "defaults": defaults, "exemptions": exemptions})
    ).pod_security
    policy = Policy(LevelVersion("baseline", "v1.30"), LevelVersion(), LevelVersion("restricted"))
    assert found == (policy, {"u"}, {"n", "m"}, {"r"})


def test_a_configuration_stands_in_a_file_beside_and_the_first_of_a_name_counts(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(json.dumps({**POD_SECURITY, "defaults": {"audit": "baseline"}}))
    plugins = [{"name": "PodSecurity", "path": "pods.json"}, {"name": "PodSecurity", "path": "absent"}]
    others = [{"name": "EventRateLimit", "path": "absent"}, {"name": "Unknown", "path": "absent"}]
    found = loaded(tmp_path, HEAD + f"plugins: {json.dumps(plugins + others)}")
    assert found.pod_security.defaults.audit == LevelVersion("baseline")


def test_what_other_plugins_are_told(tmp_path: Path) -> None:
    found = loaded(tmp_path, of_plugin("PodNodeSelector", {"podNodeSelectorPluginConfig": {"ns": "a=b"}}))
    assert found.node_selectors == {"ns": "a=b"}
    one = {"key": "k", "operator": "Exists"}
    found = loaded(tmp_path, of_plugin("PodTolerationRestriction", {**TOLERATIONS, "default": [one], "odd": 1}))
    assert found.tolerations == ((one,), ())
    limits = [{"type": "Server", "qps": 1, "burst": 2}, {"type": "User", "qps": 3, "burst": 4, "cacheSize": 5}]
    found = loaded(tmp_path, of_plugin("EventRateLimit", {**EVENTS, "limits": limits}), "EventRateLimit")
    assert found.event_limits == (EventLimit("Server", 1, 2, 4096), EventLimit("User", 3, 4, 5))
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": ["p"]}
    limited = [{"apiGroup": "apps", "resource": "r", "matchContains": ["x"]}, {"resource": "p", "matchScopes": [scope]}]
    found = loaded(tmp_path, of_plugin("ResourceQuota", {**QUOTA, "limitedResources": limited}))
    assert found.limited_resources == (
        LimitedResource("apps", "r", ("x",), ()),
        LimitedResource("", "p", (), (scope,)),
    )


def test_as_whom_webhooks_are_called(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(KUBECONFIG))
    found = loaded(tmp_path, of_plugin("MutatingAdmissionWebhook", {**WEBHOOKS, "kubeConfigFile": str(file)}))
    assert found.validating_users is None
    assert found.mutating_users is not None
    user = found.mutating_users.find("h:1")
    assert user is not None
    assert user.credentials.headers() == {"Authorization": "Bearer t"}
    assert loaded(tmp_path, of_plugin("MutatingAdmissionWebhook", WEBHOOKS)).mutating_users is None


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, (300, 30, 0.5, False)),
        ({"allowTTL": 2, "denyTTL": -1, "retryBackoff": 3, "defaultAllow": True}, (2, 0, 0.003, True)),
    ],
)
def test_how_images_are_judged(tmp_path: Path, given: dict[str, Any], wanted: tuple[float, float, float, bool]) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(KUBECONFIG))
    configuration = {"imagePolicy": {"kubeConfigFile": str(file), **given}}
    texts = (of_plugin("ImagePolicyWebhook", configuration), json.dumps(configuration))
    for text in texts:  # the second as it was before there were kinds
        found = loaded(tmp_path, text, "ImagePolicyWebhook").image_policy
        assert found is not None
        assert found[1:] == wanted
        assert found.remote.target.authority == "images.example.com"


READ = "failed to read plugin config: "
INIT = "couldn't init admission plugin "
PODS = 'failed to initialize admission plugin "PodSecurity": PodSecurity'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", f"{READ}Object 'Kind' is missing in ''"),
        ("kind: AdmissionConfiguration", f"{READ}Object 'apiVersion' is missing in 'kind: AdmissionConfiguration'"),
        (
            "apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration",
            f'{READ}no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme '
            '"k8s.io/apiserver/pkg/server/options/admission.go:51"',
        ),
        (HEAD + "pluginz: []", f'{READ}strict decoding error: unknown field "pluginz"'),
        (
            HEAD + "plugins: [{name: 3}]",
            f"{READ}json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of "
            "type string",
        ),
        ("a: b: c", f"{READ}yaml: mapping values are not allowed in this context"),
        (of_plugin("PodSecurity", {}), f"{INIT}\"PodSecurity\": Object 'Kind' is missing in '{{}}'"),
        (
            of_plugin("PodSecurity", {**POD_SECURITY, "defaults": {"enforce": 3}}),
            f'{INIT}"PodSecurity": json: cannot unmarshal number into Go struct field '
            "PodSecurityDefaults.defaults.enforce of type string",
        ),
        (
            of_plugin("PodSecurity", {**POD_SECURITY, "defaults": {"enforce-version": "v1.01", "warn": "x"}}),
            f'{PODS} configuration error: [enforce-version: must be "latest" or "v1.x", warn: must be one of '
            "privileged, baseline, restricted]",
        ),
        (
            of_plugin("PodSecurity", {**POD_SECURITY, "exemptions": {"usernames": ["", "a", "a"]}}),
            f'{PODS} invalid: [exemptions.usernames[0]: Invalid value: "": username must not be empty, '
            'exemptions.usernames[2]: Duplicate value: "a"]',
        ),
        (
            of_plugin("ResourceQuota", {**QUOTA, "limitedResources": [{}]}),
            f'{INIT}"ResourceQuota": limitedResources[0].resource: Required value',
        ),
        (
            of_plugin(
                "ResourceQuota",
                {**QUOTA, "limitedResources": [{"resource": "pods", "matchScopes": [{"operator": "Is"}]}]},
            ),
            f'{INIT}"ResourceQuota": limitedResources[0].matchScopes[0].operator: Unsupported value: "Is": supported '
            'values: "DoesNotExist", "Exists", "In", "NotIn"',
        ),
        (
            of_plugin(
                "ResourceQuota",
                {
                    **QUOTA,
                    "limitedResources": [
                        {
                            "resource": "pods",
                            "matchScopes": [
                                {"scopeName": "PriorityClass", "operator": "Exists", "values": ["a/b"]},
                                {"scopeName": "Terminating", "operator": "In"},
                                {"scopeName": "PriorityClass", "operator": "In"},
                            ],
                        }
                    ],
                },
            ),
            f'{INIT}"ResourceQuota": limitedResources[0].matchScopes[2]: Invalid value: "PriorityClass": values: '
            "Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            of_plugin("ValidatingAdmissionWebhook", {**WEBHOOKS, "kubeConfigFile": "a/b"}),
            f'{INIT}"ValidatingAdmissionWebhook": kubeConfigFile: Invalid value: "a/b": must be an absolute file path',
        ),
        (
            of_plugin("ValidatingAdmissionWebhook", {**WEBHOOKS, "kubeConfigFile": "/absent"}),
            f'{INIT}"ValidatingAdmissionWebhook": /absent: /absent: no such file or directory',
        ),
        (
            of_plugin("ValidatingAdmissionPolicy", {**POLICIES, "staticManifestsDir": "/tmp"}),
            f'{INIT}"ValidatingAdmissionPolicy": staticManifestsDir: Forbidden: staticManifestsDir requires the '
            "ManifestBasedAdmissionControlConfig feature gate to be enabled",
        ),
        (
            of_plugin("PodTolerationRestriction", {**TOLERATIONS, "whitelist": [{"operator": "Exists", "value": "x"}]}),
            f'{INIT}"PodTolerationRestriction": invalid config: [podtolerationrestriction.whitelist[0].operator: '
            "Invalid value: \"x\": value must be empty when `operator` is 'Exists']",
        ),
        (
            of_plugin("PodNodeSelector", {"podNodeSelectorPluginConfig": 3}),
            f'{INIT}"PodNodeSelector": json: cannot unmarshal number into Go struct field '
            "pluginConfig.podNodeSelectorPluginConfig of type map[string]string",
        ),
    ],
)
def test_what_cannot_be_used_is_told(tmp_path: Path, text: str, error: str) -> None:
    assert told(tmp_path, text) == error


@pytest.mark.parametrize(
    ("plugin", "configuration", "error"),
    [
        ("EventRateLimit", EVENTS, "limits: Invalid value: null: must not be empty"),
        (
            "EventRateLimit",
            {**EVENTS, "limits": [{"type": "Odd", "qps": -1}, {"type": "User", "qps": 1, "burst": 1, "cacheSize": -3}]},
            '[limits[0].type: Unsupported value: "Odd": supported values: "Namespace", "Server", "SourceAndObject", '
            '"User", limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: -1: must be '
            "positive, limits[1].cacheSize: Invalid value: -3: must not be negative]",
        ),
        ("ImagePolicyWebhook", {"imagePolicy": {}}, "invalid configuration: no configuration has been provided"),
        (
            "ImagePolicyWebhook",
            {"imagePolicy": {"allowTTL": 100000}},
            "valid value is between 1s and 30m0s, got 27h46m40s",
        ),
        (
            "ImagePolicyWebhook",
            {"imagePolicy": {"retryBackoff": 400000}},
            "valid value is between 1ns and 5m0s, got 6m40s",
        ),
        (
            "ImagePolicyWebhook",
            {"imagePolicy": {"denyTTL": "30s"}},
            "json: cannot unmarshal string into Go struct field imagePolicyWebhookConfig.imagePolicy.denyTTL of type "
            "time.Duration",
        ),
    ],
)
def test_of_plugins_that_need_a_configuration(tmp_path: Path, plugin: str, configuration: Any, error: str) -> None:
    assert told(tmp_path, of_plugin(plugin, configuration), plugin) == f'{INIT}"{plugin}": {error}'


def test_plugins_that_need_a_configuration_do_not_start_without_one(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD, "ImagePolicyWebhook") == f'{INIT}"ImagePolicyWebhook": no config specified'
    with pytest.raises(BadFile, match='"EventRateLimit": limits: Invalid value: null: must not be empty'):
        load(None, PLUGINS | {"EventRateLimit"})


def test_files_that_are_not_there(tmp_path: Path) -> None:
    file = tmp_path / "absent"
    with pytest.raises(BadFile) as caught:
        load(file, PLUGINS)
    text = f'unable to read admission control configuration from "{file}" [open {file}: no such file or directory]'
    assert str(caught.value) == READ + text
    error = told(tmp_path, HEAD + "plugins: [{name: PodSecurity, path: absent}]")
    assert error == f"Couldn't open admission plugin configuration {file}: no such file or directory"
