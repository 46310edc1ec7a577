"""What is said of the types of apiregistration."""

TEXT = """
apiregistration.APIService # Says where a version of a group is served. Its name is <version>.<group>.
  metadata # Standard object metadata.
  spec # Which version it is, and where it is served.
  status # Whether it can be reached.

apiregistration.APIServiceSpec # Which version it is, and where it is served.
  caBundle # PEM certificates that the service's certificate is checked against.
  group # The API group.
  groupPriorityMinimum # How early the group stands in lists: at least so far before groups with less.
  insecureSkipTLSVerify # Whether the service's certificate is not checked.
  service # The service that serves the version; none: this server itself.
  version # The version.
  versionPriority # How early the version stands among the others of its group.

apiregistration.ServiceReference # Names a service.
  name # Name of the service.
  namespace # Namespace of the service.
  port # The service's port; 443 by default.

apiregistration.APIServiceStatus # Whether the version can be reached.
  conditions # What is known of it.

apiregistration.APIServiceCondition # One thing that is known of an APIService.
  lastTransitionTime # When the status last changed.
  message # What happened, for people.
  reason # What happened, in one word.
  status # True, False or Unknown.
  type # What it is about, such as Available.
"""
