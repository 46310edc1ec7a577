"""Tables of storage classes, drivers and attachments. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, flag, name_of_class, text
from quarterdeck.endpoints.table.columns import Object

_DEFAULT_STORAGE_CLASS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _drivers(obj: Object, now_s: float) -> object:
    return len(dig(obj, ("spec", "drivers")) or ())


def _audiences(obj: Object, now_s: float) -> object:
    requests = dig(obj, ("spec", "tokenRequests"))
    return ",".join(each.get("audience", "") for each in requests) if requests else "<unset>"


def _modes(obj: Object, now_s: float) -> object:
    return ",".join(dig(obj, ("spec", "volumeLifecycleModes")) or ()) or "<none>"


_STORAGE_CLASS: Final = (
    NAME._replace(cell=name_of_class(_DEFAULT_STORAGE_CLASS)),
    Column(
        "Provisioner",
        text("provisioner"),
        "provisioner indicates the type of the provisioner.",
    ),
    Column(
        "ReclaimPolicy",
        lambda obj, now_s: obj.get("reclaimPolicy", "Delete"),
        "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage"
        " class. Defaults to Delete.",
    ),
    Column(
        "VolumeBindingMode",
        lambda obj, now_s: obj.get("volumeBindingMode", "Immediate"),
        "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset,"
        " VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling"
        " feature.",
    ),
    Column(
        "AllowVolumeExpansion",
        flag("allowVolumeExpansion"),
        "allowVolumeExpansion shows whether the storage class allow volume expand.",
    ),
    AGE,
)
_CSI_DRIVER: Final = (
    NAME,
    Column(
        "AttachRequired",
        lambda obj, now_s: dig(obj, ("spec", "attachRequired")) is not False,
        "attachRequired indicates this CSI volume driver requires an attach operation (because it implements the"
        " CSI ControllerPublishVolume() method), and that the Kubernetes attach detach controller should call the"
        " attach volume interface which checks the volumeattachment status and waits until the volume is attached"
        " before proceeding to mounting. The CSI external-attacher coordinates with CSI volume driver and updates"
        " the volumeattachment status when the attach operation is complete. If the value is specified to false,"
        " the attach operation will be skipped. Otherwise the attach operation will be called.\n\nThis field is"
        " immutable.",
        type="boolean",
    ),
    Column(
        "PodInfoOnMount",
        flag("spec", "podInfoOnMount"),
        "podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID,"
        " etc.) during mount operations, if set to true. If set to false, pod information will not be passed on"
        " mount. Default is false.\n\nThe CSI driver specifies podInfoOnMount as part of driver deployment. If"
        " true, Kubelet will pass pod information as VolumeContext in the CSI NodePublishVolume() calls. The CSI"
        " driver is responsible for parsing and validating the information passed in as VolumeContext.\n\nThe"
        " following VolumeContext will be passed if podInfoOnMount is set to true. This list might grow, but the"
        ' prefix will be used. "csi.storage.k8s.io/pod.name": pod.Name "csi.storage.k8s.io/pod.namespace":'
        ' pod.Namespace "csi.storage.k8s.io/pod.uid": string(pod.UID) "csi.storage.k8s.io/ephemeral": "true" if the'
        " volume is an ephemeral inline volume\n                                defined by a CSIVolumeSource,"
        ' otherwise "false"\n\n"csi.storage.k8s.io/ephemeral" is a new feature in Kubernetes 1.16. It is only'
        ' required for drivers which support both the "Persistent" and "Ephemeral" VolumeLifecycleMode. Other'
        " drivers can leave pod info disabled and/or ignore this field. As Kubernetes 1.15 doesn't support this"
        " field, drivers can only support one mode when deployed on such a cluster and the deployment determines"
        " which mode that is, for example via a command line parameter of the driver.\n\nThis field was immutable"
        " in Kubernetes < 1.29 and now is mutable.",
        type="boolean",
    ),
    Column(
        "StorageCapacity",
        flag("spec", "storageCapacity"),
        "storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity"
        " that the driver deployment will report by creating CSIStorageCapacity objects with capacity information,"
        " if set to true.\n\nThe check can be enabled immediately when deploying a driver. In that case,"
        " provisioning new volumes with late binding will pause until the driver deployment has published some"
        " suitable CSIStorageCapacity object.\n\nAlternatively, the driver can be deployed with the field unset or"
        " false and it can be flipped later when storage capacity information has been published.\n\nThis field was"
        " immutable in Kubernetes <= 1.22 and now is mutable.",
        type="boolean",
    ),
    Column(
        "TokenRequests",
        _audiences,
        "tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do"
        " necessary authentication. Kubelet will pass the tokens in VolumeContext in the CSI NodePublishVolume"
        " calls. The CSI driver should parse and validate the following VolumeContext:"
        ' "csi.storage.k8s.io/serviceAccount.tokens": {\n  "<audience>": {\n    "token": <token>,\n   '
        ' "expirationTimestamp": <expiration timestamp in RFC3339>,\n  },\n  ...\n}\n\nNote: Audience in each'
        " TokenRequest should be different and at most one token is empty string. To receive a new token after"
        " expiry, RequiresRepublish can be used to trigger NodePublishVolume periodically.",
    ),
    Column(
        "RequiresRepublish",
        flag("spec", "requiresRepublish"),
        "requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect"
        " any possible change in the mounted volume. This field defaults to false.\n\nNote: After a successful"
        " initial NodePublishVolume call, subsequent calls to NodePublishVolume should only update the contents of"
        " the volume. New mount points will not be seen by a running container.",
        type="boolean",
    ),
    Column(
        "Modes",
        _modes,
        "volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The default if the list"
        ' is empty is "Persistent", which is the usage defined by the CSI specification and implemented in'
        ' Kubernetes via the usual PV/PVC mechanism.\n\nThe other mode is "Ephemeral". In this mode, volumes are'
        " defined inline inside the pod spec with CSIVolumeSource and their lifecycle is tied to the lifecycle of"
        " that pod. A driver has to be aware of this because it is only going to get a NodePublishVolume call for"
        " such a volume.\n\nFor more information about implementing this mode, see"
        " https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can support one or more of"
        " these modes and more modes may be added in the future.\n\nThis field is beta. This field is immutable.",
    ),
    AGE,
)
_VOLUME_ATTACHMENT: Final = (
    NAME,
    Column(
        "Attacher",
        text("spec", "attacher"),
        "attacher indicates the name of the volume driver that MUST handle this request. This is the name returned"
        " by GetPluginName().",
        format="name",
    ),
    Column(
        "PV",
        text("spec", "source", "persistentVolumeName"),
        "persistentVolumeName represents the name of the persistent volume to attach.",
    ),
    Column(
        "Node",
        text("spec", "nodeName"),
        "nodeName represents the node that the volume should be attached to.",
    ),
    Column(
        "Attached",
        flag("status", "attached"),
        "attached indicates the volume is successfully attached. This field must only be set by the entity"
        " completing the attach operation, i.e. the external-attacher.",
        type="boolean",
    ),
    AGE,
)
PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("storage.k8s.io", "StorageClass"): _STORAGE_CLASS,
    ("storage.k8s.io", "CSIDriver"): _CSI_DRIVER,
    ("storage.k8s.io", "CSINode"): (
        NAME,
        Column(
            "Drivers", _drivers, "Drivers indicates the number of CSI drivers registered on the node", type="integer"
        ),
        AGE,
    ),
    ("storage.k8s.io", "VolumeAttachment"): _VOLUME_ATTACHMENT,
    ("storage.k8s.io", "VolumeAttributesClass"): (
        NAME,
        Column("DriverName", text("driverName"), "Name of the CSI driver This field is immutable."),
        AGE,
    ),
}
