"""The types of discovery.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
AddressType = string enum(FQDN|IPv4|IPv6)
Endpoint: addresses []string 1! set, conditions EndpointConditions? 2, hostname *string? 3,
  targetRef *core.ObjectReference? 4, deprecatedTopology map[string]string? 5, nodeName *string? 6, zone *string? 7,
  hints *EndpointHints? 8
EndpointConditions: ready *bool? 1, serving *bool? 2, terminating *bool? 3
EndpointHints: forZones []ForZone? 1 atomic, forNodes []ForNode? 2 atomic
EndpointPort atomic: name *string? 1, protocol *core.Protocol? 2, port *int32? 3, appProtocol *string? 4
EndpointSlice kind: metadata meta.ObjectMeta? 1, addressType AddressType 4!, endpoints []Endpoint 2 atomic,
  ports []EndpointPort 3 atomic
ForNode: name string 1!
ForZone: name string 1!
"""
