"""What is said of the types of apps."""

TEXT = """
apps.ControllerRevision # A state that a controller remembers, never changed.
  metadata # Standard object metadata.
  data # The remembered state, in a form that only its controller need understand.
  revision # The place of this state in the history; the highest number is the newest.

apps.DaemonSet # Pods of which every node that fits has one. Nobody runs them here.
  metadata # Standard object metadata.
  spec # What is wanted.
  status # What was last observed; kept by the controller.

apps.ReplicaSet # A number of like pods. Nobody runs them here.
  metadata # Standard object metadata.
  spec # What is wanted.
  status # What was last observed; kept by the controller.

apps.StatefulSet # Pods with names and volumes of their own, in order. Nobody runs them here.
  metadata # Standard object metadata.
  spec # What is wanted.
  status # What was last observed; kept by the controller.

apps.Deployment # Pods that are replaced as they are described. Nobody rolls them out here.
  metadata # Standard object metadata.
  spec # What is wanted.
  status # What was last observed; kept by the controller.

apps.DaemonSetCondition # One aspect of how a daemon set is doing.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

apps.DaemonSetSpec # What a daemon set is to run and how it is updated.
  selector # Which pods belong to the set. Has to match the template's labels and cannot be changed.
  template # What the pods look like. Its node selector and affinity decide which nodes get one.
  updateStrategy # How pods are replaced when the template changes; RollingUpdate by default.
  minReadySeconds # Seconds a new pod has to stay ready before it counts as available; 0 by default.
  revisionHistoryLimit # How many old revisions are kept to roll back to; 10 by default.

apps.DaemonSetStatus # How far a daemon set has come.
  currentNumberScheduled # Nodes that have a pod of the set and ought to have one.
  numberMisscheduled # Nodes that have a pod of the set but ought to have none.
  desiredNumberScheduled # Nodes that ought to have a pod of the set, whether or not they have it.
  numberReady # Nodes that ought to have a pod and have one that is ready.
  observedGeneration # The generation of the object that this status is about.
  updatedNumberScheduled # Nodes whose pod is made from the present template.
  numberAvailable # Nodes with a pod that has been ready for minReadySeconds.
  numberUnavailable # Nodes that ought to have an available pod and lack it.
  collisionCount # How often a generated name was taken already; goes into the next hash.
  conditions # What is known about the object's state.

apps.DaemonSetUpdateStrategy # How the pods of a daemon set are replaced by new ones.
  type # RollingUpdate, the default, replaces pods by itself; OnDelete waits until somebody deletes them.
  rollingUpdate # The pace of the replacement; only with type RollingUpdate.

apps.DeploymentCondition # One aspect of how a deployment is doing.
  type # What the condition is about.
  status # True, False or Unknown.
  lastUpdateTime # When the condition was last updated.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

apps.DeploymentSpec # What a deployment is to run and how it is rolled out.
  replicas # How many pods there should be; 1 by default.
  selector # Which pods belong to the deployment. Has to match the template's labels and cannot be changed.
  template # What the pods look like. A change starts a rollout; restartPolicy has to be Always.
  strategy # How old pods make way for new ones; RollingUpdate by default.
  minReadySeconds # Seconds a new pod has to stay ready before it counts as available; 0 by default.
  revisionHistoryLimit # How many old replica sets are kept to roll back to; 10 by default.
  paused # Whether changes of the template wait instead of being rolled out.
  progressDeadlineSeconds # Seconds without progress after which a rollout is reported as failed; 600 by default.

apps.DeploymentStatus # How far a deployment has come.
  observedGeneration # The generation of the object that this status is about.
  replicas # Pods that exist, old and new, without those that are terminating.
  updatedReplicas # Pods made from the present template, without those that are terminating.
  readyReplicas # Pods that are ready, without those that are terminating.
  availableReplicas # Pods that have been ready for minReadySeconds.
  unavailableReplicas # Pods still missing for full strength: not yet created, or running but not available.
  terminatingReplicas # Pods marked as deleted that have not ended yet.
  conditions # What is known about the object's state.
  collisionCount # How often a generated name was taken already; goes into the next hash.

apps.DeploymentStrategy # How the pods of a deployment are replaced by new ones.
  type # RollingUpdate, the default, goes step by step; Recreate ends all old pods before it starts new ones.
  rollingUpdate # The pace of the replacement; only with type RollingUpdate.

apps.ReplicaSetCondition # One aspect of how a replica set is doing.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

apps.ReplicaSetSpec # What pods a replica set keeps, and how many.
  replicas # How many pods there should be; 1 by default.
  minReadySeconds # Seconds a new pod has to stay ready before it counts as available; 0 by default.
  selector # Which pods belong to the set. Has to match the template's labels and cannot be changed.
  template # What new pods look like. A change leaves the pods that exist as they are.

apps.ReplicaSetStatus # How far a replica set has come.
  replicas # Pods that exist, without those that are terminating.
  fullyLabeledReplicas # Pods that carry all labels of the template, without those that are terminating.
  readyReplicas # Pods that are ready, without those that are terminating.
  availableReplicas # Pods that have been ready for minReadySeconds.
  terminatingReplicas # Pods marked as deleted that have not ended yet.
  observedGeneration # The generation of the object that this status is about.
  conditions # What is known about the object's state.

apps.RollingUpdateDaemonSet # The pace at which a daemon set replaces its pods.
  maxUnavailable # Nodes that may lack an available pod meanwhile, a number or a percentage rounded up; 1 by default.
  maxSurge # Nodes that may run old and new pod at once, a number or a percentage rounded up; 0 by default.

apps.RollingUpdateDeployment # The pace at which a deployment replaces its pods.
  maxUnavailable # Pods that may be missing meanwhile, a number or a percentage rounded down; 25% by default.
  maxSurge # Pods beyond replicas that may exist meanwhile, a number or a percentage rounded up; 25% by default.

apps.RollingUpdateStatefulSetStrategy # The pace at which a stateful set replaces its pods.
  partition # Pods with a lower ordinal keep the old template; 0 by default, so that all are updated.
  maxUnavailable # Pods that may be missing meanwhile, a number or a percentage rounded up; 1 by default.

apps.StatefulSetCondition # One aspect of how a stateful set is doing.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

apps.StatefulSetOrdinals # How the pods of a stateful set are numbered.
  start # The number of the first pod, the others follow; 0 by default.

apps.StatefulSetPersistentVolumeClaimRetentionPolicy # What becomes of claims made from volumeClaimTemplates.
  whenDeleted # Whether claims go along with a deleted set: Retain, the default, or Delete.
  whenScaled # Whether claims go along with pods that are scaled away: Retain, the default, or Delete.

apps.StatefulSetSpec # What a stateful set is to run, with what storage, and how it is updated.
  replicas # How many pods there should be; 1 by default.
  selector # Which pods belong to the set. Has to match the template's labels and cannot be changed.
  template # What the pods look like. Each is called after the set and its ordinal, as in web-0.
  volumeClaimTemplates # Claims that each pod gets for itself. They hide volumes of the template by the same name.
  serviceName # A headless service, to be created separately, that gives the pods their DNS names.
  podManagementPolicy # OrderedReady, the default, scales one pod after the other; Parallel all at once.
  updateStrategy # How pods are replaced when the template changes; RollingUpdate by default.
  revisionHistoryLimit # How many old revisions are kept to roll back to; 10 by default.
  minReadySeconds # Seconds a new pod has to stay ready before it counts as available; 0 by default.
  persistentVolumeClaimRetentionPolicy # What becomes of the claims of pods that go; they stay by default.
  ordinals # How the pods are numbered; from 0 by default.

apps.StatefulSetStatus # How far a stateful set has come.
  observedGeneration # The generation of the object that this status is about.
  replicas # Pods that exist, of whatever revision.
  readyReplicas # Pods that are ready.
  currentReplicas # Pods that are of currentRevision.
  updatedReplicas # Pods that are of updateRevision.
  currentRevision # The revision from which pods not updated yet were made.
  updateRevision # The revision that an update brings the pods to.
  collisionCount # How often a generated name was taken already; goes into the next hash.
  conditions # What is known about the object's state.
  availableReplicas # Pods that have been ready for minReadySeconds.

apps.StatefulSetUpdateStrategy # How the pods of a stateful set are replaced by new ones.
  type # RollingUpdate, the default, replaces pods by itself; OnDelete waits until somebody deletes them.
  rollingUpdate # The pace of the replacement; only with type RollingUpdate.
"""
