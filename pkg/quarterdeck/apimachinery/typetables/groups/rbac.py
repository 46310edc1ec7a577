"""The types of rbac.authorization.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
AggregationRule: clusterRoleSelectors []meta.LabelSelector? 1 atomic
ClusterRole kind: metadata meta.ObjectMeta? 1, rules []PolicyRule 2 atomic, aggregationRule *AggregationRule? 3
ClusterRoleBinding kind: metadata meta.ObjectMeta? 1, subjects []Subject? 2 atomic, roleRef RoleRef 3!
PolicyRule: verbs []string 1! atomic, apiGroups []string? 2 atomic, resources []string? 3 atomic,
  resourceNames []string? 4 atomic, nonResourceURLs []string? 5 atomic
Role kind: metadata meta.ObjectMeta? 1, rules []PolicyRule 2 atomic
RoleBinding kind: metadata meta.ObjectMeta? 1, subjects []Subject? 2 atomic, roleRef RoleRef 3!
RoleRef atomic: apiGroup string 1, kind string 2!, name string 3!
Subject atomic: kind string 1!, apiGroup string? 2, name string 3!, namespace string? 4
"""
