"""Whom every cluster gives its roles; see policy.py for the notation."""

TEXT = """
ClusterRoleBinding cluster-admin
  group system:masters
ClusterRoleBinding system:basic-user
  group system:authenticated
ClusterRoleBinding system:cluster-trust-bundle-discovery if:ClusterTrustBundle
  group system:serviceaccounts
ClusterRoleBinding system:discovery
  group system:authenticated
ClusterRoleBinding system:kube-controller-manager
  user system:kube-controller-manager
ClusterRoleBinding system:kube-dns
  account kube-system/kube-dns
ClusterRoleBinding system:kube-scheduler
  user system:kube-scheduler
ClusterRoleBinding system:monitoring
  group system:monitoring
ClusterRoleBinding system:node
ClusterRoleBinding system:node-proxier
  user system:kube-proxy
ClusterRoleBinding system:public-info-viewer
  group system:authenticated
  group system:unauthenticated
ClusterRoleBinding system:service-account-issuer-discovery
  group system:serviceaccounts
ClusterRoleBinding system:volume-scheduler
  user system:kube-scheduler
RoleBinding kube-public/system:controller:bootstrap-signer
  account kube-system/bootstrap-signer
RoleBinding kube-system/system::extension-apiserver-authentication-reader extension-apiserver-authentication-reader
  user system:kube-controller-manager
  user system:kube-scheduler
RoleBinding kube-system/system::leader-locking-kube-controller-manager
  user system:kube-controller-manager
  account kube-system/kube-controller-manager
  account kube-system/leader-election-controller
RoleBinding kube-system/system::leader-locking-kube-scheduler
  user system:kube-scheduler
  account kube-system/kube-scheduler
RoleBinding kube-system/system:controller:bootstrap-signer
  account kube-system/bootstrap-signer
RoleBinding kube-system/system:controller:cloud-provider
  account kube-system/cloud-provider
RoleBinding kube-system/system:controller:token-cleaner
  account kube-system/token-cleaner
"""
