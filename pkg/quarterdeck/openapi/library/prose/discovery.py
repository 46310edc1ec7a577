"""What is said of the types of discovery."""

TEXT = """
discovery.Endpoint # One backend of a service.
  addresses # Its addresses, from 1 to 100, of the slice's addressType; only the first is used.
  conditions # Whether it takes traffic.
  hostname # Its name in DNS, below the service's; a DNS label in lower case.
  targetRef # The object behind it, usually a pod.
  deprecatedTopology # Left over from v1beta1, without effect; nodeName and zone took its place.
  nodeName # The node that it is on.
  zone # The zone that it is in.
  hints # For whom it is meant.

discovery.EndpointConditions # Whether a backend takes traffic.
  ready # Whether to send it traffic; absent counts as true. False while terminating, as a rule.
  serving # As ready, but also true of a terminating backend that still answers; absent counts as ready does.
  terminating # Whether it is shutting down; absent counts as false.

discovery.EndpointHints # From where a backend should get traffic.
  forZones # Zones whose traffic it should get; at most 8.
  forNodes # Nodes whose traffic it should get; at most 8.

discovery.EndpointPort # A port of all the backends in a slice.
  name # Name of the port, as in the service; unique in the slice and empty by default.
  protocol # The transport protocol; TCP by default.
  port # The number; absent leaves it to the consumer what that means.
  appProtocol # The application protocol spoken on the port, such as kubernetes.io/h2c; a hint to proxies.

discovery.ForNode # A node that a backend is meant for.
  name # Name of the node.

discovery.ForZone # A zone that a backend is meant for.
  name # Name of the zone.
"""
