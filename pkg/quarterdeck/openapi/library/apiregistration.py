"""Types of apiregistration.k8s.io."""

TEXT = """
package io.k8s.kube-aggregator.pkg.apis.apiregistration.v1

APIService gvk=apiregistration.k8s.io/v1 # Says where a version of a group is served. Its name is <version>.<group>.
  metadata ObjectMeta ={} # Standard object metadata.
  spec APIServiceSpec ={} # Which version it is, and where it is served.
  status APIServiceStatus ={} # Whether it can be reached.

APIServiceSpec # Which version it is, and where it is served.
  caBundle bytes @atomic # PEM certificates that the service's certificate is checked against.
  group string # The API group.
  groupPriorityMinimum! int32 =0 # How early the group stands in lists: at least so far before groups with less.
  insecureSkipTLSVerify bool # Whether the service's certificate is not checked.
  service ServiceReference # The service that serves the version; none: this server itself.
  version string # The version.
  versionPriority! int32 =0 # How early the version stands among the others of its group.

ServiceReference # Names a service.
  name string # Name of the service.
  namespace string # Namespace of the service.
  port int32 # The service's port; 443 by default.

APIServiceStatus # Whether the version can be reached.
  conditions [APIServiceCondition] @map(type) @merge(type) # What is known of it.

APIServiceCondition # One thing that is known of an APIService.
  lastTransitionTime Time ={} # When the status last changed.
  message string # What happened, for people.
  reason string # What happened, in one word.
  status! string ="" # True, False or Unknown.
  type! string ="" # What it is about, such as Available.
"""
