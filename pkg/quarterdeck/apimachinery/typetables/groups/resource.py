"""The types of resource.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
AllocatedDeviceStatus: driver string 1!, pool string 2!, device string 3!, shareID *string? 7,
  conditions []meta.Condition 4 map(type), data *runtime.RawExtension? 5, networkData *NetworkDeviceData? 6
AllocationConfigSource = string enum(FromClaim|FromClass)
AllocationResult: devices DeviceAllocationResult? 1, nodeSelector *core.NodeSelector? 3,
  allocationTimestamp *meta.Time? 5
CELDeviceSelector: expression string 1!
CapacityRequestPolicy: default *resource.Quantity 1, validValues []resource.Quantity? 3 atomic,
  validRange *CapacityRequestPolicyRange? 4
CapacityRequestPolicyRange: min *resource.Quantity? 1!, max *resource.Quantity? 2, step *resource.Quantity? 3
CapacityRequirements: requests map[QualifiedName]resource.Quantity? 1
Counter: value resource.Quantity 1!
CounterSet: name string 1!, counters map[string]Counter? 2!
Device: name string 1!, attributes map[QualifiedName]DeviceAttribute? 2, capacity map[QualifiedName]DeviceCapacity? 3,
  consumesCounters []DeviceCounterConsumption? 4 atomic, nodeName *string? 5, nodeSelector *core.NodeSelector? 6,
  allNodes *bool? 7, taints []DeviceTaint? 8 atomic, bindsToNode *bool? 9, bindingConditions []string? 10 atomic,
  bindingFailureConditions []string? 11 atomic, allowMultipleAllocations *bool? 12,
  nodeAllocatableResourceMappings map[core.ResourceName]NodeAllocatableResourceMapping? 13
DeviceAllocationConfiguration: source AllocationConfigSource 1!, requests []string? 2 atomic, ~DeviceConfiguration 3
DeviceAllocationMode = string enum(All|ExactCount)
DeviceAllocationResult: results []DeviceRequestAllocationResult? 1 atomic,
  config []DeviceAllocationConfiguration? 2 atomic
DeviceAttribute: int *int64? 2, bool *bool? 3, string *string? 4, version *string? 5, ints []int64? 6 atomic,
  bools []bool? 7 atomic, strings []string? 8 atomic, versions []string? 9 atomic
DeviceCapacity: value resource.Quantity 1!, requestPolicy *CapacityRequestPolicy? 2
DeviceClaim: requests []DeviceRequest 1 atomic, constraints []DeviceConstraint? 2 atomic,
  config []DeviceClaimConfiguration? 3 atomic
DeviceClaimConfiguration: requests []string? 1 atomic, ~DeviceConfiguration 2
DeviceClass kind: metadata meta.ObjectMeta? 1, spec DeviceClassSpec 2!
DeviceClassConfiguration: ~DeviceConfiguration 1
DeviceClassSpec: selectors []DeviceSelector? 1 atomic, config []DeviceClassConfiguration? 2 atomic,
  extendedResourceName *string? 4
DeviceConfiguration: opaque *OpaqueDeviceConfiguration? 1
DeviceConstraint: requests []string? 1 atomic, matchAttribute *FullyQualifiedName? 2,
  distinctAttribute *FullyQualifiedName? 3
DeviceCounterConsumption: counterSet string 1!, counters map[string]Counter? 2!
DeviceRequest: name string 1!, exactly *ExactDeviceRequest? 2, firstAvailable []DeviceSubRequest? 3 atomic
DeviceRequestAllocationResult: request string 1!, driver string 2!, pool string 3!, device string 4!,
  adminAccess *bool? 5, tolerations []DeviceToleration? 6 atomic, bindingConditions []string? 7 atomic,
  bindingFailureConditions []string? 8 atomic, shareID *types.UID? 9,
  consumedCapacity map[QualifiedName]resource.Quantity? 10
DeviceSelector: cel *CELDeviceSelector? 1
DeviceSubRequest: name string 1!, deviceClassName string 2!, selectors []DeviceSelector? 3 atomic,
  allocationMode DeviceAllocationMode? 4, count int64? 5, tolerations []DeviceToleration? 6 atomic,
  capacity *CapacityRequirements? 7
DeviceTaint: key string 1!, value string? 2, effect DeviceTaintEffect 3!, timeAdded *meta.Time? 4
DeviceTaintEffect = string enum(NoExecute|NoSchedule|None)
DeviceToleration: key string? 1, operator DeviceTolerationOperator? 2 ="Equal", value string? 3,
  effect DeviceTaintEffect? 4, tolerationSeconds *int64? 5
DeviceTolerationOperator = string enum(Equal|Exists)
ExactDeviceRequest: deviceClassName string 1!, selectors []DeviceSelector? 2 atomic,
  allocationMode DeviceAllocationMode? 3, count int64? 4, adminAccess *bool? 5,
  tolerations []DeviceToleration? 6 atomic, capacity *CapacityRequirements? 7
FullyQualifiedName = string
NetworkDeviceData: interfaceName string? 1, ips []string? 2 atomic, hardwareAddress string? 3
NodeAllocatableResourceMapping: capacityKey *QualifiedName? 1, allocationMultiplier *resource.Quantity? 2
OpaqueDeviceConfiguration: driver string 1!, parameters runtime.RawExtension 2!
QualifiedName = string
ResourceClaim kind: metadata meta.ObjectMeta? 1, spec ResourceClaimSpec 2!, status ResourceClaimStatus? 3
ResourceClaimConsumerReference: apiGroup string? 1, resource string 3!, name string 4!, uid types.UID 5!
ResourceClaimSpec: devices DeviceClaim 1
ResourceClaimStatus: allocation *AllocationResult? 1,
  reservedFor []ResourceClaimConsumerReference? 2 map(uid) patch(merge|uid),
  devices []AllocatedDeviceStatus? 4 map(driver|device|pool|shareID)
ResourceClaimTemplate kind: metadata meta.ObjectMeta? 1, spec ResourceClaimTemplateSpec 2!
ResourceClaimTemplateSpec: metadata meta.ObjectMeta? 1, spec ResourceClaimSpec 2!
ResourcePool: name string 1!, generation int64 2!, resourceSliceCount int64 3!
ResourceSlice kind: metadata meta.ObjectMeta? 1, spec ResourceSliceSpec 2!
ResourceSliceSpec: driver string 1!, pool ResourcePool 2!, nodeName *string? 3, nodeSelector *core.NodeSelector? 4,
  allNodes *bool? 5, devices []Device? 6 atomic, perDeviceNodeSelection *bool? 7,
  sharedCounters []CounterSet? 8 atomic
"""
