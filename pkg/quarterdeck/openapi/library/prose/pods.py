"""What is said of pods and their parts, of core."""

TEXT = """
core.Affinity # What draws a pod to nodes and other pods, or keeps it away from them.
  nodeAffinity # Which nodes the pod must or would rather run on.
  podAffinity # Which pods it must or would rather run close to.
  podAntiAffinity # Which pods it must or would rather keep away from.

core.EphemeralContainer # A container added to a running pod, mostly to debug it. Has no guaranteed resources.
  name # A DNS label, unique among all containers of the pod, whatever their kind.
  image # The image to run.
  command # What to run instead of the image's entrypoint, without a shell. $(NAME) stands for a variable.
  args # Arguments of the command, in place of the image's own. $(NAME) stands for a variable.
  workingDir # The directory to start in; that of the image when absent.
  ports # Not allowed here.
  envFrom # Config maps and secrets whose keys become variables. Entries of env go before them.
  env # Variables of the environment. Fixed once the container exists.
  resources # Not allowed here; the container lives on what the pod leaves unused.
  resizePolicy # Not allowed here.
  restartPolicy # Not allowed here; the container is never restarted.
  restartPolicyRules # Not allowed here.
  volumeMounts # Volumes of the pod and where they appear. Mounts of subpaths are not allowed here.
  volumeDevices # Raw block devices of the pod's volumes, and their paths.
  livenessProbe # Not allowed here.
  readinessProbe # Not allowed here.
  startupProbe # Not allowed here.
  lifecycle # Not allowed here.
  terminationMessagePath # The file for a last message, read when the container ends; /dev/termination-log by default.
  terminationMessagePolicy # Whether the log stands in when a failed container left no message; File by default.
  imagePullPolicy # When the image is pulled. IfNotPresent by default, but Always for the tag latest or no tag.
  securityContext # Privileges and identity of the processes. Goes before what the pod's securityContext says.
  stdin # Whether standard input is kept open for clients to attach; if not, reading it yields end of file.
  stdinOnce # Whether standard input is closed for good once the first client detaches. Needs stdin.
  tty # Whether it gets a terminal. Needs stdin.
  targetContainerName # The container whose process namespace it joins; by default it goes by the pod's settings.

core.HostAlias # A line for the hosts file of a pod.
  ip # The address.
  hostnames # The names that resolve to it.

core.HostIP # One address of a pod's node.
  ip # The address, IPv4 or IPv6.

core.LinuxContainerUser # Who the first process of a container started as, on Linux.
  uid # Its user ID.
  gid # Its primary group ID.
  supplementalGroups # The IDs of its further groups.

core.Pod # A collection of containers that run on one host. Nobody runs them here.
  metadata # Standard object metadata.
  spec # How the pod is to run.
  status # How the pod fares, as last reported.

core.PodAffinity # Which pods a pod must or would rather run close to.
  requiredDuringSchedulingIgnoredDuringExecution # What a node must satisfy to get the pod. Running pods stay.
  preferredDuringSchedulingIgnoredDuringExecution # Wishes with weights that add to the score of a node.

core.PodAffinityTerm # Some other pods, and how near counts as close to them.
  labelSelector # The pods that are meant, by labels; none when absent.
  namespaces # Their namespaces, besides those namespaceSelector picks. The pod's own if both are absent.
  topologyKey # The node label whose equal values make nodes one place, such as kubernetes.io/hostname.
  namespaceSelector # Their namespaces by labels; an empty selector means all of them.
  matchLabelKeys # Labels on which the other pods must agree with the new one. Needs labelSelector.
  mismatchLabelKeys # Labels in which the other pods must differ from the new one. Needs labelSelector.

core.PodAntiAffinity # Which pods a pod must or would rather keep away from.
  requiredDuringSchedulingIgnoredDuringExecution # What a node must not come near to get the pod. Running pods stay.
  preferredDuringSchedulingIgnoredDuringExecution # Wishes with weights that lower the score of a node.

core.PodCondition # One aspect of the state of a pod.
  type # What the condition is about.
  observedGeneration # The generation of the object that this condition is about.
  status # True, False or Unknown.
  lastProbeTime # When the condition was last checked.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

core.PodDNSConfig # Resolver settings of a pod, on top of those from its dnsPolicy.
  nameservers # Addresses of DNS servers, after those of the policy. With policy None one is needed.
  searches # Domains tried for short names, after those of the policy.
  options # Resolver options. They win over options of the same name from the policy.

core.PodDNSConfigOption # An option of a pod's resolver, as in resolv.conf.
  name # The option, such as ndots. Needed.
  value # Its value, if it takes one.

core.PodIP # One address of a pod.
  ip # The address, IPv4 or IPv6.

core.PodOS # The operating system of a pod's containers.
  name # The operating system: linux or windows.

core.PodReadinessGate # A condition that a pod needs to be ready.
  conditionType # The type of the pod's condition; not ready unless its status is True.

core.PodSchedulingGate # A gate that holds back the scheduling of a pod until it is removed.
  name # The name of the gate; unique in the pod.

core.PodSchedulingGroup # The group that a pod is scheduled with.
  podGroupName # The PodGroup, in the pod's namespace.

core.PodSecurityContext # Privileges and identity for all containers of a pod, unless they say otherwise.
  seLinuxOptions # The SELinux label of the containers; the runtime picks one when absent. Not on Windows.
  windowsOptions # Settings for Windows only.
  runAsUser # The user ID of the processes; that of the image when absent. Not on Windows.
  runAsGroup # The primary group ID of the processes; left to the runtime when absent. Not on Windows.
  runAsNonRoot # Whether containers that would run as user 0 are refused when they start.
  supplementalGroups # Further group IDs of the first process of each container. Not on Windows.
  supplementalGroupsPolicy # Whether groups from the image's /etc/group count too; Merge, which adds them, by default.
  fsGroup # The group that comes to own the volumes that allow it, and that processes join. Not on Windows.
  sysctls # Kernel parameters to set in the pod's namespaces. Not on Windows.
  fsGroupChangePolicy # Whether volumes whose root already fits fsGroup are spared the change; Always by default.
  seccompProfile # Which system calls the containers may make. Not on Windows.
  appArmorProfile # The AppArmor profile of the containers. Not on Windows.
  seLinuxChangePolicy # How volumes get the label: Recursive goes through all files, MountOption labels at once.

core.PodSpec # What a pod consists of and how it is to run.
  volumes # The volumes that its containers can mount.
  initContainers # Run one after the other before the containers; each must succeed first, or start if a sidecar.
  containers # The containers, at least one. None can be added or removed later.
  ephemeralContainers # Containers for debugging. Only the subresource ephemeralcontainers can add them.
  restartPolicy # When containers that ended are restarted; Always by default.
  terminationGracePeriodSeconds # Seconds between the stop signal and the kill on deletion; 30 by default.
  activeDeadlineSeconds # Seconds the pod may run, counted from its startTime; then it is failed and killed.
  dnsPolicy # Where its DNS settings come from; ClusterFirst by default. None leaves all to dnsConfig.
  nodeSelector # Labels that a node must have to get the pod.
  serviceAccountName # The ServiceAccount the pod acts as; default when absent.
  serviceAccount # Old name of serviceAccountName.
  automountServiceAccountToken # Whether a token is mounted; the service account decides when absent, else true.
  nodeName # The node it runs on. Set by the scheduler; when given on creation, no scheduler is asked.
  hostNetwork # Whether it uses the node's network. Each port of a container must then be its hostPort too.
  hostPID # Whether it sees the processes of the node. Excludes shareProcessNamespace.
  hostIPC # Whether it shares the node's IPC namespace.
  shareProcessNamespace # Whether its containers see each other's processes. Excludes hostPID.
  securityContext # Privileges and identity for all its containers.
  imagePullSecrets # Secrets in its namespace with credentials for registries.
  hostname # The host name inside the pod; its name when absent.
  subdomain # Makes its full name hostname.subdomain.namespace.svc.domain; mostly names a headless service.
  affinity # Rules about the nodes to run on and the pods to be near to or far from.
  schedulerName # The scheduler that finds it a node; default-scheduler when absent.
  tolerations # The taints of nodes that it puts up with.
  hostAliases # Lines added to the hosts file of its containers.
  priorityClassName # The PriorityClass its priority is taken from; the cluster's default class, if any, when absent.
  priority # How much it matters, higher is more. Computed from the class, not set by clients.
  dnsConfig # Resolver settings on top of those from dnsPolicy.
  readinessGates # Conditions that must be True, besides ready containers, for the pod to be ready.
  runtimeClassName # The RuntimeClass that runs it; the node's default runtime when absent.
  enableServiceLinks # Whether containers get variables with the addresses of services; true by default.
  preemptionPolicy # Whether it may push out pods of lower priority; PreemptLowerPriority by default.
  overhead # What the pod itself costs besides its containers. Set from the RuntimeClass.
  topologySpreadConstraints # How evenly pods like it are to be spread over zones, nodes and such. All must hold.
  setHostnameAsFQDN # Whether its host name is the full domain name; false by default.
  os # The operating system it is made for; decides which settings are allowed.
  hostUsers # Whether it uses the node's user namespace; true by default. False gives it one of its own.
  schedulingGates # While any is left the pod is not scheduled. Given on creation, later only removed.
  resourceClaims # ResourceClaims it cannot start without. Containers refer to them by these names.
  resources # Requests and limits of the pod as a whole, for cpu, memory and hugepages.
  hostnameOverride # The host name as the pod sees it, up to 64 characters; not in DNS. Excludes hostNetwork.
  schedulingGroup # The group of pods it is scheduled with.

core.PodStatus # How a pod fares, as its node last reported.
  observedGeneration # The generation of the object that this status is about.
  phase # Where it is in its life, in one word. Conditions and containers tell more.
  conditions # The latest observations, such as whether it is scheduled or ready.
  message # Details for people.
  reason # Why, as a word in CamelCase, such as Evicted.
  nominatedNodeName # A node it may get once preempted pods have left, or is expected to get. Not certain.
  hostIP # The address of its node; absent until it has one.
  hostIPs # All addresses of its node, at most one IPv4 and one IPv6. The first equals hostIP.
  podIP # Its address in the cluster; absent until it has one.
  podIPs # All its addresses, at most one IPv4 and one IPv6. The first equals podIP.
  startTime # When the kubelet took note of it, before images were pulled.
  initContainerStatuses # How each init container fares.
  containerStatuses # How each of the containers fares.
  qosClass # Its class of service, from its requests and limits. Decides who goes first when memory is short.
  ephemeralContainerStatuses # How each ephemeral container fares.
  resize # How far a resize of its containers has come. Deprecated: conditions tell it.
  resourceClaimStatuses # Which ResourceClaims were made for its resourceClaims.
  extendedResourceClaimStatus # The ResourceClaim made for extended resources that devices of DRA back.
  allocatedResources # The requests its node has set aside for the pod as a whole.
  resources # The requests and limits in force for the pod as a whole, after resizes.
  nodeAllocatableResourceClaimStatuses # What its claims take from the allocatable resources of its node.

core.PodTemplateSpec # What pods are made from.
  metadata # Standard object metadata.
  spec # How the pods are to run.

core.PreferredSchedulingTerm # A wish for certain nodes.
  weight # What a matching node gains in score, 1 to 100.
  preference # The nodes that are wished for.

core.ResourceHealth # The health of one device.
  resourceID # The ID of the device; only unique within the driver or plugin that offers it.
  health # Healthy, Unhealthy or Unknown.
  message # Details for people.

core.ResourceRequirements # What is asked for and allowed of resources such as cpu and memory.
  limits # The most of each resource that may be used.
  requests # What is set aside of each resource; the limit, if there is one, when absent.
  claims # Entries of the pod's resourceClaims that the container uses. Fixed once set.

core.ResourceStatus # The health of the devices a container got of one resource.
  name # The resource, or claim:NAME or claim:NAME/REQUEST for one of the pod's claims.
  resources # The health of each device.

core.SecretReference # A secret in any namespace.
  name # The name of the secret.
  namespace # The namespace of the secret.

core.Sysctl # A kernel parameter and its value.
  name # The parameter, such as net.core.somaxconn.
  value # The value to set.

core.Toleration # Taints that a pod puts up with.
  key # The key of the taint; any when empty, and then the operator must be Exists.
  operator # Exists ignores the value, Gt and Lt compare integers; Equal by default.
  value # What the taint's value is compared with. Must be empty with Exists.
  effect # The effect of the taint; any when empty.
  tolerationSeconds # With NoExecute, seconds until eviction; for ever when absent, at once from 0 down.

core.TopologySpreadConstraint # How evenly like pods are to be spread over the parts of a cluster.
  maxSkew # How many more of the pods a domain may have than the one with the fewest; at least 1.
  topologyKey # The node label whose values tell domains apart, such as topology.kubernetes.io/zone.
  whenUnsatisfiable # Whether the pod waits or is placed anyway, as evenly as can be.
  labelSelector # The pods that are counted, in the namespace of the new one.
  minDomains # With fewer domains than this the minimum counts as 0; 1 by default. Only with DoNotSchedule.
  nodeAffinityPolicy # Whether only nodes that fit nodeSelector and node affinity count; Honor by default.
  nodeTaintsPolicy # Whether nodes with taints that the pod does not tolerate are left out; Ignore by default.
  matchLabelKeys # Labels on which counted pods must agree with the new one. Needs labelSelector.

core.WeightedPodAffinityTerm # A wish about closeness to other pods.
  weight # What a term that holds counts for in a node's score, 1 to 100.
  podAffinityTerm # The pods, and how near counts as close.
"""
