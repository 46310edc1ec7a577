"""The group resource.k8s.io, v1, as protobuf.

Source: api/resource/v1/generated.proto and types.go.
"""

TABLE = """
AllocatedDeviceStatus: 1 driver string, 2 pool string, 3 device string, 7 shareID *string, 4 conditions []Condition,
  5 data *RawExtension, 6 networkData *NetworkDeviceData
AllocationResult: 1 devices DeviceAllocationResult, 3 nodeSelector *NodeSelector, 5 allocationTimestamp *Time
CELDeviceSelector: 1 expression string
CapacityRequestPolicy: 1 default *Quantity, 3 validValues []Quantity, 4 validRange *CapacityRequestPolicyRange
CapacityRequestPolicyRange: 1 min *Quantity, 2 max *Quantity, 3 step *Quantity
CapacityRequirements: 1 requests map[Quantity]
Counter: 1 value Quantity
CounterSet: 1 name string, 2 counters map[Counter]
Device: 1 name string, 2 attributes map[DeviceAttribute], 3 capacity map[DeviceCapacity],
  4 consumesCounters []DeviceCounterConsumption, 5 nodeName *string, 6 nodeSelector *NodeSelector, 7 allNodes *bool,
  8 taints []DeviceTaint, 9 bindsToNode *bool, 10 bindingConditions []string, 11 bindingFailureConditions []string,
  12 allowMultipleAllocations *bool, 13 nodeAllocatableResourceMappings map[NodeAllocatableResourceMapping]
DeviceAllocationConfiguration: 1 source string, 2 requests []string, 3 ~ DeviceConfiguration
DeviceAllocationResult: 1 results []DeviceRequestAllocationResult, 2 config []DeviceAllocationConfiguration
DeviceAttribute: 2 int *int64, 3 bool *bool, 4 string *string, 5 version *string, 6 ints []int64, 7 bools []bool,
  8 strings []string, 9 versions []string
DeviceCapacity: 1 value Quantity, 2 requestPolicy *CapacityRequestPolicy
DeviceClaim: 1 requests []DeviceRequest, 2 constraints []DeviceConstraint, 3 config []DeviceClaimConfiguration
DeviceClaimConfiguration: 1 requests []string, 2 ~ DeviceConfiguration
DeviceClass: 1 metadata ObjectMeta, 2 spec DeviceClassSpec
DeviceClassConfiguration: 1 ~ DeviceConfiguration
DeviceClassList: 1 metadata ListMeta, 2 items []DeviceClass
DeviceClassSpec: 1 selectors []DeviceSelector, 2 config []DeviceClassConfiguration, 4 extendedResourceName *string
DeviceConfiguration: 1 opaque *OpaqueDeviceConfiguration
DeviceConstraint: 1 requests []string, 2 matchAttribute *string, 3 distinctAttribute *string
DeviceCounterConsumption: 1 counterSet string, 2 counters map[Counter]
DeviceRequest: 1 name string, 2 exactly *ExactDeviceRequest, 3 firstAvailable []DeviceSubRequest
DeviceRequestAllocationResult: 1 request string, 2 driver string, 3 pool string, 4 device string, 5 adminAccess *bool,
  6 tolerations []DeviceToleration, 7 bindingConditions []string, 8 bindingFailureConditions []string,
  9 shareID *string, 10 consumedCapacity map[Quantity]
DeviceSelector: 1 cel *CELDeviceSelector
DeviceSubRequest: 1 name string, 2 deviceClassName string, 3 selectors []DeviceSelector, 4 allocationMode string,
  5 count int64, 6 tolerations []DeviceToleration, 7 capacity *CapacityRequirements
DeviceTaint: 1 key string, 2 value string, 3 effect string, 4 timeAdded *Time
DeviceToleration: 1 key string, 2 operator string, 3 value string, 4 effect string, 5 tolerationSeconds *int64
ExactDeviceRequest: 1 deviceClassName string, 2 selectors []DeviceSelector, 3 allocationMode string, 4 count int64,
  5 adminAccess *bool, 6 tolerations []DeviceToleration, 7 capacity *CapacityRequirements
NetworkDeviceData: 1 interfaceName string, 2 ips []string, 3 hardwareAddress string
NodeAllocatableResourceMapping: 1 capacityKey *string, 2 allocationMultiplier *Quantity
OpaqueDeviceConfiguration: 1 driver string, 2 parameters RawExtension
ResourceClaim: 1 metadata ObjectMeta, 2 spec ResourceClaimSpec, 3 status ResourceClaimStatus
ResourceClaimConsumerReference: 1 apiGroup string, 3 resource string, 4 name string, 5 uid string
ResourceClaimList: 1 metadata ListMeta, 2 items []ResourceClaim
ResourceClaimSpec: 1 devices DeviceClaim
ResourceClaimStatus: 1 allocation *AllocationResult, 2 reservedFor []ResourceClaimConsumerReference,
  4 devices []AllocatedDeviceStatus
ResourceClaimTemplate: 1 metadata ObjectMeta, 2 spec ResourceClaimTemplateSpec
ResourceClaimTemplateList: 1 metadata ListMeta, 2 items []ResourceClaimTemplate
ResourceClaimTemplateSpec: 1 metadata ObjectMeta, 2 spec ResourceClaimSpec
ResourcePool: 1 name string, 2 generation int64, 3 resourceSliceCount int64
ResourceSlice: 1 metadata ObjectMeta, 2 spec ResourceSliceSpec
ResourceSliceList: 1 metadata ListMeta, 2 items []ResourceSlice
ResourceSliceSpec: 1 driver string, 2 pool ResourcePool, 3 nodeName *string, 4 nodeSelector *NodeSelector,
  5 allNodes *bool, 6 devices []Device, 7 perDeviceNodeSelection *bool, 8 sharedCounters []CounterSet
"""
