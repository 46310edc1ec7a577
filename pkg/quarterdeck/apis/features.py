"""The feature gates of Kubernetes 1.36, and which of their values this server honours.

A gate is known by its stage, which says what it is where nothing is said. The server does what the gates say by
default, but for `_OTHERWISE`, and can do otherwise for those of `_SWITCHED`. A value that asks for something else is
refused, unless the gate has no effect on what clients of an API server see (`_WITHOUT_EFFECT`: kubelets, the scheduler,
kube-controller-manager, client-go, work inside of the server, connections to kubelets): then either value is taken.

Source: the --feature-gates of 1.36's --help for those that are alpha or beta; apiserver/pkg/features, pkg/features and
the reference of feature gates for the others; component-base/featuregate/feature_gate.go and compatibility/registry.go
for the errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from quarterdeck.apimachinery import gofmt

CLUSTER_TRUST_BUNDLE: Final = "ClusterTrustBundle"
STORAGE_VERSION_MIGRATOR: Final = "StorageVersionMigrator"

_ALPHA: Final = """
    APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions
    CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR
    CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
    ControllerManagerReleaseLeaderElectionLockOnExit CrossNamespaceVolumeDataSource DRAListTypeAttributes
    DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims EventedPLEG GangScheduling
    GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
    InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LoggingAlphaOptions
    ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity NativeHistograms
    PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers PodLogsQuerySplitStreams
    PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi ShardedListAndWatch
    StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
    TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
    WorkloadAwarePreemption WorkloadWithJob
"""
_BETA_OFF: Final = """
    AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
    DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest
    SELinuxMount SchedulerAsyncAPICalls StorageVersionMigrator
"""
_BETA_ON: Final = """
    APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
    AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
    ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz
    ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging DRAConsumableCapacity
    DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus
    DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
    DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet
    GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride
    InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers
    KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletSeparateDiskGC
    KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot LoggingBetaOptions
    MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
    MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
    NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost
    PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
    PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
    ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
    RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
    SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
    StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
    StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
    StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
    StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
    TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
    UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO WatchCacheInitializationPostStartHook WatchList
    WatchListClient WindowsGracefulNodeShutdown
"""
_STABLE: Final = """
    APIServerTracing AllowServiceExternalIPs AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
    AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions
    CRDValidationRatcheting CSIServiceAccountTokenSecrets ConsistentListFromCache CustomCPUCFSQuotaPeriod
    CustomResourceFieldSelectors DRAAdminAccess DRAPrioritizedList DeclarativeValidation DisableAllocatorDualWrite
    DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume
    InOrderInformers InPlacePodVerticalScaling InformerResourceVersion JobBackoffLimitPerIndex JobManagedBy
    JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI
    KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing LogarithmicScaleDown
    MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount MutatingAdmissionPolicy
    NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
    PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
    RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization
    RetryGenerateName SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints
    SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
    ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
    StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
    SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport
    VolumeAttributesClass WinDSR WinOverlay
"""
_DEPRECATED_OFF: Final = """
    AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
    ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover GitRepoVolumeDriver KMSv1
    KubeletRegistrationGetOnExistsOnly SeparateCacheWatchRPC WindowsHostNetwork
"""
_DEPRECATED_ON: Final = """
    AggregatedDiscoveryRemoveBetaType DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion
    KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping StorageNamespaceIndex
"""
# Stable ones that upstream lets be switched off, and deprecated ones that it does not let be changed.
_NOT_LOCKED: Final = """
    AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion MutatingAdmissionPolicy
"""
_LOCKED: Final = """
    AggregatedDiscoveryRemoveBetaType AllowOverwriteTerminationGracePeriodSeconds DisableNodeKubeProxyVersion
    GitRepoVolumeDriver SeparateCacheWatchRPC
"""

_WITHOUT_EFFECT: Final = """
    APIServingWithRoutine AllowDNSOnlyNodeCSR AllowServiceExternalIPs AtomicFIFO CPUManagerPolicyAlphaOptions
    CPUManagerPolicyBetaOptions CRIListStreaming CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
    ClientsAllowCARotation ClientsAllowCBOR ClientsAllowTLSCacheGC ClientsPreferCBOR
    CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ConcurrentWatchObjectDecode
    ContainerCheckpoint ContextualLogging ControllerManagerReleaseLeaderElectionLockOnExit CustomCPUCFSQuotaPeriod
    DRASchedulerFilterTimeout DetectCacheInconsistency DisableCPUQuotaWithExclusiveCPUs EventedPLEG
    ExtendWebSocketsToKubelet GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
    InOrderInformersBatchProcess InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
    InformerResourceVersion KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletInUserNamespace
    KubeletPodResourcesListUseActivePods KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC
    ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions LoggingBetaOptions
    MemoryQoS NominatedNodeNameForExpectation OpportunisticBatching PLEGOnDemandRelist PodAndContainerStatsFromCRI
    PodDeletionCost PodLevelResourceManagers PodReadyToStartContainersCondition PodsAPI PortForwardWebsockets
    PreventStaticPodAPIReferences QOSReserved ReduceDefaultCrashLoopBackOffDecay ReloadKubeletClientCAFile
    ReloadKubeletServerCertificateFile RotateKubeletServerCertificate RuntimeClassInImageCriApi SELinuxMount
    SchedulerAsyncAPICalls SchedulerAsyncPreemption SchedulerPopFromBackoffQ StaleControllerConsistencyDaemonSet
    StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
    StatefulSetSemanticRevisionComparison StorageCapacityScoring TopologyManagerPolicyAlphaOptions
    TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
    UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO VolumeLimitScaling WatchListClient
    WindowsCPUAndMemoryAffinity WindowsGracefulNodeShutdown WindowsHostNetwork
