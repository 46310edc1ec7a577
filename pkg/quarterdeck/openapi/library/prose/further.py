"""What is said of types that only versions have which are off where nothing is said, and of fields that v1 does not
have; by the group's table."""

TEXT = """
certificates.ClusterTrustBundle # Trust anchors, certificates of authorities, that a whole cluster may read.
  metadata # Standard object metadata; the name begins with that of the signer, if there is one.
  spec # The signer and the trust anchors.

certificates.ClusterTrustBundleSpec # The signer and the trust anchors.
  signerName # The signer that they belong to. Who sets it has to be allowed to `attest` as that signer.
  trustBundle # Certificates of authorities in PEM, each once, without headers.

coordination.LeaseCandidate # Somebody who may be given a lease by coordinated leader election.
  metadata # Standard object metadata.
  spec # Who it is, and for which lease.

coordination.LeaseCandidateSpec # Who it is, and for which lease.
  binaryVersion # The version of the program, as a semantic version without a v before it.
  emulationVersion # The version that it behaves as; not above binaryVersion.
  leaseName # The name of the lease, in the same namespace.
  pingTime # When it was last asked whether it is there; it answers by setting renewTime.
  renewTime # When it last said that it is there.
  strategy # How the holder is to be picked. Candidates for one lease have to name the same.

resource.BasicDevice # A device by its attributes and capacities.
  allNodes # Whether all nodes have access to the device.
  allowMultipleAllocations # Whether the device may be allocated to several requests.
  attributes # What drivers say of the device, by qualified name.
  bindingConditions # The conditions that have to be true before a pod with the device is bound.
  bindingFailureConditions # The conditions of which one that is true says that binding failed.
  bindsToNode # Whether an allocation of the device picks a node that the claim is bound to.
  capacity # Amounts that the device has, by qualified name.
  consumesCounters # The shared counters that an allocation of the device consumes.
  nodeAllocatableResourceMappings # Resources of the node that an allocation takes, by name.
  nodeName # The node that has access to the device.
  nodeSelector # The nodes that have access to the device.
  taints # The taints of the device.

resource.Device
  basic # A device by its attributes and capacities.

resource.DeviceRequest
  adminAccess # Whether the devices are asked for beside whoever uses them.
  allocationMode # ExactCount (so many devices as count says) or All (all that match).
  capacity # Amounts that a device has to have left.
  count # How many devices are asked for.
  deviceClassName # The class that devices are picked by. Empty where firstAvailable is set.
  selectors # What a device has to satisfy, beside the selectors of the class.
  tolerations # The taints of devices that are no hindrance.

resource.DeviceTaintRule # A taint for all devices that a selector matches.
  metadata # Standard object metadata.
  spec # Which devices, and the taint.
  status # What whoever carries it out tells of it.

resource.DeviceTaintRuleSpec # Which devices, and the taint.
  deviceSelector # Which devices get the taint; an empty one matches all, none matches no device.
  taint # The taint.

resource.DeviceTaintRuleStatus # What whoever carries it out tells of it.
  conditions # The state of the rule.

resource.DeviceTaintSelector # Devices by where they are. What is set has to match.
  device # The name of the device in its pool.
  driver # The name of the driver.
  pool # The name of the pool.

resource.PoolStatus # What is known of one pool of devices.
  allocatedDevices # How many are allocated.
  availableDevices # How many could be allocated.
  driver # The driver that publishes the pool.
  generation # The generation of the pool that was counted.
  nodeName # The node that the pool belongs to.
  poolName # The name of the pool.
  resourceSliceCount # How many slices the pool has.
  totalDevices # How many devices it has.
  unavailableDevices # How many cannot be allocated although nobody has them.
  validationError # Why nothing can be told of the pool.

resource.ResourcePoolStatusRequest # A question, asked once: how pools of devices are used.
  metadata # Standard object metadata.
  spec # Which pools.
  status # The answer.

resource.ResourcePoolStatusRequestSpec # Which pools.
  driver # The driver whose pools are meant.
  limit # How many pools are told of at most.
  poolName # One pool; all of the driver's where it is not set.

resource.ResourcePoolStatusRequestStatus # The answer.
  conditions # Whether the question was answered.
  poolCount # How many pools match.
  pools # The pools, ordered by driver and name.

apiserverinternal.ServerStorageVersion # How one server stores a resource.
  apiServerID # The server.
  decodableVersions # The versions that it can read.
  encodingVersion # The version that it writes.
  servedVersions # The versions that it serves.

apiserverinternal.StorageVersion # How the servers of a cluster store a resource; named group.resource.
  metadata # Standard object metadata; the name is group.resource.
  spec # Empty.
  status # What each server does.

apiserverinternal.StorageVersionCondition # A part of what is known of a stored resource.
  lastTransitionTime # When the status last changed.
  message # What it means, for people.
  observedGeneration # The generation of the object that it was told of.
  reason # Why it changed last.
  status # True, False or Unknown.
  type # Which condition.

apiserverinternal.StorageVersionSpec # Empty.

apiserverinternal.StorageVersionStatus # What each server does.
  commonEncodingVersion # What all servers write; not set where they differ.
  conditions # Whether all agree.
  storageVersions # What each server says of itself.

storagemigration.StorageVersionMigration # A wish to have all objects of a resource written in its storage version.
  metadata # Standard object metadata.
  spec # Which resource.
  status # How far it has come.

storagemigration.StorageVersionMigrationSpec # Which resource.
  resource # The group and the name of the resource.

storagemigration.StorageVersionMigrationStatus # How far it has come.
  conditions # Whether it runs, has failed or has succeeded.
  resourceVersion # The version of the collection up to which objects are written again.
"""
