"""What is said of the types of core."""

TEXT = """
core.Namespace # A scope for names. Deleting it deletes what is in it.
  metadata # Standard object metadata.
  spec # The behaviour of the namespace.
  status # The current state of the namespace.

core.NamespaceSpec # The behaviour of a namespace.
  finalizers # What must be empty before the namespace is removed.

core.NamespaceStatus # The current state of a namespace.
  conditions # What holds up its deletion.
  phase # Active or Terminating.

core.NamespaceCondition # One aspect of the state of a namespace.
  lastTransitionTime # When the status last changed.
  message # Details for people.
  reason # Why, as a word in CamelCase.
  status # True, False or Unknown.
  type # What the condition is about.

core.ConfigMap # Configuration data for pods and others to consume.
  binaryData # Data that need not be UTF-8; its keys must not be in data.
  data # Text data. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable # Whether data and binaryData can no longer be changed.
  metadata # Standard object metadata.

core.Secret # Data of which the bytes are kept from casual view.
  data # The data, in base64. Keys consist of alphanumeric characters, '-', '_' or '.'.
  immutable # Whether the data can no longer be changed.
  metadata # Standard object metadata.
  stringData # Data as text, for writing only: it is merged into data.
  type # Tells programs how the data is meant; Opaque by default.

core.ServiceAccount # An identity for processes.
  automountServiceAccountToken # Whether pods get a token mounted by default.
  imagePullSecrets # Secrets for pulling images.
  metadata # Standard object metadata.
  secrets # Secrets that pods of this account may use.

core.LocalObjectReference # Names an object in the same namespace.
  name # Name of the object.

core.ObjectReference # Names an object, or a part of one.
  apiVersion # API version of the object.
  fieldPath # A part of the object, as a JSON path.
  kind # Kind of the object.
  name # Name of the object.
  namespace # Namespace of the object.
  resourceVersion # The version of the object that is meant.
  uid # UID of the object.

core.Event # A report of something that happened to an object; kept for a limited time.
  action # What was done or failed to be done.
  count # How often this happened.
  eventTime # When it was first observed.
  firstTimestamp # When it was first recorded.
  involvedObject # The object that the event is about.
  lastTimestamp # When it was most recently recorded.
  message # A description for people.
  metadata # Standard object metadata.
  reason # Why, as a short word for machines.
  related # A second object, for more complex actions.
  reportingComponent # The controller that reports, such as example.com/controller.
  reportingInstance # The instance of the controller.
  series # The series that the event belongs to, if any.
  source # The component that reports.
  type # Normal or Warning.

core.EventSeries # How often and until when an event repeats.
  count # The number of occurrences up to lastObservedTime.
  lastObservedTime # When it was last observed.

core.EventSource # Who reports an event.
  component # The component.
  host # The node.

core.Service # A named port of a set of pods. Nobody routes to them here.
  metadata # Standard object metadata.
  spec # What the service offers and how.
  status # What is known about the service.

core.PodTemplate # A template of pods, as an object.
  metadata # Standard object metadata.
  template # What the pods look like.

core.ReplicationController # A number of pods that are alike. Nobody keeps them here.
  metadata # Standard object metadata.
  spec # How many pods there should be, and what they look like.
  status # How many there are.

core.Endpoints # The addresses behind a service, in their old form.
  metadata # Standard object metadata.
  subsets # Addresses with the ports that all of them have.

core.LimitRange # How much pods, containers and volume claims of a namespace may ask for.
  metadata # Standard object metadata.
  spec # The limits.

core.ResourceQuota # How much a namespace may use in all.
  metadata # Standard object metadata.
  spec # What may be used.
  status # What is used.

core.Node # A machine that pods may run on. Nobody runs them here.
  metadata # Standard object metadata.
  spec # What is wanted of the node.
  status # What the node tells of itself.

core.PersistentVolume # A piece of storage. Nobody binds or reclaims it here.
  metadata # Standard object metadata.
  spec # Where the data is, and who may have it.
  status # What has become of it.

core.PersistentVolumeClaim # A request for a piece of storage. Nobody binds it here.
  metadata # Standard object metadata.
  spec # What is asked for.
  status # What was given.

core.Binding # Ties one object to another: a pod to a node.
  metadata # Standard object metadata.
  target # The node.

core.ComponentStatus # Whether a part of the control plane is healthy. Deprecated since 1.19.
  conditions # What was found out.
  metadata # Standard object metadata.

core.ClientIPConfig # Settings of session affinity by client address.
  timeoutSeconds # Seconds a client stays bound to its pod, 1 to 86400; 10800 (three hours) by default.

core.ComponentCondition # One finding about the health of a control plane component.
  type # What the condition is about.
  status # True, False or Unknown.
  message # Details for people.
  error # The code of the error met while probing the component.

core.ConfigMapNodeConfigSource # Where a kubelet gets its configuration: a config map. Deprecated and without effect.
  namespace # The namespace of the config map.
  name # The name of the config map.
  uid # The UID of the config map; only allowed in the node's status.
  resourceVersion # The version of the config map in use; only allowed in the node's status.
  kubeletConfigKey # The key of the config map whose value is the kubelet's configuration.

core.DaemonEndpoint # The port of one daemon of a node.
  Port # The number of the port.

core.EndpointAddress # One address that serves a service.
  ip # An IPv4 or IPv6 address; not loopback, link-local or multicast.
  hostname # The host name of the address, as DNS publishes it below the service's name.
  nodeName # The node that has the address.
  targetRef # The object behind the address, mostly a pod.

core.EndpointPort # A port that serves a service.
  name # The name of the service's port it belongs to. May be left out if there is only one port.
  port # The number of the port.
  protocol # The transport protocol; TCP by default.
  appProtocol # The application protocol spoken on the port, such as kubernetes.io/h2c; a hint to proxies.

core.EndpointSubset # Addresses that share the same ports; every address combines with every port.
  addresses # Addresses that are ready for traffic.
  notReadyAddresses # Addresses that get no traffic yet, as their pods are starting or fail their readiness probe.
  ports # The ports that all these addresses have.

core.LimitRangeItem # The limits for one kind of thing.
  type # What is limited: Pod, Container or PersistentVolumeClaim.
  max # The most of each resource that one such thing may use.
  min # The least of each resource that one such thing must ask for.
  default # Limits given to containers that set none.
  defaultRequest # Requests given to containers that make none.
  maxLimitRequestRatio # How many times its request a limit may be at most, per resource.

core.LimitRangeSpec # What a limit range demands.
  limits # The limits, by kind of thing.

core.LoadBalancerIngress # A point where a load balancer accepts traffic for a service.
  ip # The address, for load balancers known by IP.
  hostname # The DNS name, for load balancers known by name.
  ipMode # VIP if packets arrive with the balancer's address, Proxy if with that of a node or pod. Needs ip.
  ports # How each of the service's ports fares at this point.

core.LoadBalancerStatus # What a load balancer has set up.
  ingress # The points where traffic for the service comes in.

core.NodeAddress # One way to reach a node.
  type # The kind of address: InternalIP, ExternalIP, Hostname, InternalDNS or ExternalDNS.
  address # The IP address or name.

core.NodeAffinity # Which nodes a pod must or would rather run on.
  requiredDuringSchedulingIgnoredDuringExecution # What a node must match to get the pod. Running pods stay.
  preferredDuringSchedulingIgnoredDuringExecution # Wishes with weights that add to the score of a node.

core.NodeCondition # One aspect of the state of a node.
  type # What the condition is about.
  status # True, False or Unknown.
  lastHeartbeatTime # When the condition was last reported, changed or not.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

core.NodeConfigSource # Where a kubelet gets its configuration. Deprecated and without effect.
  configMap # A config map with the configuration.

core.NodeConfigStatus # How the dynamic configuration of a kubelet fares. No longer in use.
  assigned # The configuration the kubelet is to use from its next start.
  active # The configuration the kubelet runs with; its local one if absent.
  lastKnownGood # The configuration to fall back on when the assigned one fails.
  error # What went wrong with the assigned configuration, if anything.

core.NodeDaemonEndpoints # The ports of the daemons of a node.
  kubeletEndpoint # Where the kubelet listens.

core.NodeFeatures # What the container runtime of a node can do, whatever the handler.
  supplementalGroupsPolicy # Whether pods may choose their supplementalGroupsPolicy.

core.NodeRuntimeHandler # A handler that the container runtime of a node offers.
  name # The name runtime classes refer to; empty for the default handler.
  features # What the handler can do.

core.NodeRuntimeHandlerFeatures # What a runtime handler can do.
  recursiveReadOnlyMounts # Whether mounts can be read-only with all that is mounted below them.
  userNamespaces # Whether pods can have a user namespace of their own.

core.NodeSelector # Picks nodes by their labels and fields.
  nodeSelectorTerms # Alternatives; a node that matches any of them is picked.

core.NodeSelectorRequirement # A test on one label or field of a node.
  key # The label or field to test.
  operator # How the key and the values are compared.
  values # Values to compare with: some for In and NotIn, one integer for Gt and Lt, otherwise none.

core.NodeSelectorTerm # Requirements that must all hold. A term with none matches no node.
  matchExpressions # Requirements on the labels of the node.
  matchFields # Requirements on the fields of the node; only metadata.name is known.

core.NodeSpec # How a node is meant to be.
  podCIDR # The address range for the pods of the node; the first of podCIDRs.
  podCIDRs # The address ranges for the pods of the node, one per IP family at most.
  providerID # What the cloud provider calls the machine, as provider://id. Cannot be changed once set.
  unschedulable # Whether new pods are kept off the node, as kubectl cordon does.
  taints # Marks that repel pods that do not tolerate them.
  configSource # Where the kubelet gets its configuration. Deprecated and without effect.
  externalID # Deprecated and without effect.

core.NodeStatus # What is known about a node.
  capacity # All the resources the node has.
  allocatable # The resources left for pods after what the system reserves; same as capacity if absent.
  phase # Deprecated and never set; see conditions.
  conditions # What is known about the node's state, by type.
  addresses # How the node can be reached.
  daemonEndpoints # The ports of the node's daemons.
  nodeInfo # Facts about the machine and its software.
  images # Container images present on the node; kubelets report the 50 largest by default.
  volumesInUse # Attachable volumes that pods use here; they are not detached before they leave the list.
  volumesAttached # Volumes that the controller has attached to the node.
  config # How the dynamic configuration of the kubelet fares. No longer in use.
  runtimeHandlers # The handlers that runtime classes may name on this node.
  features # What the container runtime can do, whatever the handler.
  declaredFeatures # Gated features that the node says it has, so that pods in need of them can be placed.

core.NodeSwapStatus # The swap memory of a node.
  capacity # Its size in bytes.

core.NodeSystemInfo # Facts about a node's machine and software.
  machineID # The ID in /etc/machine-id, or the like.
  systemUUID # The UUID of the hardware or virtual machine, as its firmware tells.
  bootID # An ID that is new after each boot.
  kernelVersion # The version of the kernel, as uname -r prints it.
  osImage # The name of the operating system's release, as /etc/os-release has it.
  containerRuntimeVersion # The container runtime and its version, such as containerd://2.0.0.
  kubeletVersion # The version of the kubelet.
  kubeProxyVersion # Deprecated; was the version of kube-proxy.
  operatingSystem # The kind of operating system, linux or windows.
  architecture # The processor architecture in Go's spelling, such as amd64 or arm64.
  swap # The swap memory of the node.

core.PortStatus # How one port of a service fares at a load balancer.
  port # The number of the port.
  protocol # The transport protocol.
  error # Why the port does not work, as a word in CamelCase; absent if it does.

core.ReplicationControllerCondition # One aspect of how a replication controller fares.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

core.ReplicationControllerSpec # What a replication controller keeps running.
  replicas # How many pods there should be; 1 by default.
  minReadySeconds # How many seconds a new pod must stay ready to count as available; 0 by default.
  selector # Labels that its pods have; those of the template by default.
  template # What new pods look like. Their restartPolicy must be Always.

core.ReplicationControllerStatus # What a replication controller has achieved.
  replicas # How many pods there are.
  fullyLabeledReplicas # How many pods have all the labels of the template.
  readyReplicas # How many pods are ready.
  availableReplicas # How many pods have been ready for at least minReadySeconds.
  observedGeneration # The generation of the spec that the status is about.
  conditions # What is known about its state, by type.

core.ResourceQuotaSpec # How much a namespace may use.
  hard # The upper bound for each resource.
  scopes # Restrict the quota to objects that are in all of these scopes.
  scopeSelector # Restricts the quota to objects that match, by scope and value. Combines with scopes.

core.ResourceQuotaStatus # How much of a quota is used.
  hard # The upper bound for each resource.
  used # How much of each resource the namespace uses.

core.ScopeSelector # Picks objects by the scopes of quotas.
  matchExpressions # Requirements that must all hold.

core.ScopedResourceSelectorRequirement # A test on one scope.
  scopeName # The scope to test.
  operator # How scope and values are compared. Only PriorityClass and VolumeAttributesClass allow more than Exists.
  values # Values to compare with: some for In and NotIn, none for Exists and DoesNotExist.

core.ServicePort # A port of a service.
  name # A name unique in the service. May be left out if there is only one port.
  protocol # The transport protocol; TCP by default.
  appProtocol # The application protocol spoken on the port, such as kubernetes.io/h2c; a hint to proxies.
  port # The port clients connect to.
  targetPort # The pods' port, by number or by the name of a container port; same as port by default.
  nodePort # The port opened on each node for types NodePort and LoadBalancer; picked if absent.

core.ServiceSpec # What a service offers and how.
  ports # The ports of the service.
  selector # Labels of the pods that serve it. Without any, someone else must supply the endpoints.
  clusterIP # The service's address, picked if absent. None makes it headless, with only DNS records of pods.
  clusterIPs # The service's addresses, one per IP family; the first equals clusterIP.
  type # How far the service is exposed; ClusterIP by default, inside the cluster only.
  externalIPs # More addresses for which nodes accept its traffic. Routing them there is left to the administrator.
  sessionAffinity # ClientIP keeps each client at one pod; None by default.
  loadBalancerIP # The address wanted from the load balancer. Deprecated, and not all providers heed it.
  loadBalancerSourceRanges # Client address ranges the load balancer lets in, if the provider can; all by default.
  externalName # The DNS name the service is an alias of, for type ExternalName.
  externalTrafficPolicy # Local keeps outside traffic on the node it reaches, source address and all. Default Cluster.
  healthCheckNodePort # Where nodes tell a load balancer if they have endpoints; for externalTrafficPolicy Local.
  publishNotReadyAddresses # Whether pods count as ready endpoints even when they are not.
  sessionAffinityConfig # Settings of sessionAffinity.
  ipFamilies # The IP families of its addresses, in order; the cluster's by default. The first cannot be changed.
  ipFamilyPolicy # Whether the service may or must have both IP families; SingleStack by default.
  allocateLoadBalancerNodePorts # Whether type LoadBalancer gets node ports as well; true by default.
  loadBalancerClass # Which load balancer is in charge; the cloud provider's if absent. Only for type LoadBalancer.
  internalTrafficPolicy # Local sends traffic from pods only to endpoints on their own node. Default Cluster.
  trafficDistribution # Which endpoints proxies favour, such as PreferSameZone or PreferSameNode.

core.ServiceStatus # What is known about a service.
  loadBalancer # What the load balancer has set up, if there is one.
  conditions # What is known about its state, by type.

core.SessionAffinityConfig # Settings of session affinity.
  clientIP # Settings of affinity by client address.

core.Taint # A mark on a node that repels pods that do not tolerate it.
  key # The name of the taint.
  value # The value that goes with the key.
  effect # What befalls pods that do not tolerate it; NoExecute evicts running ones too.
  timeAdded # Since when the node has the taint.

core.TopologySelectorLabelRequirement # A test on one label of a topology.
  key # The label to test.
  values # The values allowed, at least one.

core.TopologySelectorTerm # Picks topologies, such as zones, by labels.
  matchLabelExpressions # Requirements that must all hold.
"""
