"""The group discovery.k8s.io, v1, as protobuf.

Source: api/discovery/v1/generated.proto and types.go.
"""

TABLE = """
Endpoint: 1 addresses []string, 2 conditions EndpointConditions, 3 hostname *string, 4 targetRef *ObjectReference,
  5 deprecatedTopology map[string], 6 nodeName *string, 7 zone *string, 8 hints *EndpointHints
EndpointConditions: 1 ready *bool, 2 serving *bool, 3 terminating *bool
EndpointHints: 1 forZones []ForZone, 2 forNodes []ForNode
EndpointPort: 1 name *string, 2 protocol *string, 3 port *int32, 4 appProtocol *string
EndpointSlice: 1 metadata ObjectMeta, 4 addressType string, 2 endpoints []Endpoint, 3 ports []EndpointPort
EndpointSliceList: 1 metadata ListMeta, 2 items []EndpointSlice
ForNode: 1 name string
ForZone: 1 name string
"""
