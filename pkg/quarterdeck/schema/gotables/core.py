"""The Go types of api/core/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
AWSElasticBlockStoreVolumeSource: volumeID string, fsType string?, partition int32?, readOnly bool?
Affinity: nodeAffinity *NodeAffinity?, podAffinity *PodAffinity?, podAntiAffinity *PodAntiAffinity?
AppArmorProfile: type AppArmorProfileType, localhostProfile *string?
AppArmorProfileType = string
AttachedVolume: name UniqueVolumeName, devicePath string
AvoidPods: preferAvoidPods []PreferAvoidPodsEntry?
AzureDataDiskCachingMode = string
AzureDataDiskKind = string
AzureDiskVolumeSource: diskName string, diskURI string, cachingMode *AzureDataDiskCachingMode?, fsType *string?,
  readOnly *bool?, kind *AzureDataDiskKind?
AzureFilePersistentVolumeSource: secretName string, shareName string, readOnly bool?, secretNamespace *string
AzureFileVolumeSource: secretName string, shareName string, readOnly bool?
Binding: metadata meta.ObjectMeta?, target ObjectReference
CSIPersistentVolumeSource: driver string, volumeHandle string, readOnly bool?, fsType string?,
  volumeAttributes map[string]string?, controllerPublishSecretRef *SecretReference?,
  nodeStageSecretRef *SecretReference?, nodePublishSecretRef *SecretReference?,
  controllerExpandSecretRef *SecretReference?, nodeExpandSecretRef *SecretReference?
CSIVolumeSource: driver string, readOnly *bool?, fsType *string?, volumeAttributes map[string]string?,
  nodePublishSecretRef *LocalObjectReference?
Capabilities: add []Capability?, drop []Capability?
Capability = string
CephFSPersistentVolumeSource: monitors []string, path string?, user string?, secretFile string?,
  secretRef *SecretReference?, readOnly bool?
CephFSVolumeSource: monitors []string, path string?, user string?, secretFile string?,
  secretRef *LocalObjectReference?, readOnly bool?
CinderPersistentVolumeSource: volumeID string, fsType string?, readOnly bool?, secretRef *SecretReference?
CinderVolumeSource: volumeID string, fsType string?, readOnly bool?, secretRef *LocalObjectReference?
ClaimResourceStatus = string
ClientIPConfig: timeoutSeconds *int32?
ClusterTrustBundleProjection: name *string?, signerName *string?, labelSelector *meta.LabelSelector?, optional *bool?,
  path string
ComponentCondition: type ComponentConditionType, status ConditionStatus, message string?, error string?
ComponentConditionType = string
ComponentStatus: metadata meta.ObjectMeta?, conditions []ComponentCondition?
ConditionStatus = string
ConfigMap: metadata meta.ObjectMeta?, immutable *bool?, data map[string]string?, binaryData map[string][]byte?
ConfigMapEnvSource: ~LocalObjectReference, optional *bool?
ConfigMapKeySelector: ~LocalObjectReference, key string, optional *bool?
ConfigMapNodeConfigSource: namespace string, name string, uid types.UID?, resourceVersion string?,
  kubeletConfigKey string
ConfigMapProjection: ~LocalObjectReference, items []KeyToPath?, optional *bool?
ConfigMapVolumeSource: ~LocalObjectReference, items []KeyToPath?, defaultMode *int32?, optional *bool?
Container: name string, image string?, command []string?, args []string?, workingDir string?, ports []ContainerPort?,
  envFrom []EnvFromSource?, env []EnvVar?, resources ResourceRequirements?, resizePolicy []ContainerResizePolicy?,
  restartPolicy *ContainerRestartPolicy?, restartPolicyRules []ContainerRestartRule?, volumeMounts []VolumeMount?,
  volumeDevices []VolumeDevice?, livenessProbe *Probe?, readinessProbe *Probe?, startupProbe *Probe?,
  lifecycle *Lifecycle?, terminationMessagePath string?, terminationMessagePolicy TerminationMessagePolicy?,
  imagePullPolicy PullPolicy?, securityContext *SecurityContext?, stdin bool?, stdinOnce bool?, tty bool?
ContainerExtendedResourceRequest: containerName string, resourceName string, requestName string
ContainerImage: names []string, sizeBytes int64?
ContainerPort: name string?, hostPort int32?, containerPort int32, protocol Protocol?, hostIP string?
ContainerResizePolicy: resourceName ResourceName, restartPolicy ResourceResizeRestartPolicy
ContainerRestartPolicy = string
ContainerRestartRule: action ContainerRestartRuleAction?, exitCodes *ContainerRestartRuleOnExitCodes?
ContainerRestartRuleAction = string
ContainerRestartRuleOnExitCodes: operator ContainerRestartRuleOnExitCodesOperator?, values []int32?
ContainerRestartRuleOnExitCodesOperator = string
ContainerState: waiting *ContainerStateWaiting?, running *ContainerStateRunning?,
  terminated *ContainerStateTerminated?
ContainerStateRunning: startedAt meta.Time?
ContainerStateTerminated: exitCode int32, signal int32?, reason string?, message string?, startedAt meta.Time?,
  finishedAt meta.Time?, containerID string?
ContainerStateWaiting: reason string?, message string?
ContainerStatus: name string, state ContainerState?, lastState ContainerState?, ready bool, restartCount int32,
  image string, imageID string, containerID string?, started *bool?, allocatedResources ResourceList?,
  resources *ResourceRequirements?, volumeMounts []VolumeMountStatus?, user *ContainerUser?,
  allocatedResourcesStatus []ResourceStatus?, stopSignal *Signal?
ContainerUser: linux *LinuxContainerUser?
DNSPolicy = string
DaemonEndpoint: Port int32
DownwardAPIProjection: items []DownwardAPIVolumeFile?
DownwardAPIVolumeFile: path string, fieldRef *ObjectFieldSelector?, resourceFieldRef *ResourceFieldSelector?,
  mode *int32?
DownwardAPIVolumeSource: items []DownwardAPIVolumeFile?, defaultMode *int32?
EmptyDirVolumeSource: medium StorageMedium?, sizeLimit *resource.Quantity?
EndpointAddress: ip string, hostname string?, nodeName *string?, targetRef *ObjectReference?
EndpointPort: name string?, port int32, protocol Protocol?, appProtocol *string?
EndpointSubset: addresses []EndpointAddress?, notReadyAddresses []EndpointAddress?, ports []EndpointPort?
Endpoints: metadata meta.ObjectMeta?, subsets []EndpointSubset?
EnvFromSource: prefix string?, configMapRef *ConfigMapEnvSource?, secretRef *SecretEnvSource?
EnvVar: name string, value string?, valueFrom *EnvVarSource?
EnvVarSource: fieldRef *ObjectFieldSelector?, resourceFieldRef *ResourceFieldSelector?,
  configMapKeyRef *ConfigMapKeySelector?, secretKeyRef *SecretKeySelector?, fileKeyRef *FileKeySelector?
EphemeralContainer: ~EphemeralContainerCommon, targetContainerName string?
EphemeralContainerCommon: name string, image string?, command []string?, args []string?, workingDir string?,
  ports []ContainerPort?, envFrom []EnvFromSource?, env []EnvVar?, resources ResourceRequirements?,
  resizePolicy []ContainerResizePolicy?, restartPolicy *ContainerRestartPolicy?,
  restartPolicyRules []ContainerRestartRule?, volumeMounts []VolumeMount?, volumeDevices []VolumeDevice?,
  livenessProbe *Probe?, readinessProbe *Probe?, startupProbe *Probe?, lifecycle *Lifecycle?,
  terminationMessagePath string?, terminationMessagePolicy TerminationMessagePolicy?, imagePullPolicy PullPolicy?,
  securityContext *SecurityContext?, stdin bool?, stdinOnce bool?, tty bool?
EphemeralVolumeSource: volumeClaimTemplate *PersistentVolumeClaimTemplate?
Event: metadata meta.ObjectMeta, involvedObject ObjectReference, reason string?, message string?, source EventSource?,
  firstTimestamp meta.Time?, lastTimestamp meta.Time?, count int32?, type string?, eventTime meta.MicroTime?,
  series *EventSeries?, action string?, related *ObjectReference?, reportingComponent string,
  reportingInstance string
EventSeries: count int32?, lastObservedTime meta.MicroTime?
EventSource: component string?, host string?
ExecAction: command []string?
FCVolumeSource: targetWWNs []string?, lun *int32?, fsType string?, readOnly bool?, wwids []string?
FileKeySelector: volumeName string, path string, key string, optional *bool?
FinalizerName = string
FlexPersistentVolumeSource: driver string, fsType string?, secretRef *SecretReference?, readOnly bool?,
  options map[string]string?
FlexVolumeSource: driver string, fsType string?, secretRef *LocalObjectReference?, readOnly bool?,
  options map[string]string?
FlockerVolumeSource: datasetName string?, datasetUUID string?
GCEPersistentDiskVolumeSource: pdName string, fsType string?, partition int32?, readOnly bool?
GRPCAction: port int32, service *string
GitRepoVolumeSource: repository string, revision string?, directory string?
GlusterfsPersistentVolumeSource: endpoints string, path string, readOnly bool?, endpointsNamespace *string?
GlusterfsVolumeSource: endpoints string, path string, readOnly bool?
HTTPGetAction: path string?, port intstr.IntOrString, host string?, scheme URIScheme?, httpHeaders []HTTPHeader?
HTTPHeader: name string, value string
HostAlias: ip string, hostnames []string?
HostIP: ip string
HostPathType = string
HostPathVolumeSource: path string, type *HostPathType?
IPFamily = string
IPFamilyPolicy = string
ISCSIPersistentVolumeSource: targetPortal string, iqn string, lun int32, iscsiInterface string?, fsType string?,
  readOnly bool?, portals []string?, chapAuthDiscovery bool?, chapAuthSession bool?, secretRef *SecretReference?,
  initiatorName *string?
ISCSIVolumeSource: targetPortal string, iqn string, lun int32, iscsiInterface string?, fsType string?, readOnly bool?,
  portals []string?, chapAuthDiscovery bool?, chapAuthSession bool?, secretRef *LocalObjectReference?,
  initiatorName *string?
ImageVolumeSource: reference string?, pullPolicy PullPolicy?
ImageVolumeStatus: imageRef string?
KeyToPath: key string, path string, mode *int32?
Lifecycle: postStart *LifecycleHandler?, preStop *LifecycleHandler?, stopSignal *Signal?
LifecycleHandler: exec *ExecAction?, httpGet *HTTPGetAction?, tcpSocket *TCPSocketAction?, sleep *SleepAction?
LimitRange: metadata meta.ObjectMeta?, spec LimitRangeSpec?
LimitRangeItem: type LimitType, max ResourceList?, min ResourceList?, default ResourceList?,
  defaultRequest ResourceList?, maxLimitRequestRatio ResourceList?
LimitRangeSpec: limits []LimitRangeItem
LimitType = string
LinuxContainerUser: uid int64, gid int64, supplementalGroups []int64?
LoadBalancerIPMode = string
LoadBalancerIngress: ip string?, hostname string?, ipMode *LoadBalancerIPMode?, ports []PortStatus?
LoadBalancerStatus: ingress []LoadBalancerIngress?
LocalObjectReference: name string?
LocalVolumeSource: path string, fsType *string?
ModifyVolumeStatus: targetVolumeAttributesClassName string?, status PersistentVolumeClaimModifyVolumeStatus
MountPropagationMode = string
NFSVolumeSource: server string, path string, readOnly bool?
Namespace: metadata meta.ObjectMeta?, spec NamespaceSpec?, status NamespaceStatus?
NamespaceCondition: type NamespaceConditionType, status ConditionStatus, lastTransitionTime meta.Time?,
  reason string?, message string?
NamespaceConditionType = string
NamespacePhase = string
NamespaceSpec: finalizers []FinalizerName?
NamespaceStatus: phase NamespacePhase?, conditions []NamespaceCondition?
Node: metadata meta.ObjectMeta?, spec NodeSpec?, status NodeStatus?
NodeAddress: type NodeAddressType, address string
NodeAddressType = string
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution *NodeSelector?,
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm?
NodeAllocatableResourceClaimStatus: resourceClaimName string, containers []string?,
  resources map[ResourceName]resource.Quantity
NodeCondition: type NodeConditionType, status ConditionStatus, lastHeartbeatTime meta.Time?,
  lastTransitionTime meta.Time?, reason string?, message string?
NodeConditionType = string
NodeConfigSource: configMap *ConfigMapNodeConfigSource?
NodeConfigStatus: assigned *NodeConfigSource?, active *NodeConfigSource?, lastKnownGood *NodeConfigSource?,
  error string?
NodeDaemonEndpoints: kubeletEndpoint DaemonEndpoint?
NodeFeatures: supplementalGroupsPolicy *bool?
NodeInclusionPolicy = string
NodePhase = string
NodeProxyOptions: path string?
NodeRuntimeHandler: name string, features *NodeRuntimeHandlerFeatures?
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts *bool?, userNamespaces *bool?
NodeSelector: nodeSelectorTerms []NodeSelectorTerm
NodeSelectorOperator = string
NodeSelectorRequirement: key string, operator NodeSelectorOperator, values []string?
NodeSelectorTerm: matchExpressions []NodeSelectorRequirement?, matchFields []NodeSelectorRequirement?
NodeSpec: podCIDR string?, podCIDRs []string?, providerID string?, unschedulable bool?, taints []Taint?,
  configSource *NodeConfigSource?, externalID string?
NodeStatus: capacity ResourceList?, allocatable ResourceList?, phase NodePhase?, conditions []NodeCondition?,
  addresses []NodeAddress?, daemonEndpoints NodeDaemonEndpoints?, nodeInfo NodeSystemInfo?, images []ContainerImage?,
  volumesInUse []UniqueVolumeName?, volumesAttached []AttachedVolume?, config *NodeConfigStatus?,
  runtimeHandlers []NodeRuntimeHandler?, features *NodeFeatures?, declaredFeatures []string?
NodeSwapStatus: capacity *int64?
NodeSystemInfo: machineID string, systemUUID string, bootID string, kernelVersion string, osImage string,
  containerRuntimeVersion string, kubeletVersion string, kubeProxyVersion string, operatingSystem string,
  architecture string, swap *NodeSwapStatus?
OSName = string
ObjectFieldSelector: apiVersion string?, fieldPath string
ObjectReference: kind string?, namespace string?, name string?, uid types.UID?, apiVersion string?,
  resourceVersion string?, fieldPath string?
PersistentVolume: metadata meta.ObjectMeta?, spec PersistentVolumeSpec?, status PersistentVolumeStatus?
PersistentVolumeAccessMode = string
PersistentVolumeClaim: metadata meta.ObjectMeta?, spec PersistentVolumeClaimSpec?,
  status PersistentVolumeClaimStatus?
PersistentVolumeClaimCondition: type PersistentVolumeClaimConditionType, status ConditionStatus,
  lastProbeTime meta.Time?, lastTransitionTime meta.Time?, reason string?, message string?
PersistentVolumeClaimConditionType = string
PersistentVolumeClaimModifyVolumeStatus = string
PersistentVolumeClaimPhase = string
PersistentVolumeClaimSpec: accessModes []PersistentVolumeAccessMode?, selector *meta.LabelSelector?,
  resources VolumeResourceRequirements?, volumeName string?, storageClassName *string?,
  volumeMode *PersistentVolumeMode?, dataSource *TypedLocalObjectReference?, dataSourceRef *TypedObjectReference?,
  volumeAttributesClassName *string?
PersistentVolumeClaimStatus: phase PersistentVolumeClaimPhase?, accessModes []PersistentVolumeAccessMode?,
  capacity ResourceList?, conditions []PersistentVolumeClaimCondition?, allocatedResources ResourceList?,
  allocatedResourceStatuses map[ResourceName]ClaimResourceStatus?, currentVolumeAttributesClassName *string?,
  modifyVolumeStatus *ModifyVolumeStatus?
PersistentVolumeClaimTemplate: metadata meta.ObjectMeta?, spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName string, readOnly bool?
PersistentVolumeMode = string
PersistentVolumePhase = string
PersistentVolumeReclaimPolicy = string
PersistentVolumeSource: gcePersistentDisk *GCEPersistentDiskVolumeSource?,
  awsElasticBlockStore *AWSElasticBlockStoreVolumeSource?, hostPath *HostPathVolumeSource?,
  glusterfs *GlusterfsPersistentVolumeSource?, nfs *NFSVolumeSource?, rbd *RBDPersistentVolumeSource?,
  iscsi *ISCSIPersistentVolumeSource?, cinder *CinderPersistentVolumeSource?, cephfs *CephFSPersistentVolumeSource?,
  fc *FCVolumeSource?, flocker *FlockerVolumeSource?, flexVolume *FlexPersistentVolumeSource?,
  azureFile *AzureFilePersistentVolumeSource?, vsphereVolume *VsphereVirtualDiskVolumeSource?,
  quobyte *QuobyteVolumeSource?, azureDisk *AzureDiskVolumeSource?,
  photonPersistentDisk *PhotonPersistentDiskVolumeSource?, portworxVolume *PortworxVolumeSource?,
  scaleIO *ScaleIOPersistentVolumeSource?, local *LocalVolumeSource?, storageos *StorageOSPersistentVolumeSource?,
  csi *CSIPersistentVolumeSource?
PersistentVolumeSpec: capacity ResourceList?, ~PersistentVolumeSource, accessModes []PersistentVolumeAccessMode?,
  claimRef *ObjectReference?, persistentVolumeReclaimPolicy PersistentVolumeReclaimPolicy?, storageClassName string?,
  mountOptions []string?, volumeMode *PersistentVolumeMode?, nodeAffinity *VolumeNodeAffinity?,
  volumeAttributesClassName *string?
PersistentVolumeStatus: phase PersistentVolumePhase?, message string?, reason string?,
  lastPhaseTransitionTime *meta.Time?
PhotonPersistentDiskVolumeSource: pdID string, fsType string?
Pod: metadata meta.ObjectMeta?, spec PodSpec?, status PodStatus?
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm?,
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm?
PodAffinityTerm: labelSelector *meta.LabelSelector?, namespaces []string?, topologyKey string,
  namespaceSelector *meta.LabelSelector?, matchLabelKeys []string?, mismatchLabelKeys []string?
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm?,
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm?
PodAttachOptions: stdin bool?, stdout bool?, stderr bool?, tty bool?, container string?
PodCertificateProjection: signerName string?, keyType string?, maxExpirationSeconds *int32?,
  credentialBundlePath string?, keyPath string?, certificateChainPath string?, userAnnotations map[string]string?
PodCondition: type PodConditionType, observedGeneration int64?, status ConditionStatus, lastProbeTime meta.Time?,
  lastTransitionTime meta.Time?, reason string?, message string?
PodConditionType = string
PodDNSConfig: nameservers []string?, searches []string?, options []PodDNSConfigOption?
PodDNSConfigOption: name string?, value *string?
PodExecOptions: stdin bool?, stdout bool?, stderr bool?, tty bool?, container string?, command []string
PodExtendedResourceClaimStatus: requestMappings []ContainerExtendedResourceRequest, resourceClaimName string
PodFSGroupChangePolicy = string
PodIP: ip string
PodLogOptions: container string?, follow bool?, previous bool?, sinceSeconds *int64?, sinceTime *meta.Time?,
  timestamps bool?, tailLines *int64?, limitBytes *int64?, insecureSkipTLSVerifyBackend bool?, stream *string?
PodOS: name OSName
PodPhase = string
PodPortForwardOptions: ports []int32?
PodProxyOptions: path string?
PodQOSClass = string
PodReadinessGate: conditionType PodConditionType
PodResizeStatus = string
PodResourceClaim: name string, resourceClaimName *string?, resourceClaimTemplateName *string?
PodResourceClaimStatus: name string, resourceClaimName *string?
PodSELinuxChangePolicy = string
PodSchedulingGate: name string
PodSchedulingGroup: podGroupName *string?
PodSecurityContext: seLinuxOptions *SELinuxOptions?, windowsOptions *WindowsSecurityContextOptions?,
  runAsUser *int64?, runAsGroup *int64?, runAsNonRoot *bool?, supplementalGroups []int64?,
  supplementalGroupsPolicy *SupplementalGroupsPolicy?, fsGroup *int64?, sysctls []Sysctl?,
  fsGroupChangePolicy *PodFSGroupChangePolicy?, seccompProfile *SeccompProfile?, appArmorProfile *AppArmorProfile?,
  seLinuxChangePolicy *PodSELinuxChangePolicy?
PodSignature: podController *meta.OwnerReference?
PodSpec: volumes []Volume?, initContainers []Container?, containers []Container,
  ephemeralContainers []EphemeralContainer?, restartPolicy RestartPolicy?, terminationGracePeriodSeconds *int64?,
  activeDeadlineSeconds *int64?, dnsPolicy DNSPolicy?, nodeSelector map[string]string?, serviceAccountName string?,
  serviceAccount string?, automountServiceAccountToken *bool?, nodeName string?, hostNetwork bool?, hostPID bool?,
  hostIPC bool?, shareProcessNamespace *bool?, securityContext *PodSecurityContext?,
  imagePullSecrets []LocalObjectReference?, hostname string?, subdomain string?, affinity *Affinity?,
  schedulerName string?, tolerations []Toleration?, hostAliases []HostAlias?, priorityClassName string?,
  priority *int32?, dnsConfig *PodDNSConfig?, readinessGates []PodReadinessGate?, runtimeClassName *string?,
  enableServiceLinks *bool?, preemptionPolicy *PreemptionPolicy?, overhead ResourceList?,
  topologySpreadConstraints []TopologySpreadConstraint?, setHostnameAsFQDN *bool?, os *PodOS?, hostUsers *bool?,
  schedulingGates []PodSchedulingGate?, resourceClaims []PodResourceClaim?, resources *ResourceRequirements?,
  hostnameOverride *string?, schedulingGroup *PodSchedulingGroup?
PodStatus: observedGeneration int64?, phase PodPhase?, conditions []PodCondition?, message string?, reason string?,
  nominatedNodeName string?, hostIP string?, hostIPs []HostIP?, podIP string?, podIPs []PodIP?, startTime *meta.Time?,
  initContainerStatuses []ContainerStatus?, containerStatuses []ContainerStatus?, qosClass PodQOSClass?,
  ephemeralContainerStatuses []ContainerStatus?, resize PodResizeStatus?,
  resourceClaimStatuses []PodResourceClaimStatus?, extendedResourceClaimStatus *PodExtendedResourceClaimStatus?,
  allocatedResources ResourceList?, resources *ResourceRequirements?,
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus?
PodStatusResult: metadata meta.ObjectMeta?, status PodStatus?
PodTemplate: metadata meta.ObjectMeta?, template PodTemplateSpec?
PodTemplateSpec: metadata meta.ObjectMeta?, spec PodSpec?
PortStatus: port int32, protocol Protocol, error *string?
PortworxVolumeSource: volumeID string, fsType string?, readOnly bool?
Preconditions: uid *types.UID?
PreemptionPolicy = string
PreferAvoidPodsEntry: podSignature PodSignature, evictionTime meta.Time?, reason string?, message string?
PreferredSchedulingTerm: weight int32, preference NodeSelectorTerm
Probe: ~ProbeHandler, initialDelaySeconds int32?, timeoutSeconds int32?, periodSeconds int32?,
  successThreshold int32?, failureThreshold int32?, terminationGracePeriodSeconds *int64?
ProbeHandler: exec *ExecAction?, httpGet *HTTPGetAction?, tcpSocket *TCPSocketAction?, grpc *GRPCAction?
ProcMountType = string
ProjectedVolumeSource: sources []VolumeProjection, defaultMode *int32?
Protocol = string
PullPolicy = string
QuobyteVolumeSource: registry string, volume string, readOnly bool?, user string?, group string?, tenant string?
RBDPersistentVolumeSource: monitors []string, image string, fsType string?, pool string?, user string?,
  keyring string?, secretRef *SecretReference?, readOnly bool?
RBDVolumeSource: monitors []string, image string, fsType string?, pool string?, user string?, keyring string?,
  secretRef *LocalObjectReference?, readOnly bool?
RangeAllocation: metadata meta.ObjectMeta?, range string, data []byte
RecursiveReadOnlyMode = string
ReplicationController: metadata meta.ObjectMeta?, spec ReplicationControllerSpec?,
  status ReplicationControllerStatus?
ReplicationControllerCondition: type ReplicationControllerConditionType, status ConditionStatus,
  lastTransitionTime meta.Time?, reason string?, message string?
ReplicationControllerConditionType = string
ReplicationControllerSpec: replicas *int32?, minReadySeconds int32?, selector map[string]string?,
  template *PodTemplateSpec?
ReplicationControllerStatus: replicas int32, fullyLabeledReplicas int32?, readyReplicas int32?,
  availableReplicas int32?, observedGeneration int64?, conditions []ReplicationControllerCondition?
ResourceClaim: name string, request string?
ResourceFieldSelector: containerName string?, resource string, divisor resource.Quantity?
ResourceHealth: resourceID ResourceID, health ResourceHealthStatus?, message *string?
ResourceHealthStatus = string
ResourceID = string
ResourceList = map[ResourceName]resource.Quantity
ResourceName = string
ResourceQuota: metadata meta.ObjectMeta?, spec ResourceQuotaSpec?, status ResourceQuotaStatus?
ResourceQuotaScope = string
ResourceQuotaSpec: hard ResourceList?, scopes []ResourceQuotaScope?, scopeSelector *ScopeSelector?
ResourceQuotaStatus: hard ResourceList?, used ResourceList?
ResourceRequirements: limits ResourceList?, requests ResourceList?, claims []ResourceClaim?
ResourceResizeRestartPolicy = string
ResourceStatus: name ResourceName, resources []ResourceHealth?
RestartPolicy = string
SELinuxOptions: user string?, role string?, type string?, level string?
ScaleIOPersistentVolumeSource: gateway string, system string, secretRef *SecretReference, sslEnabled bool?,
  protectionDomain string?, storagePool string?, storageMode string?, volumeName string?, fsType string?,
  readOnly bool?
ScaleIOVolumeSource: gateway string, system string, secretRef *LocalObjectReference, sslEnabled bool?,
  protectionDomain string?, storagePool string?, storageMode string?, volumeName string?, fsType string?,
  readOnly bool?
ScopeSelector: matchExpressions []ScopedResourceSelectorRequirement?
ScopeSelectorOperator = string
ScopedResourceSelectorRequirement: scopeName ResourceQuotaScope, operator ScopeSelectorOperator, values []string?
SeccompProfile: type SeccompProfileType, localhostProfile *string?
SeccompProfileType = string
Secret: metadata meta.ObjectMeta?, immutable *bool?, data map[string][]byte?, stringData map[string]string?,
  type SecretType?
SecretEnvSource: ~LocalObjectReference, optional *bool?
SecretKeySelector: ~LocalObjectReference, key string, optional *bool?
SecretProjection: ~LocalObjectReference, items []KeyToPath?, optional *bool?
SecretReference: name string?, namespace string?
SecretType = string
SecretVolumeSource: secretName string?, items []KeyToPath?, defaultMode *int32?, optional *bool?
SecurityContext: capabilities *Capabilities?, privileged *bool?, seLinuxOptions *SELinuxOptions?,
  windowsOptions *WindowsSecurityContextOptions?, runAsUser *int64?, runAsGroup *int64?, runAsNonRoot *bool?,
  readOnlyRootFilesystem *bool?, allowPrivilegeEscalation *bool?, procMount *ProcMountType?,
  seccompProfile *SeccompProfile?, appArmorProfile *AppArmorProfile?
SerializedReference: reference ObjectReference?
Service: metadata meta.ObjectMeta?, spec ServiceSpec?, status ServiceStatus?
ServiceAccount: metadata meta.ObjectMeta?, secrets []ObjectReference?, imagePullSecrets []LocalObjectReference?,
  automountServiceAccountToken *bool?
ServiceAccountTokenProjection: audience string?, expirationSeconds *int64?, path string
ServiceAffinity = string
ServiceExternalTrafficPolicy = string
ServiceInternalTrafficPolicy = string
ServicePort: name string?, protocol Protocol?, appProtocol *string?, port int32, targetPort intstr.IntOrString?,
  nodePort int32?
ServiceProxyOptions: path string?
ServiceSpec: ports []ServicePort?, selector map[string]string?, clusterIP string?, clusterIPs []string?,
  type ServiceType?, externalIPs []string?, sessionAffinity ServiceAffinity?, loadBalancerIP string?,
  loadBalancerSourceRanges []string?, externalName string?, externalTrafficPolicy ServiceExternalTrafficPolicy?,
  healthCheckNodePort int32?, publishNotReadyAddresses bool?, sessionAffinityConfig *SessionAffinityConfig?,
  ipFamilies []IPFamily?, ipFamilyPolicy *IPFamilyPolicy?, allocateLoadBalancerNodePorts *bool?,
  loadBalancerClass *string?, internalTrafficPolicy *ServiceInternalTrafficPolicy?, trafficDistribution *string?
ServiceStatus: loadBalancer LoadBalancerStatus?, conditions []meta.Condition?
ServiceType = string
SessionAffinityConfig: clientIP *ClientIPConfig?
Signal = string
SleepAction: seconds int64
StorageMedium = string
StorageOSPersistentVolumeSource: volumeName string?, volumeNamespace string?, fsType string?, readOnly bool?,
  secretRef *ObjectReference?
StorageOSVolumeSource: volumeName string?, volumeNamespace string?, fsType string?, readOnly bool?,
  secretRef *LocalObjectReference?
SupplementalGroupsPolicy = string
Sysctl: name string, value string
TCPSocketAction: port intstr.IntOrString, host string?
Taint: key string, value string?, effect TaintEffect, timeAdded *meta.Time?
TaintEffect = string
TerminationMessagePolicy = string
Toleration: key string?, operator TolerationOperator?, value string?, effect TaintEffect?, tolerationSeconds *int64?
TolerationOperator = string
TopologySelectorLabelRequirement: key string, values []string
TopologySelectorTerm: matchLabelExpressions []TopologySelectorLabelRequirement?
TopologySpreadConstraint: maxSkew int32, topologyKey string, whenUnsatisfiable UnsatisfiableConstraintAction,
  labelSelector *meta.LabelSelector?, minDomains *int32?, nodeAffinityPolicy *NodeInclusionPolicy?,
  nodeTaintsPolicy *NodeInclusionPolicy?, matchLabelKeys []string?
TypedLocalObjectReference: apiGroup *string, kind string, name string
TypedObjectReference: apiGroup *string, kind string, name string, namespace *string?
URIScheme = string
UniqueVolumeName = string
UnsatisfiableConstraintAction = string
Volume: name string, ~VolumeSource
VolumeDevice: name string, devicePath string
VolumeMount: name string, readOnly bool?, recursiveReadOnly *RecursiveReadOnlyMode?, mountPath string,
  subPath string?, mountPropagation *MountPropagationMode?, subPathExpr string?
VolumeMountStatus: name string, mountPath string, readOnly bool?, recursiveReadOnly *RecursiveReadOnlyMode?,
  volumeStatus *VolumeStatus?
VolumeNodeAffinity: required *NodeSelector?
VolumeProjection: secret *SecretProjection?, downwardAPI *DownwardAPIProjection?, configMap *ConfigMapProjection?,
  serviceAccountToken *ServiceAccountTokenProjection?, clusterTrustBundle *ClusterTrustBundleProjection?,
  podCertificate *PodCertificateProjection?
VolumeResourceRequirements: limits ResourceList?, requests ResourceList?
VolumeSource: hostPath *HostPathVolumeSource?, emptyDir *EmptyDirVolumeSource?,
  gcePersistentDisk *GCEPersistentDiskVolumeSource?, awsElasticBlockStore *AWSElasticBlockStoreVolumeSource?,
  gitRepo *GitRepoVolumeSource?, secret *SecretVolumeSource?, nfs *NFSVolumeSource?, iscsi *ISCSIVolumeSource?,
  glusterfs *GlusterfsVolumeSource?, persistentVolumeClaim *PersistentVolumeClaimVolumeSource?, rbd *RBDVolumeSource?,
  flexVolume *FlexVolumeSource?, cinder *CinderVolumeSource?, cephfs *CephFSVolumeSource?,
  flocker *FlockerVolumeSource?, downwardAPI *DownwardAPIVolumeSource?, fc *FCVolumeSource?,
  azureFile *AzureFileVolumeSource?, configMap *ConfigMapVolumeSource?,
  vsphereVolume *VsphereVirtualDiskVolumeSource?, quobyte *QuobyteVolumeSource?, azureDisk *AzureDiskVolumeSource?,
  photonPersistentDisk *PhotonPersistentDiskVolumeSource?, projected *ProjectedVolumeSource?,
  portworxVolume *PortworxVolumeSource?, scaleIO *ScaleIOVolumeSource?, storageos *StorageOSVolumeSource?,
  csi *CSIVolumeSource?, ephemeral *EphemeralVolumeSource?, image *ImageVolumeSource?
VolumeStatus: image *ImageVolumeStatus?
VsphereVirtualDiskVolumeSource: volumePath string, fsType string?, storagePolicyName string?, storagePolicyID string?
WeightedPodAffinityTerm: weight int32, podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions: gmsaCredentialSpecName *string?, gmsaCredentialSpec *string?, runAsUserName *string?,
  hostProcess *bool?
"""
