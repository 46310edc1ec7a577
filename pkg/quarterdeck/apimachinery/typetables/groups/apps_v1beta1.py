"""The types of apps/v1beta1 and extensions/v1beta1, in which nothing is served, that are unlike those of apps/v1."""

TABLE = """
DaemonSet kind: metadata meta.ObjectMeta? 1, spec DaemonSetSpec? 2, status apps.DaemonSetStatus? 3
DaemonSetSpec: selector *meta.LabelSelector? 1, template core.PodTemplateSpec 2!,
  updateStrategy apps.DaemonSetUpdateStrategy? 3, minReadySeconds int32? 4, templateGeneration int64? 5,
  revisionHistoryLimit *int32? 6
Deployment kind: metadata meta.ObjectMeta? 1, spec DeploymentSpec? 2, status apps.DeploymentStatus? 3
DeploymentSpec: replicas *int32? 1, selector *meta.LabelSelector? 2, template core.PodTemplateSpec 3!,
  strategy apps.DeploymentStrategy? 4, minReadySeconds int32? 5, revisionHistoryLimit *int32? 6, paused bool? 7,
  rollbackTo *RollbackConfig? 8, progressDeadlineSeconds *int32? 9
RollbackConfig: revision int64? 1
"""
