"""The types of flowcontrol.apiserver.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
ConditionStatus = string
ExemptPriorityLevelConfiguration: nominalConcurrencyShares *int32? 1, lendablePercent *int32? 2
FlowDistinguisherMethod: type FlowDistinguisherMethodType 1!
FlowDistinguisherMethodType = string
FlowSchema kind: metadata meta.ObjectMeta? 1, spec FlowSchemaSpec? 2, status FlowSchemaStatus? 3
FlowSchemaCondition: type FlowSchemaConditionType? 1, status ConditionStatus? 2, lastTransitionTime meta.Time? 3,
  reason string? 4, message string? 5
FlowSchemaConditionType = string
FlowSchemaSpec: priorityLevelConfiguration PriorityLevelConfigurationReference 1!, matchingPrecedence int32 2,
  distinguisherMethod *FlowDistinguisherMethod? 3, rules []PolicyRulesWithSubjects? 4 atomic
FlowSchemaStatus: conditions []FlowSchemaCondition? 1 map(type) patch(merge|type)
GroupSubject: name string 1!
LimitResponse union(type|queuing): type LimitResponseType 1!, queuing *QueuingConfiguration? 2
LimitResponseType = string
LimitedPriorityLevelConfiguration: nominalConcurrencyShares *int32 1, limitResponse LimitResponse? 2,
  lendablePercent *int32? 3, borrowingLimitPercent *int32? 4
NonResourcePolicyRule: verbs []string 1! set, nonResourceURLs []string 6! set
PolicyRulesWithSubjects: subjects []Subject 1! atomic, resourceRules []ResourcePolicyRule? 2 atomic,
  nonResourceRules []NonResourcePolicyRule? 3 atomic
PriorityLevelConfiguration kind: metadata meta.ObjectMeta? 1, spec PriorityLevelConfigurationSpec? 2,
  status PriorityLevelConfigurationStatus? 3
PriorityLevelConfigurationCondition: type PriorityLevelConfigurationConditionType? 1, status ConditionStatus? 2,
  lastTransitionTime meta.Time? 3, reason string? 4, message string? 5
PriorityLevelConfigurationConditionType = string
PriorityLevelConfigurationReference: name string 1!
PriorityLevelConfigurationSpec union(type|exempt|limited): type PriorityLevelEnablement 1!,
  limited *LimitedPriorityLevelConfiguration? 2, exempt *ExemptPriorityLevelConfiguration? 3
PriorityLevelConfigurationStatus: conditions []PriorityLevelConfigurationCondition? 1 map(type) patch(merge|type)
PriorityLevelEnablement = string
QueuingConfiguration: queues int32 1, handSize int32 2, queueLengthLimit int32 3
ResourcePolicyRule: verbs []string 1! set, apiGroups []string 2! set, resources []string 3! set, clusterScope bool? 4,
  namespaces []string 5 set
ServiceAccountSubject: namespace string 1!, name string 2!
Subject union(kind|group|serviceAccount|user): kind SubjectKind 1!, user *UserSubject? 2, group *GroupSubject? 3,
  serviceAccount *ServiceAccountSubject? 4
SubjectKind = string
UserSubject: name string 1!
"""
