"""What is said of the types of networking and discovery."""

TEXT = """
discovery.EndpointSlice # Some of the addresses behind a service.
  addressType # What kind of addresses these are. It does not change.
  endpoints # Who is behind the service, with addresses and conditions.
  metadata # Standard object metadata.
  ports # The ports of each endpoint.

networking.IPAddress # An address of a service's range that something has taken. It is called after the address.
  metadata # Standard object metadata.
  spec # Who has taken it.

networking.Ingress # How requests from outside find services. Nobody routes them here.
  metadata # Standard object metadata.
  spec # Hosts, paths and the services behind them.
  status # What whoever routes tells of it.

networking.IngressClass # Who looks after an ingress that names the class.
  metadata # Standard object metadata.
  spec # The controller and its parameters.

networking.NetworkPolicy # Who may talk with some pods. Nobody filters anything here.
  metadata # Standard object metadata.
  spec # The pods, and what is let in and out.

networking.ServiceCIDR # A range of addresses that services are given.
  metadata # Standard object metadata.
  spec # One range for each family of addresses.
  status # Whether addresses are taken from it.

networking.HTTPIngressPath # Where requests for a path go.
  path # Path of the request, beginning with /; needed for Exact and Prefix.
  pathType # How to compare: Exact as a whole, Prefix by elements between slashes, or as the controller likes.
  backend # Where the requests go.

networking.HTTPIngressRuleValue # Where HTTP requests go, by path.
  paths # The paths; the longest match wins.

networking.IPAddressSpec # What an address is used for.
  parentRef # The object that uses the address, such as a service.

networking.IPBlock # A range of addresses, possibly with holes.
  cidr # The range, such as 10.20.0.0/16 or fd00:20::/48.
  except # Ranges within it that are left out.

networking.IngressBackend # Where requests go: either a service or a resource.
  service # A service and its port; excludes resource.
  resource # An object beside the ingress, such as a bucket of static files; excludes service.

networking.IngressClassParametersReference # Names an object with settings of an ingress controller.
  apiGroup # The API group of the object. Absent for the core group.
  kind # The kind of the object.
  name # The name of the object.
  scope # Cluster (default) or Namespace.
  namespace # Namespace of the object; needed with scope Namespace, otherwise not allowed.

networking.IngressClassSpec # Which controller serves the ingresses of a class.
  controller # The controller, as domain/path of at most 250 characters. Cannot change.
  parameters # An object with more settings for the controller, if it needs any.

networking.IngressLoadBalancerIngress # An address at which an ingress is reached.
  ip # The IP address, if it has one.
  hostname # The DNS name, if it has one.
  ports # The state of its ports.

networking.IngressLoadBalancerStatus # The load balancer of an ingress.
  ingress # The addresses at which it is reached.

networking.IngressPortStatus # The state of a port of a load balancer.
  port # Number of the port.
  protocol # The transport protocol.
  error # What went wrong with the port, as a word in CamelCase; may have a domain as prefix.

networking.IngressRule # Where requests for a host go.
  host # Host name of the request, perhaps with *. in place of its first label; any host when absent.

networking.IngressServiceBackend # A port of a service.
  name # The name of the service, in the namespace of the ingress.
  port # Port of the service, by name or by number.

networking.IngressSpec # How requests from outside are led to services.
  ingressClassName # The class, and so the controller that serves it; the default class when absent.
  defaultBackend # Where requests go that no rule matches. Needed when there are no rules.
  tls # Certificates for the hosts, told apart by SNI; all on port 443.
  rules # Where requests go, by host and path.

networking.IngressStatus # The state of an ingress.
  loadBalancer # The addresses at which it is reached.

networking.IngressTLS # The certificate for some hosts.
  hosts # Names that the certificate covers; up to the controller when absent.
  secretName # Secret with the certificate and key. When absent, the controller may use SNI alone to route.

networking.NetworkPolicyEgressRule # Traffic that may leave: it must fit both ports and to.
  ports # Ports that are open; all when empty.
  to # Destinations that are allowed; all when empty.

networking.NetworkPolicyIngressRule # Traffic that may come in: it must fit both ports and from.
  ports # Ports that are open; all when empty.
  from # Sources that are allowed; all when empty.

networking.NetworkPolicyPeer # The other end of traffic: pods, or a range of addresses.
  podSelector # Pods by label, in the chosen namespaces or, without namespaceSelector, in that of the policy.
  namespaceSelector # Namespaces by label, an empty one for all; all their pods unless podSelector is set.
  ipBlock # A range of addresses; excludes both selectors.

networking.NetworkPolicyPort # A port, or a range of them, that is open.
  protocol # The transport protocol; TCP by default.
  port # Number of the port or its name at the pod; all ports when absent.
  endPort # Last port of a range that begins at port, which must be a number then.

networking.NetworkPolicySpec # Which pods are shielded, and what traffic they may have.
  podSelector # The pods in this namespace that it concerns; all when empty.
  ingress # What may come in. If ingress is restricted, an empty list lets nothing in, except by other policies.
  egress # What may leave. If egress is restricted, an empty list lets nothing out, except by other policies.
  policyTypes # Directions that are restricted. By default Ingress, and Egress if there are egress rules.

networking.ParentReference # Names the object that uses an address.
  group # The API group of the object. Absent for the core group.
  resource # Resource of the object, such as services.
  namespace # Namespace of the object, if it has one.
  name # The name of the object.

networking.ServiceBackendPort # A port of a service, by name or by number.
  name # The name of the port; excludes number.
  number # Number of the port; excludes name.

networking.ServiceCIDRSpec # Ranges from which services get their addresses.
  cidrs # One range or two, at most one for each IP family, such as 10.96.0.0/16.

networking.ServiceCIDRStatus # The state of the ranges.
  conditions # What is known about the object's state.
"""
