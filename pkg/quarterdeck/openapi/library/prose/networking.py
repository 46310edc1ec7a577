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
"""
