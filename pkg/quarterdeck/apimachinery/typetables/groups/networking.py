"""The types of networking.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
HTTPIngressPath: path string? 1, pathType *PathType 3!, backend IngressBackend 2!
HTTPIngressRuleValue: paths []HTTPIngressPath 1! atomic
IPAddress kind: metadata meta.ObjectMeta? 1, spec IPAddressSpec? 2!
IPAddressSpec: parentRef *ParentReference? 1!
IPBlock: cidr string 1!, except []string? 2 atomic
Ingress kind: metadata meta.ObjectMeta? 1, spec IngressSpec? 2, status IngressStatus? 3
IngressBackend: service *IngressServiceBackend? 4, resource *core.TypedLocalObjectReference? 3
IngressClass kind: metadata meta.ObjectMeta? 1, spec IngressClassSpec? 2
IngressClassParametersReference: apiGroup *string? 1, kind string 2!, name string 3!, scope *string 4,
  namespace *string? 5
IngressClassSpec: controller string? 1, parameters *IngressClassParametersReference? 2
IngressLoadBalancerIngress: ip string? 1, hostname string? 2, ports []IngressPortStatus? 4 atomic
IngressLoadBalancerStatus: ingress []IngressLoadBalancerIngress? 1 atomic
IngressPortStatus: port int32 1!, protocol core.Protocol 2!, error *string? 3
IngressRule: host string? 1, ~IngressRuleValue 2
IngressRuleValue: http *HTTPIngressRuleValue? 1
IngressServiceBackend: name string 1!, port ServiceBackendPort? 2
IngressSpec: ingressClassName *string? 4, defaultBackend *IngressBackend? 1, tls []IngressTLS? 2 atomic,
  rules []IngressRule? 3 atomic
IngressStatus: loadBalancer IngressLoadBalancerStatus? 1
IngressTLS: hosts []string? 1 atomic, secretName string? 2
NetworkPolicy kind: metadata meta.ObjectMeta? 1, spec NetworkPolicySpec? 2
NetworkPolicyEgressRule: ports []NetworkPolicyPort? 1 atomic, to []NetworkPolicyPeer? 2 atomic
NetworkPolicyIngressRule: ports []NetworkPolicyPort? 1 atomic, from []NetworkPolicyPeer? 2 atomic
NetworkPolicyPeer: podSelector *meta.LabelSelector? 1, namespaceSelector *meta.LabelSelector? 2, ipBlock *IPBlock? 3
NetworkPolicyPort: protocol *core.Protocol? 1, port *intstr.IntOrString? 2, endPort *int32? 3
NetworkPolicySpec: podSelector meta.LabelSelector 1, ingress []NetworkPolicyIngressRule? 2 atomic,
  egress []NetworkPolicyEgressRule? 3 atomic, policyTypes []PolicyType? 4 atomic
ParentReference: group string? 1, resource string? 2!, namespace string? 3, name string? 4!
PathType = string enum(Exact|ImplementationSpecific|Prefix)
PolicyType = string enum(Egress|Ingress)
ServiceBackendPort atomic: name string? 1, number int32? 2
ServiceCIDR kind: metadata meta.ObjectMeta? 1, spec ServiceCIDRSpec? 2, status ServiceCIDRStatus? 3
ServiceCIDRSpec: cidrs []string? 1 atomic
ServiceCIDRStatus: conditions []meta.Condition? 1 map(type) patch(merge|type)
"""
