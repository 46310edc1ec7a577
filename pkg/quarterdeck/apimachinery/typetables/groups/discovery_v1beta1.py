"""The types of discovery.k8s.io/v1beta1, in which nothing is served, that are unlike those of v1."""

TABLE = """
Endpoint: addresses []string 1!, conditions discovery.EndpointConditions? 2, hostname *string? 3,
  targetRef *core.ObjectReference? 4, topology map[string]string? 5, nodeName *string? 6,
  hints *discovery.EndpointHints? 7
EndpointSlice kind: metadata meta.ObjectMeta? 1, addressType discovery.AddressType 4!, endpoints []Endpoint 2,
  ports []discovery.EndpointPort 3
"""
