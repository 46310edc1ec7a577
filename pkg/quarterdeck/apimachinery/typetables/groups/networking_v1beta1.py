"""The types of networking.k8s.io/v1beta1 that are served, and Ingress, which was stored; see typetables/__init__.py."""

TABLE = """
=networking: IPAddress IPAddressSpec ParentReference ServiceCIDR ServiceCIDRSpec ServiceCIDRStatus
HTTPIngressPath: path string? 1, pathType *networking.PathType? 3, backend IngressBackend 2!
HTTPIngressRuleValue: paths []HTTPIngressPath 1!
Ingress kind: metadata meta.ObjectMeta? 1, spec IngressSpec? 2, status networking.IngressStatus? 3
IngressBackend: serviceName string? 1, servicePort intstr.IntOrString? 2, resource *core.TypedLocalObjectReference? 3
IngressRule: host string? 1, ~IngressRuleValue 2
IngressRuleValue: http *HTTPIngressRuleValue? 1
IngressSpec: ingressClassName *string? 4, backend *IngressBackend? 1, tls []networking.IngressTLS? 2, rules
  []IngressRule? 3
"""
