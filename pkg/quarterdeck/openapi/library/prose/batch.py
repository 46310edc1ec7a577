"""What is said of the types of batch."""

TEXT = """
batch.CronJob # Jobs that are to begin at certain times. Nobody starts them here.
  metadata # Standard object metadata.
  spec # When which jobs begin.
  status # What whoever starts the jobs tells of them.

batch.Job # Pods that run until their work is done. Nobody runs them here.
  metadata # Standard object metadata.
  spec # Which pods run, how many, and when that was enough.
  status # What whoever runs the job tells of it.

batch.CronJobSpec # When to start jobs, and which.
  schedule # When to start a job, as five fields of cron or a word such as @daily.
  timeZone # Zone of the schedule, such as Europe/Berlin; by default that of the controller manager.
  startingDeadlineSeconds # How many seconds late a job may still start. No limit when absent.
  concurrencyPolicy # What to do when the last job still runs: Allow both (default), Forbid the new, Replace the old.
  suspend # Whether to start no more jobs; those that run go on. false by default.
  jobTemplate # The job to create each time.
  successfulJobsHistoryLimit # How many jobs that succeeded to keep; 3 by default.
  failedJobsHistoryLimit # How many jobs that failed to keep; 1 by default.

batch.CronJobStatus # What a cron job has started.
  active # The jobs that run now.
  lastScheduleTime # When a job was last due and started.
  lastSuccessfulTime # When a job last ended with success.

batch.JobCondition # One aspect of the state of a job.
  type # What the condition is about.
  status # True, False or Unknown.
  lastProbeTime # When the condition was last checked.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

batch.JobSpec # Which pods to run to their end, how many, and when to give up.
  parallelism # How many pods may run at once; 1 by default, 0 pauses the job.
  completions # How many pods must succeed. When absent, the success of one pod suffices once all others have ended.
  activeDeadlineSeconds # Seconds from its start until the job is ended as failed; they start anew when it is resumed.
  podFailurePolicy # What to do about failed pods, by exit code or condition. Without it all count against the limit.
  successPolicy # When an Indexed job counts as done early. Without it all completions are needed.
  backoffLimit # How many failures of pods to retry; 6 by default, or no limit with backoffLimitPerIndex.
  backoffLimitPerIndex # How many failures to retry for each index; only for Indexed jobs with restartPolicy Never.
  maxFailedIndexes # With more failed indexes than this the job ends early. Needs backoffLimitPerIndex.
  selector # The pods of the job. Best left out, as it is filled in then.
  manualSelector # Whether selector and labels of the pods are the author's own, not generated. Risky if they overlap.
  template # The pod to create; its restartPolicy must be Never or OnFailure.
  ttlSecondsAfterFinished # Seconds after its end when the job is deleted; kept when absent.
  completionMode # NonIndexed (default) treats pods as alike; Indexed gives each a number from 0 to completions - 1.
  suspend # Whether the job is on hold: its running pods are deleted, none are created. false by default.
  podReplacementPolicy # Replace pods once they terminate (default) or only when Failed, as podFailurePolicy requires.
  managedBy # Who runs the job, as domain/path; the built-in controller unless set to another. Cannot change.

batch.JobStatus # How far a job has come.
  conditions # What is known about the object's state.
  startTime # When the controller took the job up; renewed when the job resumes after being suspended.
  completionTime # When the job ended with success; absent when it failed.
  active # How many pods are pending or running and not being deleted.
  succeeded # How many pods have succeeded.
  failed # How many pods have failed.
  terminating # How many pods are being deleted but have not ended yet.
  completedIndexes # The indexes done, as numbers and ranges such as 1,3-5; only for Indexed jobs.
  failedIndexes # The indexes that failed, as numbers and ranges such as 1,3-5; only with backoffLimitPerIndex.
  uncountedTerminatedPods # Pods that have ended but are not in the counts yet.
  ready # How many of the active pods are ready.

batch.JobTemplateSpec # A job to be created.
  metadata # Standard object metadata.
  spec # What the job is to run.

batch.PodFailurePolicy # What to do about pods that fail.
  rules # Tried in turn until one matches; at most 20. A failure that none matches is counted.

batch.PodFailurePolicyOnExitCodesRequirement # Matches failed pods by the exit codes of their containers.
  containerName # The container to look at; all when absent.
  operator # In matches a code that is listed, NotIn one that is not.
  values # Exit codes, sorted and distinct, at most 255. Zero cannot be used with In.

batch.PodFailurePolicyOnPodConditionsPattern # Matches failed pods by a condition.
  type # The condition to look for, such as DisruptionTarget.
  status # The status it must have; True by default.

batch.PodFailurePolicyRule # What to do about failed pods that match. Either onExitCodes or onPodConditions is set.
  action # Count the failure as usual, Ignore it, or fail the whole job or the index at once.
  onExitCodes # Matches by exit codes.
  onPodConditions # Matches when any of these conditions does; at most 20.

batch.SuccessPolicy # When an Indexed job counts as done before all its indexes are.
  rules # Tried in turn; the job succeeds once one is met. From 1 to 20.

batch.SuccessPolicyRule # What has to succeed. At least one member is set.
  succeededIndexes # Indexes that count, as numbers and ranges such as 1,3-5; all of them without succeededCount.
  succeededCount # How many must succeed, among succeededIndexes or, without it, among all.

batch.UncountedTerminatedPods # UIDs of pods that have ended but are not in the counts yet.
  succeeded # Those that succeeded.
  failed # Those that failed.
"""
