"""The group apidiscovery.k8s.io, v2, as protobuf.

Source: api/apidiscovery/v2/generated.proto and types.go.
"""

TABLE = """
APIGroupDiscovery: 1 metadata ObjectMeta, 2 versions []APIVersionDiscovery
APIGroupDiscoveryList: 1 metadata ListMeta, 2 items []APIGroupDiscovery
APIResourceDiscovery: 1 resource string, 2 responseKind *GroupVersionKind, 3 scope string, 4 singularResource string,
  5 verbs []string, 6 shortNames []string, 7 categories []string, 8 subresources []APISubresourceDiscovery
APISubresourceDiscovery: 1 subresource string, 2 responseKind *GroupVersionKind, 3 acceptedTypes []GroupVersionKind,
  4 verbs []string
APIVersionDiscovery: 1 version string, 2 resources []APIResourceDiscovery, 3 freshness string
"""
