"""The options of a server, checked, under the names of kube-apiserver's flags."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from quarterdeck.admission import pluginnames, pluginsettings
from quarterdeck.admission.pluginsettings import PluginSettings
from quarterdeck.apis.enablement import USUAL, Enablement
from quarterdeck.authentication.oidc.configuration import JWTAuthenticator
from quarterdeck.authorization.configuration import DEFAULT, AuthorizerConfiguration
from quarterdeck.metrics.limits import ALL_SHOWN, Limits
from quarterdeck.server.version import DEFAULT_VERSION, Version
from quarterdeck.transport.limits import GOAWAY_CHANCE_MAX, HTTP2Settings
from quarterdeck.transport.tls_settings import DEFAULT_TLS, TLSSettings

if TYPE_CHECKING:  # loaded where something is audited
    from quarterdeck.audit.settings import AuditSettings
    from quarterdeck.controllers.leaderelection import Settings as ElectionSettings
    from quarterdeck.storage.etcd3.settings import Settings as EtcdSettings

DEFAULT_SERVICE_RANGES: Final[tuple[str, ...]] = ("10.0.0.0/24",)
DEFAULT_NODE_PORTS: Final = range(30000, 32768)
DEFAULT_ISSUER: Final = "https://kubernetes.default.svc"


class ConfigError(Exception):
    """Options that do not go together. The text is for the person who gave them."""


class ServiceAddress(NamedTuple):
    """Where a service is to be found; `port` 0 stands for all of its ports."""

    namespace: str
    name: str
    port: int
    host: str
    host_port: int


@dataclass(frozen=True, slots=True)
class ServiceAccounts:
    """Of their tokens. Empty: the server's own key, and upstream's usual issuer."""

    issuers: tuple[str, ...] = ()
    key_files: tuple[Path, ...] = ()
    signing_key_file: Path | None = None
    audiences: tuple[str, ...] = ()
    jwks_uri: str = ""
    expiration_max_s: int = 0
    """What is asked for beyond it is cut; 0: no bound."""
    own_key_file: Path | None = None
    """Where the server's own key lies; None: in the data directory."""


class TokenWebhook(NamedTuple):
    """Asked whose a token is; `version` is that of the reviews sent. A time to live of 0: nothing is remembered."""

    kubeconfig: Path
    version: str = "v1beta1"
    ttl_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Authentication:
    """Whose tokens are believed beside the server's own: `jwt` by these `algorithms`, or what `file` says, and what a
    webhook knows. `is_anonymous_given`: a flag says who may come without credentials."""

    file: Path | None = None
    jwt: tuple[JWTAuthenticator, ...] = ()
    algorithms: tuple[str, ...] = ("RS256",)
    is_anonymous_given: bool = False
    webhook: TokenWebhook | None = None

    @property
    def has_issuers(self) -> bool:
        return self.file is not None or bool(self.jwt)


@dataclass(frozen=True, slots=True)
class FrontProxy:
    """Whose X-Remote headers are believed; names of headers in any case."""

    client_ca_file: Path
    names: tuple[str, ...] = ()
    uids: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    extra_prefixes: tuple[str, ...] = ()
    allowed_names: tuple[str, ...] = ()


class ProxyClient(NamedTuple):
    """What the servers behind APIServices know this one by."""

    cert_file: Path
    key_file: Path


class LogicalClusters(NamedTuple):
    """`awake_max`: how many of them have a server at once, others are at rest; `memory_max_mib`: of the whole process,
    above which no more are made or woken; 0: no bound."""

    clusters_max: int = 10_000
    awake_max: int = 256
    snapshots_max: int = 1_000
    memory_max_mib: int = 0


class VirtualClockSettings(NamedTuple):
    """`start_s`: the time of day at which it stands first, None: the machine's. `seed` makes uids and names the same
    each time; None: they are random."""

    start_s: float | None = None
    seed: int | None = None


