"""The Go types of apimachinery/pkg/apis/meta/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
Condition: type string, status ConditionStatus, observedGeneration int64?, lastTransitionTime Time, reason string,
  message string
ConditionStatus = string
LabelSelector: matchLabels map[string]string?, matchExpressions []LabelSelectorRequirement?
LabelSelectorOperator = string
LabelSelectorRequirement: key string, operator LabelSelectorOperator, values []string?
ManagedFieldsEntry: manager string?, operation ManagedFieldsOperationType?, apiVersion string?, time *Time?,
  fieldsType string?, fieldsV1 *FieldsV1?, subresource string?
ManagedFieldsOperationType = string
ObjectMeta: name string?, generateName string?, namespace string?, selfLink string?, uid types.UID?,
  resourceVersion string?, generation int64?, creationTimestamp Time??, deletionTimestamp *Time?,
  deletionGracePeriodSeconds *int64?, labels map[string]string?, annotations map[string]string?,
  ownerReferences []OwnerReference?, finalizers []string?, managedFields []ManagedFieldsEntry?
OwnerReference: apiVersion string, kind string, name string, uid types.UID, controller *bool?,
  blockOwnerDeletion *bool?
StatusReason = string
"""
