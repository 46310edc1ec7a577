"""The group rbac.authorization.k8s.io, v1, as protobuf.

Source: api/rbac/v1/generated.proto and types.go.
"""

TABLE = """
AggregationRule: 1 clusterRoleSelectors []LabelSelector
ClusterRole: 1 metadata ObjectMeta, 2 rules []PolicyRule, 3 aggregationRule *AggregationRule
ClusterRoleBinding: 1 metadata ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef
ClusterRoleBindingList: 1 metadata ListMeta, 2 items []ClusterRoleBinding
ClusterRoleList: 1 metadata ListMeta, 2 items []ClusterRole
PolicyRule: 1 verbs []string, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string,
  5 nonResourceURLs []string
Role: 1 metadata ObjectMeta, 2 rules []PolicyRule
RoleBinding: 1 metadata ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef
RoleBindingList: 1 metadata ListMeta, 2 items []RoleBinding
RoleList: 1 metadata ListMeta, 2 items []Role
RoleRef: 1 apiGroup string, 2 kind string, 3 name string
Subject: 1 kind string, 2 apiGroup string, 3 name string, 4 namespace string
"""