class KubeletClient(NamedTuple):
    """How kubelets are reached: whom they have to be, what they know this server by, which of their addresses."""

    authority_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None
    preferred: tuple[str, ...] = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")


@dataclass(frozen=True, slots=True)
class Config:
    data_dir: Path
    is_ephemeral: bool = False
    """Objects are held in memory; `data_dir` then has certificates and keys alone, and is removed at the end."""
    parent_process: int = 0
    """The server ends with this one; 0: with none."""
    bind_address: str = "127.0.0.1"
    secure_port: int = 6443
    """0 picks a free one."""
    insecure_port: int | None = None
    """Plain HTTP for the administrator, on the loopback interface; None: none, 0: picks a free one."""
    token_auth_file: Path | None = None
    has_bootstrap_tokens: bool = False
    """Whether the tokens of secrets for nodes that join are believed."""
    client_ca_file: Path | None = None
    tls_cert_file: Path | None = None
    tls_private_key_file: Path | None = None
    tls: TLSSettings = DEFAULT_TLS
    http2: HTTP2Settings = HTTP2Settings()  # noqa: RUF009 - it cannot be changed
    cert_dir: Path | None = None
    encryption_provider_config: Path | None = None
    is_encryption_reloaded: bool = False
    write_kubeconfig: Path | None = None
    is_anonymous_allowed: bool = True
    authorizers: tuple[AuthorizerConfiguration, ...] = DEFAULT
    """In the order in which they are asked."""
    authorization_config: Path | None = None
    """The file that names them instead."""
    authorization_policy_file: str = ""
    """The policies of ABAC."""
    allows_privileged: bool = False
    """Whether pods may ask for privileged containers."""

    enablement: Enablement = USUAL
    """Which of the built-in resources are served."""
    version: Version = DEFAULT_VERSION
    flags: Mapping[str, str] = field(default_factory=dict, compare=False)
    """As /flagz shows them, by name without dashes; what was given, not what it means."""
    shutdown_grace_s: float = 10.0
    has_watch_cache: bool = True
    default_watch_cache_size: int = 100
    watch_cache_sizes: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By group and resource."""
    request_timeout_s: float = 60.0
    min_request_timeout_s: int = 1800
    consistency_check_period_s: float = 300.0
    """How often the watch cache is compared with the store; 0: never."""

    advertise_address: str = ""
    """By which others reach the server; empty: the one it listens on, else the host's."""
    has_endpoints: bool = True
    """Whether the service `kubernetes` leads to the server's address."""
    has_flow_control: bool = True
    """Priority and fairness; without them the two limits below hold for reads and writes."""
    reads_inflight_max: int = 400
    writes_inflight_max: int = 200
    """0: no limit. With priority and fairness their sum is what the priority levels share."""
    service_ranges: tuple[str, ...] = DEFAULT_SERVICE_RANGES
    """From which services get addresses: one, or one of each family. The first is of the primary one."""
    node_ports: range = DEFAULT_NODE_PORTS
    """Which services get."""
    front_proxy: FrontProxy | None = None
    authentication: Authentication = Authentication()
    service_accounts: ServiceAccounts = ServiceAccounts()
    controllers: tuple[str, ...] = ("*",)
    """Resolved names of kube-controller-manager's; "-" before one switches it off."""
    namespace_deletion_delay_s: float = 1.0
    """From the deletion of a namespace until it is emptied: others see that it is Terminating."""
    webhook_services: tuple[ServiceAddress, ...] = ()
    proxy_client: ProxyClient | None = None
    kubelets: KubeletClient = KubeletClient()  # noqa: RUF009 - it cannot be changed
    rejects_forwarding_redirects: bool = True
    """Whether redirects by the servers behind APIServices are kept from clients."""
    admission_plugins: frozenset[str] = pluginnames.ON
    admission_settings: PluginSettings = pluginsettings.DEFAULT
    logical_clusters: LogicalClusters | None = None
    """None: there are none, and nothing is loaded for them."""
    audit: AuditSettings | None = None
    has_faults: bool = False
    """Whether requests can be spoilt by rules."""
    fault_rules_file: Path | None = None
    has_coverage: bool = False
    """Whether it is noted what the API is asked for."""
    live_page_port: int | None = None
    """Of 127.0.0.1; 0: a free one, the same as before where that can be. None: there is no page."""
    allowed_origins: tuple[str, ...] = ()
    """Patterns: pages of which other origins may read answers."""
    transport_security: tuple[str, ...] = ()
    """What browsers are told of TLS."""
    tracing_config_file: Path | None = None
    metric_limits: Limits = ALL_SHOWN
    virtual_clock: VirtualClockSettings | None = None
    """None: objects go by the machine's time."""
    record_file: Path | None = None
    """Where all requests and answers go; None: nowhere."""
    etcd: EtcdSettings | None = None
    """None: everything is kept in a file of `data_dir`."""
    election: ElectionSettings | None = None
    """Of the server that runs the controllers; None: this one does, whoever else does."""

    @property
    def authority_files(self) -> list[Path]:
        """Of those who vouch for clients and for front proxies, as flags name them."""
        proxies = None if self.front_proxy is None else self.front_proxy.client_ca_file
        return [each for each in (self.client_ca_file, proxies) if each is not None]

    def check(self) -> None:
        """Raises ConfigError."""
        try:
            ipaddress.ip_address(self.bind_address)
        except ValueError as error:
            raise ConfigError(f"--bind-address {self.bind_address!r} is not an IP address") from error
        ports = {"secure-port": self.secure_port, "insecure-port": self.insecure_port, "ui": self.live_page_port}
        for name, port in ports.items():
            if port is not None and not 0 <= port <= 65535:
                raise ConfigError(f"--{name} {port} is not between 0 and 65535")
        if self.insecure_port is not None and 0 != self.insecure_port == self.secure_port:
            raise ConfigError("--insecure-port and --secure-port are the same")
        if self.is_ephemeral and self.etcd is not None:
            raise ConfigError("--ephemeral and --storage-backend=etcd3 do not go together")
        if self.virtual_clock is not None and self.etcd is not None:
            raise ConfigError("--virtual-clock and --storage-backend=etcd3 do not go together: others would not see it")
        if self.fault_rules_file is not None and not self.has_faults:
            raise ConfigError("--fault-rules-file needs --enable-fault-injection")
        if (self.tls_cert_file is None) != (self.tls_private_key_file is None):
            raise ConfigError("--tls-cert-file and --tls-private-key-file belong together: one is missing")
        if self.service_accounts.expiration_max_s and not 3600 <= self.service_accounts.expiration_max_s <= 1 << 32:
            raise ConfigError("--service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
        self._check_inflight()
        if self.request_timeout_s <= 0:
            raise ConfigError("--request-timeout must be longer than 0")
        if self.min_request_timeout_s < 0:
            raise ConfigError("--min-request-timeout can not be negative value")
        if self.http2.streams_max < 0:
            raise ConfigError("--http2-max-streams-per-connection can not be negative value")
        if not 0 <= self.http2.goaway_chance <= GOAWAY_CHANCE_MAX:
            raise ConfigError("--goaway-chance can not be less than 0 or greater than 0.02")
        if self.default_watch_cache_size < 0:
            raise ConfigError("--default-watch-cache-size cannot be negative")

    def _check_inflight(self) -> None:
        reads, writes = self.reads_inflight_max, self.writes_inflight_max
        if reads < 0:
            raise ConfigError("--max-requests-inflight can not be negative value")
        if writes < 0:
            raise ConfigError("--max-mutating-requests-inflight can not be negative value")
        if self.has_flow_control and not reads + writes:
            raise ConfigError(
                f"invalid configuration: MaxRequestsInFlight={reads} and MaxMutatingRequestsInFlight={writes}; "
                "they must add up to something positive"
            )
