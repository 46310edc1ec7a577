"""The Go types of api/apps/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
ControllerRevision: metadata meta.ObjectMeta?, data runtime.RawExtension?, revision int64
DaemonSet: metadata meta.ObjectMeta?, spec DaemonSetSpec?, status DaemonSetStatus?
DaemonSetCondition: type DaemonSetConditionType, status core.ConditionStatus, lastTransitionTime meta.Time?,
  reason string?, message string?
DaemonSetConditionType = string
DaemonSetSpec: selector *meta.LabelSelector, template core.PodTemplateSpec, updateStrategy DaemonSetUpdateStrategy?,
  minReadySeconds int32?, revisionHistoryLimit *int32?
DaemonSetStatus: currentNumberScheduled int32, numberMisscheduled int32, desiredNumberScheduled int32,
  numberReady int32, observedGeneration int64?, updatedNumberScheduled int32?, numberAvailable int32?,
  numberUnavailable int32?, collisionCount *int32?, conditions []DaemonSetCondition?
DaemonSetUpdateStrategy: type DaemonSetUpdateStrategyType?, rollingUpdate *RollingUpdateDaemonSet?
DaemonSetUpdateStrategyType = string
Deployment: metadata meta.ObjectMeta?, spec DeploymentSpec?, status DeploymentStatus?
DeploymentCondition: type DeploymentConditionType, status core.ConditionStatus, lastUpdateTime meta.Time?,
  lastTransitionTime meta.Time?, reason string?, message string?
DeploymentConditionType = string
DeploymentSpec: replicas *int32?, selector *meta.LabelSelector, template core.PodTemplateSpec,
  strategy DeploymentStrategy?, minReadySeconds int32?, revisionHistoryLimit *int32?, paused bool?,
  progressDeadlineSeconds *int32?
DeploymentStatus: observedGeneration int64?, replicas int32?, updatedReplicas int32?, readyReplicas int32?,
  availableReplicas int32?, unavailableReplicas int32?, terminatingReplicas *int32?,
  conditions []DeploymentCondition?, collisionCount *int32?
DeploymentStrategy: type DeploymentStrategyType?, rollingUpdate *RollingUpdateDeployment?
DeploymentStrategyType = string
PersistentVolumeClaimRetentionPolicyType = string
PodManagementPolicyType = string
ReplicaSet: metadata meta.ObjectMeta?, spec ReplicaSetSpec?, status ReplicaSetStatus?
ReplicaSetCondition: type ReplicaSetConditionType, status core.ConditionStatus, lastTransitionTime meta.Time?,
  reason string?, message string?
ReplicaSetConditionType = string
ReplicaSetSpec: replicas *int32?, minReadySeconds int32?, selector *meta.LabelSelector,
  template core.PodTemplateSpec?
ReplicaSetStatus: replicas int32, fullyLabeledReplicas int32?, readyReplicas int32?, availableReplicas int32?,
  terminatingReplicas *int32?, observedGeneration int64?, conditions []ReplicaSetCondition?
RollingUpdateDaemonSet: maxUnavailable *intstr.IntOrString?, maxSurge *intstr.IntOrString?
RollingUpdateDeployment: maxUnavailable *intstr.IntOrString?, maxSurge *intstr.IntOrString?
RollingUpdateStatefulSetStrategy: partition *int32?, maxUnavailable *intstr.IntOrString?
StatefulSet: metadata meta.ObjectMeta?, spec StatefulSetSpec?, status StatefulSetStatus?
StatefulSetCondition: type StatefulSetConditionType, status core.ConditionStatus, lastTransitionTime meta.Time?,
  reason string?, message string?
StatefulSetConditionType = string
StatefulSetOrdinals: start int32
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted PersistentVolumeClaimRetentionPolicyType?,
  whenScaled PersistentVolumeClaimRetentionPolicyType?
StatefulSetSpec: replicas *int32?, selector *meta.LabelSelector, template core.PodTemplateSpec,
  volumeClaimTemplates []core.PersistentVolumeClaim?, serviceName string,
  podManagementPolicy PodManagementPolicyType?, updateStrategy StatefulSetUpdateStrategy?,
  revisionHistoryLimit *int32?, minReadySeconds int32?,
  persistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy?,
  ordinals *StatefulSetOrdinals?
StatefulSetStatus: observedGeneration int64?, replicas int32, readyReplicas int32?, currentReplicas int32?,
  updatedReplicas int32?, currentRevision string?, updateRevision string?, collisionCount *int32?,
  conditions []StatefulSetCondition?, availableReplicas int32
StatefulSetUpdateStrategy: type StatefulSetUpdateStrategyType?, rollingUpdate *RollingUpdateStatefulSetStrategy?
StatefulSetUpdateStrategyType = string
"""
