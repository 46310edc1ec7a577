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
"""
