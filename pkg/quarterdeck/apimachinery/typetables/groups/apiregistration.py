"""The types of apiregistration.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
APIServiceCondition: type APIServiceConditionType 1!, status ConditionStatus 2!, lastTransitionTime meta.Time? 3,
  reason string? 4, message string? 5
APIServiceConditionType = string
ConditionStatus = string
APIServiceStatus: conditions []APIServiceCondition? 1 map(type) patch(merge|type)
ServiceReference: namespace string? 1, name string? 2, port *int32? 3
APIServiceSpec: service *ServiceReference? 1, group string? 2, version string? 3, insecureSkipTLSVerify bool? 4,
  caBundle []byte? 5 atomic, groupPriorityMinimum int32 7!, versionPriority int32 8!
APIService kind: metadata meta.ObjectMeta? 1, spec APIServiceSpec? 2, status APIServiceStatus? 3
"""