"""
# On by default, and not built.
_OTHERWISE: Final = """
    StructuredAuthenticationConfigurationEgressSelector WatchCacheInitializationPostStartHook
"""

# Off by default, and built: what they stand for is loaded where they are on.
_SWITCHED: Final = frozenset((CLUSTER_TRUST_BUNDLE, STORAGE_VERSION_MIGRATOR))

_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_FALSE: Final = ("0", "f", "F", "false", "FALSE", "False")
_KUBE: Final = "kube"


def check(texts: Iterable[str]) -> None:
    """`texts` as they were given: NAME=true|false with "kube:" or nothing before them, separated by commas. ValueError
    for what upstream refuses, and for what is not built."""
    values = dict(_parse(texts))
    known = defaults()
    stable, unlocked = set(_STABLE.split()), set(_NOT_LOCKED.split())
    locked = (stable - unlocked) | set(_LOCKED.split())
    unknown = next((name for name in values if name not in known), None)
    if unknown is not None:
        raise ValueError(f"unrecognized feature gate: {unknown}")
    problems = [
        f"cannot set feature gate {name} to {_show(value)}, feature is locked to {_show(known[name])}"
        for name, value in values.items()
        if name in locked and value != known[name]
    ]
    if problems:
        raise ValueError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    for name, value in values.items():
        if not is_honoured(name, is_on=value):
            raise ValueError(f"--feature-gates={name}={_show(value)} cannot be honoured: {_explain(name, is_on=value)}")


def is_honoured(name: str, *, is_on: bool) -> bool:
    """Of a known gate."""
    if name in _WITHOUT_EFFECT.split() or name in _SWITCHED:
        return True
    if name == "AllBeta":
        return False  # either value changes what is beta
    return is_on == (defaults()[name] and name not in _OTHERWISE.split())


def switched_on(texts: Iterable[str]) -> frozenset[str]:
    """Those that are off by default and on here, of gates that `check` has taken."""
    return frozenset(name for name, value in dict(_parse(texts)).items() if value and name in _SWITCHED)


def defaults() -> dict[str, bool]:
    """What each gate is where nothing is said."""
    off, on = (_ALPHA, _BETA_OFF, _DEPRECATED_OFF), (_BETA_ON, _STABLE, _DEPRECATED_ON)
    return dict.fromkeys(" ".join(off).split(), False) | dict.fromkeys(" ".join(on).split(), True)


def states(texts: Iterable[str]) -> list[tuple[str, str, bool]]:
    """Name, stage ("" of what is stable) and value of each gate, where `texts` were given and taken by `check`. What is
    on by default and not built is off."""
    stages = (
        ("ALPHA", (_ALPHA,)),
        ("BETA", (_BETA_OFF, _BETA_ON)),
        ("", (_STABLE,)),
        ("DEPRECATED", (_DEPRECATED_OFF, _DEPRECATED_ON)),
    )
    values = defaults() | dict.fromkeys(_OTHERWISE.split(), False) | dict(_parse(texts))
    return [(name, stage, values[name]) for stage, lists in stages for name in " ".join(lists).split()]


def _parse(texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    pairs = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    prefixes = {pair.partition(":")[0].strip() if ":" in pair else "" for pair in pairs}
    if {"", _KUBE} <= prefixes:
        raise ValueError(
            "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use"
        )
    for prefix in sorted(prefixes - {"", _KUBE}):
        raise ValueError(f"component not registered: {prefix}")
    for pair in pairs:
        name, equals, value = pair.rpartition(":")[2].partition("=")
        name, value = name.strip(), value.strip()
        if not equals:
            raise ValueError(f"missing bool value for {name}")
        if value not in (*_TRUE, *_FALSE):
            text = f"strconv.ParseBool: parsing {gofmt.quote(value)}: invalid syntax"
            raise ValueError(f"invalid value of {name}={value}, err: {text}")
        yield name, value in _TRUE


def _explain(name: str, *, is_on: bool) -> str:
    if name in ("AllAlpha", "AllBeta"):
        return "it stands for features that cannot be switched; name those that are meant"
    return "this feature is not built" if is_on else "this feature cannot be switched off"


def _show(value: bool) -> str:
    return "true" if value else "false"
