"""The types of apidiscovery.k8s.io/v2; see typetables/__init__.py for the notation."""

TABLE = """
APIGroupDiscovery: metadata meta.ObjectMeta? 1, versions []APIVersionDiscovery? 2
APIGroupDiscoveryList: metadata meta.ListMeta? 1, items []APIGroupDiscovery 2
APIResourceDiscovery: resource string 1, responseKind *meta.GroupVersionKind? 2, scope ResourceScope 3,
  singularResource string 4, verbs []string 5, shortNames []string? 6, categories []string? 7,
  subresources []APISubresourceDiscovery? 8
APISubresourceDiscovery: subresource string 1, responseKind *meta.GroupVersionKind? 2,
  acceptedTypes []meta.GroupVersionKind? 3, verbs []string 4
APIVersionDiscovery: version string 1, resources []APIResourceDiscovery? 2, freshness DiscoveryFreshness? 3
DiscoveryFreshness = string
ResourceScope = string
"""
