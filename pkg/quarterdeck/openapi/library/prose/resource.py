"""What is said of the types of resource."""

TEXT = """
resource.DeviceClass # A kind of devices that requests name.
  metadata # Standard object metadata.
  spec # Which devices are of the class, and how they are configured.

resource.ResourceClaim # A request for devices, and which were given.
  metadata # Standard object metadata.
  spec # What is asked for. It does not change.
  status # What was given, to whom, and what drivers tell of it.

resource.ResourceClaimTemplate # What claims are made of, one for each pod.
  metadata # Standard object metadata.
  spec # Labels, annotations and spec of the claims. It does not change.

resource.ResourceSlice # Some of the devices of a driver's pool.
  metadata # Standard object metadata.
  spec # The devices, where they can be used, and the pool that they belong to.

resource.AllocatedDeviceStatus # What a driver reports of a device that a claim was given.
  driver # The driver that looks after the device, a DNS name.
  pool # The pool that the device is in.
  device # The device's name within its pool.
  shareID # Which share of the device is meant, where several claims may have it.
  conditions # What is known about the device's state.
  data # Whatever else the driver has to say, in its own format.
  networkData # Addresses and the like, of a network device.

resource.AllocationResult # What a claim was given.
  devices # The devices it was given.
  nodeSelector # Nodes on which the devices can be used; all nodes when absent.
  allocationTimestamp # When the claim was given its devices.

resource.CELDeviceSelector # Picks devices by a CEL expression.
  expression # Says of a device, as a CEL boolean, whether it fits. Sees its driver, attributes and capacity.

resource.CapacityRequestPolicy # What amounts of a shared device's capacity may be had.
  default # The amount taken by requests that name none.
  validValues # The only amounts there are; a request is rounded up to the next. Excludes validRange.
  validRange # Bounds and step of the amounts; a request is rounded up to the next. Excludes validValues.

resource.CapacityRequestPolicyRange # Amounts of capacity between bounds.
  min # The least amount; smaller requests are raised to it.
  max # The greatest amount; the device does not serve requests above it.
  step # Amounts are min plus a multiple of this; any amount when absent.

resource.CapacityRequirements # How much capacity a request needs of a device.
  requests # Amounts by name of the capacity. A device that cannot give them all is passed over.

resource.Counter # An amount of something that devices draw on.
  value # The amount.

resource.CounterSet # Counters that devices of a pool draw on together, as parts of one piece of hardware.
  name # What devices refer to it by, a DNS label; unique in the pool.
  counters # The amounts there are in all, by name.

resource.Device # A device that a driver offers.
  name # What the device is called in its pool, a DNS label.
  attributes # Properties by which devices are picked. Names without a domain belong to the driver.
  capacity # Amounts that the device has, such as memory, by name. Names without a domain belong to the driver.
  consumesCounters # What the device draws from shared counters; it can be given out only if enough is left.
  nodeName # The one node with access to it. Only with perDeviceNodeSelection; excludes nodeSelector and allNodes.
  nodeSelector # The nodes with access to it. Only with perDeviceNodeSelection; excludes nodeName and allNodes.
  allNodes # Whether every node has access to it. Only with perDeviceNodeSelection; excludes the other two.
  taints # Marks that keep claims away which do not tolerate them.
  bindsToNode # Whether a claim that is given the device is tied to the node chosen for its pod.
  bindingConditions # Conditions all of which have to be True in the claim before the pod is bound to its node.
  bindingFailureConditions # Conditions of which one being True means that preparing failed; the pod is rescheduled.
  allowMultipleAllocations # Whether several claims may have the device at once, each a share of its capacity.
  nodeAllocatableResourceMappings # What the device uses up of the node's own resources, such as cpu or memory.

resource.DeviceAllocationConfiguration # Settings for devices that were given to a claim.
  source # Whether the settings come from the claim or from the device class.
  requests # Requests whose devices are set so; all when empty. For one alternative: request/subrequest.
  opaque # Settings that only a driver understands.

resource.DeviceAllocationResult # The devices a claim was given, and their settings.
  results # The devices, each with the request that it answers.
  config # Settings from classes and claim, classes first, so that those of the claim take precedence.

resource.DeviceAttribute # A property of a device: exactly one of the values.
  int # A whole number.
  bool # A truth value.
  string # A text of at most 64 characters.
  version # A semantic version, as of semver.org 2.0.0, of at most 64 characters.
  ints # Several whole numbers.
  bools # Several truth values.
  strings # Several texts of at most 64 characters each.
  versions # Several semantic versions of at most 64 characters each.

resource.DeviceCapacity # An amount that a device has.
  value # The amount in all.
  requestPolicy # What parts of it claims may have; only for devices that several claims may share.

resource.DeviceClaim # What devices a claim asks for.
  requests # The devices that are needed; the claim gets all of them or none.
  constraints # What the chosen devices have to have in common or apart.
  config # Settings for the devices, passed on to their drivers.

resource.DeviceClaimConfiguration # Settings for devices that a claim asks for.
  requests # Requests whose devices are set so; all when empty. For one alternative: request/subrequest.
  opaque # Settings that only a driver understands.

resource.DeviceClassConfiguration # Settings for all devices that are had by way of a class.
  opaque # Settings that only a driver understands.

resource.DeviceClassSpec # Which devices are of a class, and how they are set.
  selectors # Tests, all of which a device has to pass.
  config # Settings for devices of the class. Those of a claim come on top.
  extendedResourceName # A resource name by which containers may ask for such devices without a claim.

resource.DeviceConstraint # What devices given to one claim have to have in common or apart.
  requests # Requests whose devices are compared; all when empty. For one alternative: request/subrequest.
  matchAttribute # An attribute that has to be the same for all of them. A device without it does not fit.
  distinctAttribute # An attribute that has to be different for each of them.

resource.DeviceCounterConsumption # What a device draws from a set of counters.
  counterSet # The name of the set, which is in the same pool.
  counters # The amounts drawn, by name of the counter.

resource.DeviceRequest # A need for devices: either exactly or firstAvailable.
  name # What the claim's other parts, and containers, refer to it by; a DNS label.
  exactly # The one kind of device that will do.
  firstAvailable # Alternatives in order of preference; the first that can be had is taken.

resource.DeviceRequestAllocationResult # A device that was given for a request.
  request # The request that it answers; request/subrequest if it was one of several alternatives.
  driver # The driver that looks after the device, a DNS name.
  pool # The pool that the device is in.
  device # The device's name within its pool.
  adminAccess # Whether it was given for administration, with no regard to who else uses it.
  tolerations # Taints that the request put up with when the device was given.
  bindingConditions # The device's conditions for binding, as they were when it was given.
  bindingFailureConditions # The device's conditions for failed binding, as they were when it was given.
  shareID # Which share of the device is meant, where several claims may have it.
  consumedCapacity # How much of the device's capacity this share takes, rounded as its policy says.

resource.DeviceSelector # Picks devices.
  cel # Picks them by a CEL expression; has to be given.

resource.DeviceSubRequest # One of several alternatives for a request.
  name # What it is called among the alternatives, a DNS label; referred to as request/subrequest.
  deviceClassName # The class of device that is needed.
  selectors # Tests, beyond those of the class, all of which a device has to pass.
  allocationMode # ExactCount, the default, takes as many as count says; All takes every device that fits.
  count # How many devices are needed; 1 by default. Only with allocationMode ExactCount.
  tolerations # Taints of devices that are put up with.
  capacity # How much capacity is needed of each device.

resource.DeviceTaint # A mark on a device that keeps claims away which do not tolerate it.
  key # The name of the mark, a label key.
  value # Tells marks of the same key apart, a label value.
  effect # NoSchedule keeps new pods away, NoExecute evicts running ones too, None only informs.
  timeAdded # When the mark was set; eviction counts from then. Filled in when absent.

resource.DeviceToleration # Taints of devices that a request puts up with.
  key # The key of the taint; any when empty, which needs operator Exists.
  operator # Equal also compares the value, Exists takes any; Equal by default.
  value # The value of the taint; empty with operator Exists.
  effect # The effect of the taint; any when empty.
  tolerationSeconds # How long NoExecute is put up with, in seconds; forever when absent, not at all with 0 or less.

resource.ExactDeviceRequest # A need for devices of one kind.
  deviceClassName # The class of device that is needed.
  selectors # Tests, beyond those of the class, all of which a device has to pass.
  allocationMode # ExactCount, the default, takes as many as count says; All takes every device that fits.
  count # How many devices are needed; 1 by default. Only with allocationMode ExactCount.
  adminAccess # Whether devices are wanted for administration, even if in use. The namespace has to permit it.
  tolerations # Taints of devices that are put up with.
  capacity # How much capacity is needed of each device.

resource.NetworkDeviceData # What is known of a network device in a pod.
  interfaceName # What the interface is called inside the pod, such as eth0.
  ips # The addresses of the interface with their prefix length, as in 192.0.2.5/24.
  hardwareAddress # The hardware address of the interface, usually a MAC address.

resource.NodeAllocatableResourceMapping # How much of a node's resource a device uses up.
  capacityKey # The capacity of the device from which the amount is taken; the devices are counted when absent.
  allocationMultiplier # The factor by which that capacity, or the count of devices, is multiplied.

resource.OpaqueDeviceConfiguration # Settings that only a driver understands.
  driver # The driver they are for, a DNS name; others ignore them.
  parameters # The settings, an object in the driver's format, usually with kind and apiVersion.

resource.ResourceClaimConsumerReference # Who uses a claim: an object in its namespace, usually a pod.
  apiGroup # The API group of the user; empty for the core group, as with pods.
  resource # The resource of the user in the plural, such as pods.
  name # The name of the user.
  uid # The UID of the user, so that a successor by the same name is not meant.

resource.ResourceClaimSpec # What a claim asks for. Cannot be changed.
  devices # The devices that are needed, and how they are set.

resource.ResourceClaimStatus # What a claim was given, and who uses it.
  allocation # What the claim was given; absent as long as it has nothing.
  reservedFor # Who may use the claim now, at most 256; it is not released while any is left.
  devices # What drivers report of the devices given.

resource.ResourceClaimTemplateSpec # What claims made from a template look like.
  metadata # Standard object metadata.
  spec # What the claims ask for, copied as it is.

resource.ResourcePool # The pool that the devices of a slice belong to.
  name # What the pool is called; often after its node. Unique among those of the driver.
  generation # Grows with each change of the pool; slices of a lower number are out of date.
  resourceSliceCount # How many slices the pool has at this generation; with fewer it is incomplete.

resource.ResourceSliceSpec # Devices that a driver offers, a part of a pool.
  driver # The driver that offers the devices, a DNS name. Cannot be changed.
  pool # The pool that the devices belong to.
  nodeName # The one node with access to the devices. Excludes the other ways to say where. Cannot be changed.
  nodeSelector # The nodes with access to the devices. Excludes the other ways to say where.
  allNodes # Whether every node has access to the devices. Excludes the other ways to say where.
  devices # The devices, at most 128, fewer if they have taints. Excludes sharedCounters.
  perDeviceNodeSelection # Whether each device says itself where it can be used. Excludes the other ways to say where.
  sharedCounters # Sets of counters that devices in other slices of the pool draw on. Excludes devices.
"""
