"""For every built-in kind that can be stored, the least object that a server takes."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any, Final

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_TEXT: Final = """
{apiVersion: v1, kind: ConfigMap}
---
{apiVersion: v1, kind: Endpoints}
---
{apiVersion: v1, kind: Event, involvedObject: {namespace: default}}
---
{apiVersion: v1, kind: LimitRange, spec: {limits: [{type: Pod}]}}
---
{apiVersion: v1, kind: Namespace}
---
{apiVersion: v1, kind: Node}
---
{apiVersion: v1, kind: PersistentVolume,
 spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim,
 spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: PodTemplate, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
---
{apiVersion: v1, kind: ReplicationController,
 spec: {selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: v1, kind: ResourceQuota, spec: {hard: {pods: "1000"}}}
---
{apiVersion: v1, kind: Secret}
---
{apiVersion: v1, kind: Service, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: ServiceAccount}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.least.example.com},
 spec: {group: least.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100,
        service: {name: absent, namespace: default}}}
---
# Its data are compared as they were spelled: a client that writes spaces could not patch others.
{apiVersion: apps/v1, kind: ControllerRevision, revision: 1, data: {}}
---
{apiVersion: apps/v1, kind: DaemonSet,
 spec: {selector: {matchLabels: {a: b}},
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: apps/v1, kind: Deployment,
 spec: {selector: {matchLabels: {a: b}},
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet,
 spec: {selector: {matchLabels: {a: b}},
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet,
 spec: {serviceName: s, selector: {matchLabels: {a: b}},
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: events.k8s.io/v1, kind: Event, metadata: {namespace: default}, eventTime: "2026-01-02T03:04:05.000001Z",
 action: a, reason: r, type: Normal, reportingController: example.com/c, reportingInstance: c-1}
---
{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler,
 spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler,
 spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}}}
---
{apiVersion: batch/v1, kind: CronJob,
 spec: {schedule: "* * * * *",
        jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}
---
{apiVersion: batch/v1, kind: Job,
 spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {defaultBackend: {service: {name: s, port: {number: 80}}}}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, spec: {controller: example.com/c}}
---
{apiVersion: networking.k8s.io/v1, kind: IPAddress, metadata: {name: 192.0.2.7},
 spec: {parentRef: {resource: services, namespace: default, name: absent}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}}}
---
{apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, spec: {cidrs: [192.0.2.0/24]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding,
 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: x}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding,
 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: x}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {}}
---
{apiVersion: storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{name: example.com, nodeID: n}]}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, storageClassName: x}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: example.com/p}
---
{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment,
 spec: {attacher: example.com, nodeName: n, source: {persistentVolumeName: v}}}
---
{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, driverName: example.com, parameters: {a: b}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy,
 spec: {reinvocationPolicy: Never, matchConstraints: {resourceRules: [
          {apiGroups: [least.example.com], apiVersions: [v1], operations: [CREATE], resources: [absent]}]},
        mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{}"}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, spec: {policyName: absent}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy,
 spec: {matchConstraints: {resourceRules: [
          {apiGroups: [least.example.com], apiVersions: [v1], operations: [CREATE], resources: [absent]}]},
        validations: [{expression: "true"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding,
 spec: {policyName: absent, validationActions: [Deny]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: leasts.least.example.dev},
 spec: {group: least.example.dev, scope: Namespaced, names: {plural: leasts, singular: least, kind: Great},
        versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, value: 1}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, handler: h}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [{addresses: [192.0.2.8]}]}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, spec: {}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, spec: {}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, spec: {spec: {}}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice,
 spec: {driver: example.com, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}}}
---
{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, spec: {priorityLevelConfiguration: {name: exempt}}}
---
{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration,
 spec: {type: Limited, limited: {limitResponse: {type: Reject}}}}
"""


@cache
def read() -> dict[tuple[str, str], dict[str, Any]]:
    """By apiVersion and kind. Named `least` where the kind does not demand another name. Not to be changed."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for obj in (*yaml.safe_load_all(_TEXT), _signing_request()):
        obj["metadata"] = {"name": "least", **obj.get("metadata", {})}
        found[obj["apiVersion"], obj["kind"]] = obj
    return found


def _signing_request() -> dict[str, Any]:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "least")])
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "spec": {
            "request": base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode(),
            "signerName": "example.com/signer",
            "usages": ["client auth"],
        },
    }
