"""The group apiregistration.k8s.io, v1, as protobuf.

Source: kube-aggregator/pkg/apis/apiregistration/v1/generated.proto."""

TABLE = """
APIServiceCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason string, 5 message string
APIServiceStatus: 1 conditions []APIServiceCondition
ServiceReference: 1 namespace string, 2 name string, 3 port *int32
APIServiceSpec: 1 service *ServiceReference, 2 group string, 3 version string, 4 insecureSkipTLSVerify bool,
  5 caBundle bytes, 7 groupPriorityMinimum int32, 8 versionPriority int32
APIService: 1 metadata ObjectMeta, 2 spec APIServiceSpec, 3 status APIServiceStatus
APIServiceList: 1 metadata ListMeta, 2 items []APIService
"""
