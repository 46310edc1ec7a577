"""What is said of the types of rbac.authorization."""

TEXT = """
rbac.Role # What may be done to objects of one namespace.
  metadata # Standard object metadata.
  rules # What it grants. A request is allowed where one rule allows it.

rbac.ClusterRole # What may be done to objects of the cluster and, where it is bound in one, of a namespace.
  aggregationRule # Makes the rules those of other cluster roles; what is written into rules is overwritten.
  metadata # Standard object metadata.
  rules # What it grants. A request is allowed where one rule allows it.

rbac.RoleBinding # Gives users, groups and service accounts the rights of a role in one namespace.
  metadata # Standard object metadata.
  roleRef # The role: one of the namespace, or a cluster role. It does not change.
  subjects # Who has the rights.

rbac.ClusterRoleBinding # Gives users, groups and service accounts the rights of a cluster role everywhere.
  metadata # Standard object metadata.
  roleRef # The cluster role. It does not change.
  subjects # Who has the rights.

rbac.PolicyRule # Verbs, and what they may be done to.
  apiGroups # The groups of the resources; "" is the core group, "*" is any.
  nonResourceURLs # Paths that are no resources'; a "*" at the end stands for anything. In cluster roles alone.
  resourceNames # The objects that are meant. None means all.
  resources # The resources, with their subresources as resource/subresource; "*" is any.
  verbs # What may be done; "*" is anything.

rbac.AggregationRule # Where the rules of a cluster role are gathered from.
  clusterRoleSelectors # Labels of cluster roles; the rules of each that fits one of them are taken over.

rbac.RoleRef # The role that a binding grants; it cannot be changed later.
  apiGroup # Group of the role; rbac.authorization.k8s.io.
  kind # Role or ClusterRole.
  name # Name of the role.

rbac.Subject # Somebody who is granted a role.
  kind # User, Group or ServiceAccount.
  apiGroup # Its group: empty for a service account, rbac.authorization.k8s.io for the others.
  name # Name of the user, group or service account.
  namespace # Namespace of the service account; not for users and groups.
"""
