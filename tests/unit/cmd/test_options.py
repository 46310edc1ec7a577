"""The command line: flags, what they come to, and what is said about wrong ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quarterdeck.admission import pluginnames
from quarterdeck.authorization.configuration import Webhook
from quarterdeck.cmd import main as commands
from quarterdeck.cmd import options, upstream_flags
from quarterdeck.server.config import Config, ConfigError, VirtualClockSettings

TTL = ("--authorization-webhook-cache-unauthorized-ttl=x",)


def parse(*arguments: str) -> Config:
    return options.build_config(options.build_parser().parse_args(["serve", "--data-dir", "/d", *arguments]))


def test_without_flags_the_defaults_hold() -> None:
    assert parse() == Config(data_dir=Path("/d"))


def test_every_flag_arrives() -> None:
    config = parse(
        *("--bind-address=::1", "--secure-port", "0", "--insecure-port=8080", "--token-auth-file=t"),
        *("--client-ca-file=c", "--tls-cert-file=a", "--tls-private-key-file=b", "--cert-dir=e"),
        *("--write-kubeconfig=k", "--emulated-version=1.35", "--anonymous-auth=false"),
        *("--watch-cache=false", "--default-watch-cache-size=0", "--watch-cache-sizes=pods#9,w.example.com#0"),
        *("--controllers=*,-garbagecollector", "--controllers=namespace-controller"),
        *("--min-request-timeout=60", "--watch-cache-consistency-check-period=1m30s"),
    )
    assert (config.bind_address, config.secure_port, config.insecure_port) == ("::1", 0, 8080)
    assert (config.token_auth_file, config.client_ca_file) == (Path("t"), Path("c"))
    assert (config.tls_cert_file, config.tls_private_key_file, config.cert_dir) == (Path("a"), Path("b"), Path("e"))
    assert (config.write_kubeconfig, config.is_anonymous_allowed) == (Path("k"), False)
    assert config.version.git_version == "v1.35.0+quarterdeck"
    assert (config.default_watch_cache_size, config.min_request_timeout_s) == (0, 60)
    assert not config.has_watch_cache
    assert config.watch_cache_sizes == {("", "pods"): 9, ("example.com", "w"): 0}
    assert config.consistency_check_period_s == 90
    assert config.controllers == ("*", "-garbage-collector-controller", "namespace-controller")


def test_switches_may_stand_alone() -> None:
    config = parse("--anonymous-auth", "--enable-priority-and-fairness")
    assert config == parse("--anonymous-auth=true", "--enable-priority-and-fairness=true")
    assert config.is_anonymous_allowed


def test_a_virtual_clock_begins_now_or_at_a_time() -> None:
    assert parse("--virtual-clock").virtual_clock == VirtualClockSettings()
    wanted = VirtualClockSettings(1_767_225_600, 7)
    assert parse("--virtual-clock=2026-01-01T00:00:00Z", "--seed=7").virtual_clock == wanted


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--bind-address=localhost"], "--bind-address 'localhost' is not an IP address"),
        (["--secure-port=65536"], "--secure-port 65536 is not between 0 and 65535"),
        (["--insecure-port=-1"], "--insecure-port -1 is not between 0 and 65535"),
        (["--insecure-port=6443"], "--insecure-port and --secure-port are the same"),
        (["--controllers=*,-foo"], '"foo" is not in the list of known controllers'),
        (["--min-request-timeout=-1"], "--min-request-timeout can not be negative value"),
        (["--default-watch-cache-size=-1"], "--default-watch-cache-size cannot be negative"),
        (["--watch-cache-sizes=a#b"], "--watch-cache-sizes: invalid size of watch cache size: a#b"),
        (["--seed=1"], "--seed needs --virtual-clock"),
        (["--virtual-clock=noon"], "--virtual-clock 'noon' is no time as of RFC 3339"),
        (["--tls-cert-file=a"], "--tls-cert-file and --tls-private-key-file belong together"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        parse(*arguments)
    assert commands.main(["serve", "--data-dir", "/d", *arguments]) == commands.EXIT_USAGE


def test_objects_are_kept_in_memory_or_in_etcd(capsys: pytest.CaptureFixture[str]) -> None:
    etcd = ("--storage-backend=etcd3", "--etcd-servers=http://127.0.0.1:1")
    assert commands.main(["serve", "--data-dir", "/d", "--ephemeral", *etcd]) == commands.EXIT_USAGE
    assert "--ephemeral and --storage-backend=etcd3 do not go together" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["serve", "--data-dir"],
        ["nothing"],
        ["serve", "--data-dir", "d", "--unknown"],
        ["serve", "--data-dir", "d", "--secure-port=x"],
        ["serve", "--data-dir", "d", "--anonymous-auth=maybe"],
        ["serve", "--data-dir", "d", "--emulated-version=x"],
        ["serve", "--data-dir", "d", "--secure", "1"],
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(arguments)
    assert ended.value.code == 2
    assert "usage: quarterdeck" in capsys.readouterr().err


def test_the_help_of_the_server_is_a_page_with_sections(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["serve", "--help"])
    assert ended.value.code == 0
    page = capsys.readouterr().out
    sections = re.findall(r"(?m)^(\S.*):$", page)
    assert {"data and addresses", "authentication", "audit", "traces", "exit status", "examples"} <= set(sections)
    assert len(sections) == len(set(sections))
    flags = re.findall(r"(?m)^  (--[a-z0-9-]+)", page)
    assert len(flags) == len(set(flags)) > 100


def test_examples_of_the_help_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        commands.main(["serve", "--help"])
    section = capsys.readouterr().out.partition("\nexamples:\n")[2].partition("\n\n")[0]
    examples = re.findall(r"(?m)^  quarterdeck (serve .+)$", section)
    assert len(examples) == 3
    for example in examples:
        arguments, ignored = options.parse([*example.split(), "--data-dir=d"])
        options.build_config(arguments)
        assert ignored == []


def test_flags_of_kube_apiserver_without_meaning_here_are_taken_and_named() -> None:
    arguments, ignored = options.parse(
        [
            *("serve", "--etcd-servers=http://127.0.0.1:1", "--allow-privileged", "--authorization-mode=Node,RBAC"),
            *("--data_dir", "d", "--etcd_prefix", "/registry", "--event-ttl", "2h", "--event-ttl=3h"),
            *("-v=4", "--v=4", "-v4", "-v", "4", "--profiling", "--secure_port=7"),
        ]
    )
    assert ignored == [
        *("--etcd-servers", "--etcd-prefix", "--event-ttl"),
        *("-v", "--v", "--profiling"),
    ]
    assert (arguments.data_dir, arguments.secure_port, arguments.allow_privileged) == (Path("d"), 7, True)


ENVTEST = (
    *("--advertise-address=127.0.0.1", "--etcd-servers=http://127.0.0.1:2379", "--cert-dir=/d/certs"),
    *("--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", "--authorization-mode=RBAC"),
    *("--disable-admission-plugins=ServiceAccount", "--secure-port=0", "--bind-address=127.0.0.1"),
    *("--insecure-port=0", "--service-account-issuer=https://127.0.0.1:6443/", "--client-ca-file=c"),
    *("--service-account-key-file=k", "--service-account-signing-key-file=s"),
)
KUBEADM = (
    *("--advertise-address=10.0.0.1", "--allow-privileged=true", "--authorization-mode=Node,RBAC"),
    *("--client-ca-file=c", "--enable-admission-plugins=NodeRestriction", "--enable-bootstrap-token-auth=true"),
    *("--etcd-cafile=e", "--etcd-certfile=e", "--etcd-keyfile=e", "--etcd-servers=https://127.0.0.1:2379"),
    *("--kubelet-client-certificate=k", "--kubelet-client-key=k", "--proxy-client-cert-file=p"),
    *("--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname", "--proxy-client-key-file=p"),
    *("--requestheader-allowed-names=front-proxy-client", "--requestheader-client-ca-file=f"),
    *("--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-group-headers=X-Remote-Group"),
    *("--requestheader-username-headers=X-Remote-User", "--secure-port=6443"),
    *("--service-account-issuer=https://kubernetes.default.svc.cluster.local", "--service-account-key-file=k"),
    *("--service-account-signing-key-file=s", "--service-cluster-ip-range=10.96.0.0/12"),
    *("--tls-cert-file=t", "--tls-private-key-file=t"),
)


@pytest.mark.parametrize("flags", [ENVTEST, KUBEADM], ids=["envtest", "kubeadm"])
def test_what_others_pass_by_default_starts_the_server(flags: tuple[str, ...]) -> None:
    arguments, _ = options.parse(["serve", "--data-dir=d", *flags])
    assert options.build_config(arguments).insecure_port is None


REFUSED_BY_DEFAULT = sorted(upstream_flags.REFUSED - {"service-account-lookup"})


@pytest.mark.parametrize("flag", REFUSED_BY_DEFAULT)
def test_what_would_make_the_server_safer_is_refused(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ((f"--{flag}=x",), (f"--{flag}", "x"), (f"--{flag.replace('-', '_')}", "-")):
        assert commands.main(["serve", "--data-dir=d", *arguments]) == commands.EXIT_USAGE
        assert f"error: --{flag} cannot be honoured: " in capsys.readouterr().err
    options.parse(["serve", "--data-dir=d", f"--{flag}="])  # upstream's default


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("--service-account-lookup=false", "always compared"),
    ],
)
def test_values_that_ask_for_more_than_there_is_are_refused(argument: str, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        options.build_config(options.parse(["serve", "--data-dir=d", argument])[0])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--authorization-mode="], "at least one authorization-mode must be passed"),
        (["--authorization-mode=Rbac"], 'authorization-mode "Rbac" is not a valid mode'),
        (
            ["--authorization-mode=RBAC,Node,RBAC"],
            r'authorization-mode \["RBAC" "Node" "RBAC"\] has mode specified more than once',
        ),
        (["--authorization-mode=ABAC"], "authorization-mode ABAC's authorization policy file not passed"),
        (["--authorization-policy-file=f"], "cannot specify --authorization-policy-file without mode ABAC"),
        (["--authorization-mode=Webhook"], "authorization-mode Webhook's authorization config file not passed"),
        (
            ["--authorization-webhook-config-file=f"],
            "cannot specify --authorization-webhook-config-file without mode Webhook",
        ),
        (
            ["--authorization-config=f", "--authorization-mode=RBAC"],
            "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-",
        ),
        (
            ["--authorization-config=f", "--authorization-webhook-cache-authorized-ttl=1s"],
            "--authorization-config can not be specified",
        ),
        (["--authorization-webhook-version=v2"], 'unsupported webhook authorizer version "v2"'),
        (
            ["--authorization-mode=Webhook", "--authorization-webhook-config-file=f", *TTL],
            'cache-unauthorized-ttl: time: invalid duration "x"',
        ),
    ],
)
def test_flags_of_authorization_that_do_not_go_together(arguments: list[str], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        parse(*arguments)


def test_authorizers_are_asked_in_the_order_of_their_modes() -> None:
    assert [(each.type, each.name) for each in parse().authorizers] == [("RBAC", "rbac")]
    found = parse(
        "--authorization-mode=Node,Webhook,AlwaysDeny",
        "--authorization-webhook-config-file=/f",
        "--authorization-webhook-version=v1",
        "--authorization-webhook-cache-unauthorized-ttl=0",
    ).authorizers
    assert [(each.type, each.name) for each in found] == [
        ("Node", "node"),
        ("Webhook", "default"),
        ("AlwaysDeny", "alwaysdeny"),
    ]
    assert found[1].webhook == Webhook(Path("/f"), "v1", unauthorized_ttl_s=0.0)
    assert parse("--authorization-config=f").authorization_config == Path("f")
    found_policies = parse("--authorization-mode=ABAC,RBAC", "--authorization-policy-file=/p")
    assert [each.name for each in found_policies.authorizers] == ["abac", "rbac"]
    assert found_policies.authorization_policy_file == "/p"
    assert parse("--authorization-policy-file=").authorization_policy_file == ""


@pytest.mark.parametrize(
    ("arguments", "allows"),
    [
        ((), False),
        (("--allow-privileged",), True),
        (("--allow-privileged=true",), True),
        (("--allow-privileged=0",), False),
    ],
)
def test_privileged_containers_are_let_in_where_the_flag_says_so(arguments: tuple[str, ...], allows: bool) -> None:
    assert parse(*arguments).allows_privileged is allows


def test_plugins_are_switched_on_and_off() -> None:
    assert parse().admission_plugins == pluginnames.ON
    found = parse("--disable-admission-plugins=Priority,ServiceAccount", "--enable-admission-plugins=AlwaysAdmit")
    assert found.admission_plugins == pluginnames.ON - {"Priority"}
    found = parse("--enable-admission-plugins=ClusterTrustBundleAttest,ExtendedResourceToleration")
    assert found.admission_plugins == pluginnames.ON | {"ExtendedResourceToleration"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("--enable-admission-plugins=Priority,AlwaysDeny",),
            "does what AlwaysDeny does",
        ),
        (("--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"), "overlapped"),
        (("--disable-admission-plugins=None",), 'disable-admission-plugins plugin "None" is unknown'),
    ],
)
def test_plugins_that_cannot_be_switched_are_refused(arguments: tuple[str, ...], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        parse(*arguments)


def test_insecure_port_0_is_off_and_auto_is_a_free_one() -> None:
    assert parse("--insecure-port=0").insecure_port is None
    assert parse("--insecure-port=auto").insecure_port == 0
    assert parse("--insecure-port=8080").insecure_port == 8080


def test_versions_and_ciphers_of_tls_arrive() -> None:
    assert parse().tls[:2] == ("TLSv1_2", "")
    assert parse("--tls-min-version=VersionTLS13").tls[:2] == ("TLSv1_3", "")
    assert parse("--tls-min-version=VersionTLS10").tls[:2] == ("TLSv1_2", "")
    suites = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"
    assert parse(f"--tls-cipher-suites={suites}").tls[:2] == (
        "TLSv1_2",
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305",
    )
    assert parse("--tls-cipher-suites=TLS_AES_128_GCM_SHA256").tls[:2] == ("TLSv1_3", "")


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("--tls-min-version=1.2", 'unknown tls version "1.2"'),
        ("--tls-cipher-suites=TLS_X", "Cipher suite TLS_X not supported or doesn't exist"),
        ("--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA", "none of the cipher suites"),
    ],
)
def test_versions_and_ciphers_that_do_not_exist(argument: str, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        parse(argument)


def test_what_kube_apiserver_does_not_have_is_not_taken() -> None:
    for flag in ("--etcd-server=x", "--data-dirs=d", "-w", "--no-profiling"):
        with pytest.raises(SystemExit):
            options.parse(["serve", "--data-dir=d", flag])
    with pytest.raises(SystemExit):
        options.parse(["version", "--etcd-servers=x"])


def test_no_flag_is_both_ignored_and_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options.parse(["serve", "--help"])
    known = set(re.findall(r"(?m)^  --([a-z][a-z0-9-]+)", capsys.readouterr().out))
    assert known & (upstream_flags.IGNORED | upstream_flags.REFUSED) == set()
    assert not upstream_flags.IGNORED & upstream_flags.REFUSED


def test_help_and_version_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["version"]) == 0
    assert "Kubernetes v1.36.0+quarterdeck" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        commands.main(["serve", "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "--token-auth-file" in shown
    assert "--etcd-servers" not in shown


def test_flags_of_accounts_and_proxies_arrive() -> None:
    config = parse(
        *("--service-account-issuer=https://a", "--service-account-issuer=https://b", "--api-audiences=x,y"),
        *("--service-account-key-file=k1", "--service-account-key-file=k2", "--service-account-signing-key-file=s"),
        *("--service-account-max-token-expiration=2h", "--service-account-jwks-uri=https://j"),
        *("--requestheader-client-ca-file=p", "--requestheader-allowed-names=front, other"),
        *("--requestheader-username-headers=X-User", "--requestheader-uid-headers=x-remote-uid"),
    )
    accounts, proxy = config.service_accounts, config.front_proxy
    assert accounts.issuers == ("https://a", "https://b")
    assert (accounts.key_files, accounts.signing_key_file) == ((Path("k1"), Path("k2")), Path("s"))
    assert (accounts.audiences, accounts.jwks_uri, accounts.expiration_max_s) == (("x", "y"), "https://j", 7200)
    assert proxy is not None
    assert (proxy.client_ca_file, proxy.allowed_names) == (Path("p"), ("front", "other"))
    assert (proxy.names, proxy.uids) == (("X-User",), ("x-remote-uid",))
    assert (proxy.groups, proxy.extra_prefixes) == (("x-remote-group",), ("x-remote-extra-",))
    assert parse().front_proxy is None
    with pytest.raises(ConfigError, match="between 1 hour and"):
        parse("--service-account-max-token-expiration=5m")


def test_a_list_that_is_given_again_is_added_to() -> None:
    config = parse(
        *("--requestheader-client-ca-file=p", "--requestheader-allowed-names=a,b", "--requestheader-allowed-names=c"),
        *("--requestheader-group-headers=x-a", "--requestheader-group-headers=x-b"),
        *("--authorization-mode=Node", "--authorization-mode=RBAC"),
    )
    assert config.front_proxy is not None
    assert (config.front_proxy.allowed_names, config.front_proxy.groups) == (("a", "b", "c"), ("x-a", "x-b"))
    assert [each.type for each in config.authorizers] == ["Node", "RBAC"]
    with pytest.raises(ConfigError, match="has mode specified more than once"):
        parse("--authorization-mode=RBAC", "--authorization-mode=Node,RBAC")


def test_what_other_servers_know_this_one_by() -> None:
    config = parse("--proxy-client-cert-file=c", "--proxy-client-key-file=k")
    assert config.proxy_client == (Path("c"), Path("k"))
    assert config.rejects_forwarding_redirects
    assert not parse("--aggregator-reject-forwarding-redirect=false").rejects_forwarding_redirects
    for half in ("cert", "key"):
        with pytest.raises(ConfigError, match="belong together"):
            parse(f"--proxy-client-{half}-file=f")


def test_how_long_pods_stay_on_lost_nodes() -> None:
    def settings(*flags: str) -> tuple[int, int]:
        config = options.build_config(options.parse(["serve", "--data-dir=d", *flags])[0])
        return config.admission_settings.default_toleration_s

    assert settings() == (300, 300)
    assert settings("--default-not-ready-toleration-seconds=0", "--default-unreachable-toleration-seconds=-5") == (
        0,
        -5,
    )
