"""The kinds of resource.k8s.io: devices that drivers offer, and claims of them."""
