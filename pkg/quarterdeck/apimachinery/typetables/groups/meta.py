"""The types of what all groups share; see typetables/__init__.py for the notation."""

TABLE = """
APIGroup kind: name string 1!, versions []GroupVersionForDiscovery 2! atomic,
  preferredVersion GroupVersionForDiscovery? 3, serverAddressByClientCIDRs []ServerAddressByClientCIDR? 4 atomic
APIGroupList kind: groups []APIGroup 1! atomic
APIResource: name string 1!, singularName string 6!, namespaced bool 2!, group string? 8, version string? 9,
  kind string 3!, verbs Verbs 4!, shortNames []string? 5 atomic, categories []string? 7 atomic,
  storageVersionHash string? 10
APIResourceList kind: groupVersion string 1!, resources []APIResource 2! atomic
APIVersions kind: versions []string 1! atomic, serverAddressByClientCIDRs []ServerAddressByClientCIDR 2! atomic
ApplyOptions: dryRun []string? 1, force bool 2, fieldManager string 3
CauseType = string
Condition: type string 1!, status ConditionStatus 2!, observedGeneration int64? 3, lastTransitionTime Time 4!,
  reason string 5!, message string 6!
ConditionStatus = string
CreateOptions: dryRun []string? 1, fieldManager string? 3, fieldValidation string? 4
DeleteOptions: gracePeriodSeconds *int64? 1, preconditions *Preconditions? 2, orphanDependents *bool? 3,
  propagationPolicy *DeletionPropagation? 4, dryRun []string? 5 atomic,
  ignoreStoreReadErrorWithClusterBreakingPotential *bool? 6
DeletionPropagation = string
FieldSelectorOperator = string
FieldSelectorRequirement: key string 1!, operator FieldSelectorOperator 2!, values []string? 3 atomic
GetOptions: resourceVersion string? 1
GroupKind: group string 1, kind string 2
GroupResource: group string 1, resource string 2
GroupVersion: group string 1, version string 2
GroupVersionForDiscovery: groupVersion string 1!, version string 2!
GroupVersionKind: group string 1, version string 2, kind string 3
GroupVersionResource: group string 1, version string 2, resource string 3
IncludeObjectPolicy = string
LabelSelector atomic: matchLabels map[string]string? 1, matchExpressions []LabelSelectorRequirement? 2 atomic
LabelSelectorOperator = string
LabelSelectorRequirement: key string 1!, operator LabelSelectorOperator 2!, values []string? 3 atomic
List: metadata ListMeta? 1, items []runtime.RawExtension 2
ListMeta: selfLink string? 1, resourceVersion string? 2, continue string? 3, remainingItemCount *int64? 4,
  shardInfo *ShardInfo? 5
ListOptions: labelSelector string? 1, fieldSelector string? 2, watch bool? 3, allowWatchBookmarks bool? 9,
  resourceVersion string? 4, resourceVersionMatch ResourceVersionMatch? 10, timeoutSeconds *int64? 5, limit int64? 7,
  continue string? 8, sendInitialEvents *bool? 11, shardSelector string? 15
ManagedFieldsEntry: manager string? 1, operation ManagedFieldsOperationType? 2, apiVersion string? 3, time *Time? 4,
  fieldsType string? 6, fieldsV1 *FieldsV1? 7, subresource string? 8
ManagedFieldsOperationType = string
ObjectMeta: name string? 1, generateName string? 2, namespace string? 3, selfLink string? 4, uid types.UID? 5,
  resourceVersion string? 6, generation int64? 7, creationTimestamp Time?? 8, deletionTimestamp *Time? 9,
  deletionGracePeriodSeconds *int64? 10, labels map[string]string? 11, annotations map[string]string? 12,
  ownerReferences []OwnerReference? 13 map(uid) patch(merge|uid), finalizers []string? 14 set patch(merge),
  managedFields []ManagedFieldsEntry? 17 atomic
OwnerReference atomic: apiVersion string 5!, kind string 1!, name string 3!, uid types.UID 4!, controller *bool? 6,
  blockOwnerDeletion *bool? 7
PartialObjectMetadata: metadata ObjectMeta? 1
PartialObjectMetadataList: metadata ListMeta? 1, items []PartialObjectMetadata 2
PatchOptions: dryRun []string? 1, force *bool? 2, fieldManager string? 3, fieldValidation string? 4
Preconditions: uid *types.UID? 1, resourceVersion *string? 2
ResourceVersionMatch = string
RootPaths: paths []string 1
RowConditionType = string
ServerAddressByClientCIDR: clientCIDR string 1!, serverAddress string 2!
ShardInfo: selector string 1!
Status kind: metadata ListMeta? 1, status string? 2, message string? 3, reason StatusReason? 4,
  details *StatusDetails? 5, code int32? 6
StatusCause: reason CauseType? 1, message string? 2, field string? 3
StatusDetails: name string? 1, group string? 2, kind string? 3, uid types.UID? 6, causes []StatusCause? 4 atomic,
  retryAfterSeconds int32? 5
StatusReason = string
TableOptions: includeObject IncludeObjectPolicy? 1
TypeMeta: kind string? 1, apiVersion string? 2
UpdateOptions: dryRun []string? 1, fieldManager string? 2, fieldValidation string? 3
Verbs = []string
WatchEvent: type string 1!, object runtime.RawExtension 2!
"""
