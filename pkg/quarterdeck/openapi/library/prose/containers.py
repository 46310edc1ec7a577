"""What is said of containers and their parts, of core."""

TEXT = """
core.AppArmorProfile # The AppArmor profile that confines a container.
  type # Where the profile comes from: the node, the container runtime, or none at all.
  localhostProfile # Name of a profile the node has loaded; needed with type Localhost, else forbidden.

core.Capabilities # Changes to the Linux capabilities that the runtime grants by default.
  add # Capabilities granted on top, such as NET_ADMIN; without the CAP_ prefix.
  drop # Capabilities taken away; ALL drops the whole set.

core.ConfigMapEnvSource # A config map of which every entry becomes an environment variable.
  name # The name of the config map, in the pod's namespace.
  optional # Whether the pod may start though the object is missing.

core.ConfigMapKeySelector # One entry of a config map.
  name # The name of the config map, in the pod's namespace.
  key # The entry to take; must be one of data, not of binaryData.
  optional # Whether the pod may start though the object or one of its keys is missing.

core.Container # A container of a pod.
  name # What it is called, a DNS label; unique in the pod and fixed.
  image # The image to run, with its registry and its tag or digest where needed.
  command # What to execute, without a shell, in place of the image's entrypoint; $(NAME) is expanded.
  args # Arguments of the command, in place of the image's; $(NAME) is expanded.
  workingDir # The directory to start in; the image's when absent.
  ports # The ports it listens on; mostly informative, since unlisted ones can be reached too.
  envFrom # Whole objects to take environment variables from; the last wins, and env goes before all.
  env # Environment variables, one by one.
  resources # CPU, memory and the like that it asks for and may use at most.
  resizePolicy # Per resource, whether a resize in place takes a restart.
  restartPolicy # When it is restarted; as the pod says when absent. Always makes an init container a sidecar.
  restartPolicyRules # What to do on certain exit codes; the first match counts, else restartPolicy. At most 20.
  volumeMounts # Volumes to appear in its file system.
  volumeDevices # Volumes to appear as raw block devices.
  livenessProbe # A check, made over and over, that has the container restarted when it fails.
  readinessProbe # A check, made over and over, that keeps the pod out of its services while it fails.
  startupProbe # A check that holds the other probes back until it succeeds; restarts the container if it never does.
  lifecycle # What to do after it starts and before it stops.
  terminationMessagePath # File in which it may leave its last words; /dev/termination-log by default.
  terminationMessagePolicy # Whether, after an error, the end of the log stands in for an empty message file.
  imagePullPolicy # When to pull the image; Always for the tag latest or no tag, else IfNotPresent.
  securityContext # Privileges and user of the container; goes before what the pod says.
  stdin # Whether to keep a standard input open for clients to attach to; without it, reads meet EOF.
  stdinOnce # Whether stdin is closed for good once the first attached client leaves.
  tty # Whether it gets a terminal; needs stdin.

core.ContainerExtendedResourceRequest # Ties a container's extended resource to a request in the pod's claim.
  containerName # The container that wants the resource.
  resourceName # The extended resource, as the container's resources spell it.
  requestName # The request, in the claim made for the pod, that provides it.

core.ContainerImage # An image present on a node.
  names # The tags and digests the node knows it by.
  sizeBytes # Its size, in bytes.

core.ContainerPort # A port a container listens on.
  name # What services and probes may call it; at most 15 characters, unique in the pod.
  hostPort # Port of the node that leads here; with hostNetwork the same as containerPort.
  containerPort # The port inside the pod, 1 to 65535.
  protocol # UDP, TCP or SCTP; TCP by default.
  hostIP # The address of the node that hostPort is bound to; all when absent.

core.ContainerResizePolicy # Whether a resize of one resource restarts the container.
  resourceName # The resource, cpu or memory.
  restartPolicy # NotRequired or RestartContainer; NotRequired by default.

core.ContainerRestartRule # What happens when a container exits in a certain way.
  action # What to do on a match, such as Restart.
  exitCodes # The exit codes that match.

core.ContainerRestartRuleOnExitCodes # A test of a container's exit code.
  operator # In or NotIn: whether the code must be listed or must not.
  values # The exit codes to compare with; at most 255 of them.

core.ContainerState # What a container is doing. At most one field is set; waiting is assumed when none is.
  waiting # Set while it is yet to start, as during the image pull.
  running # Set while it runs.
  terminated # Set once it has ended.

core.ContainerStateRunning # Details of a container that runs.
  startedAt # When this run began.

core.ContainerStateTerminated # How a container ended.
  exitCode # The exit code of its main process.
  signal # The number of the signal that ended it, if known.
  reason # Why, as a word in CamelCase.
  message # Details for people.
  startedAt # When this run began.
  finishedAt # When this run ended.
  containerID # ID of the ended container, as runtime://id.

core.ContainerStateWaiting # Why a container does not run yet.
  reason # Why, as a word in CamelCase.
  message # Details for people.

core.ContainerStatus # What the kubelet reports of a container.
  name # The container, as the pod's spec names it.
  state # What it is doing now.
  lastState # How the run before this one ended; empty if it never restarted.
  ready # Whether it passes its readiness probe; without one, whether it has started.
  restartCount # How often it was restarted; may lose count as the kubelet clears dead containers.
  image # The image as the runtime names it, which may differ from the spec.
  imageID # The exact image that runs, usually by digest.
  containerID # ID of the container, as runtime://id.
  started # Whether it runs, is past its postStart hook and has passed any startup probe.
  allocatedResources # The requests the node has set aside for it, after admission or a resize.
  resources # The requests and limits in force at the moment.
  volumeMounts # How its volumes turned out to be mounted.
  user # The identity its first process started with.
  allocatedResourcesStatus # Health of the devices it was given.
  stopSignal # The signal that will be sent to stop it.

core.ContainerUser # The identity of a container's first process.
  linux # The numeric IDs on Linux.

core.EnvFromSource # An object of which all entries become environment variables; a config map or a secret.
  prefix # Put before every key to make the variable's name.
  configMapRef # The config map to take them from; excludes secretRef.
  secretRef # The secret to take them from; excludes configMapRef.

core.EnvVar # An environment variable of a container.
  name # What it is called; any printable ASCII but =.
  value # Its text, in which $(NAME) stands for an earlier variable and $$ for $; excludes valueFrom.
  valueFrom # Where else the text is found; excludes value.

core.EnvVarSource # Where the value of an environment variable comes from; exactly one of these.
  fieldRef # A field of the pod, such as metadata.name or status.podIP.
  resourceFieldRef # A request or limit of a container.
  configMapKeyRef # An entry of a config map.
  secretKeyRef # An entry of a secret.
  fileKeyRef # A variable in an env file on a volume of the pod.

core.ExecAction # Runs a program inside the container.
  command # Program and arguments, run in / without a shell; exit code 0 is success.

core.FileKeySelector # A variable in an env file that an earlier container of the pod has written.
  volumeName # The emptyDir volume that holds the file.
  path # The file, relative to the root of the volume and without .. parts.
  key # The variable to take from the file.
  optional # Whether the pod may start though the file or the key is missing.

core.GRPCAction # Asks the standard gRPC health service.
  port # The number of the port.
  service # The service to ask about; empty for the server as a whole.

core.HTTPGetAction # Sends a GET; status 200 to 399 is success.
  path # What to request; / by default.
  port # The port, by number or by the name the container gives it.
  host # Where to connect; the pod's IP by default. For another virtual host set the Host header.
  scheme # HTTP or HTTPS; HTTP by default. Certificates are not verified.
  httpHeaders # Headers to send; a name may repeat.

core.HTTPHeader # A header of a probe's or hook's request.
  name # What the header is called; case does not matter.
  value # What it is set to.

core.Lifecycle # Hooks around the life of a container.
  postStart # Done right after creation, not ordered against the entrypoint; failure kills the container.
  preStop # Done before the stop signal, unless the container ended by itself; uses up the grace period.
  stopSignal # The signal to stop it with; the image's or SIGTERM when absent. Needs the pod's os.name.

core.LifecycleHandler # What a hook does; exactly one of these.
  exec # Runs a program inside the container.
  httpGet # Sends a GET.
  tcpSocket # Obsolete: accepted, but fails when the hook runs.
  sleep # Just waits.

core.ObjectFieldSelector # A field of an object.
  apiVersion # The version of the API the path is meant for; v1 by default.
  fieldPath # The field, such as metadata.name or metadata.labels['app'].

core.Probe # A check on a container, done by the kubelet in one of four ways.
  exec # Runs a program inside the container.
  httpGet # Sends a GET.
  tcpSocket # Opens a TCP connection.
  grpc # Asks the gRPC health service.
  initialDelaySeconds # Seconds to wait after the start of the container; 0 by default.
  timeoutSeconds # Seconds an attempt may take; 1 by default.
  periodSeconds # Seconds between attempts; 10 by default.
  successThreshold # Successes in a row that end a failure; 1 by default, and always for liveness and startup.
  failureThreshold # Failures in a row until the check counts as failed; 3 by default.
  terminationGracePeriodSeconds # Seconds to stop in after a failure; as the pod says when absent. Not for readiness.

core.ResourceFieldSelector # A request or limit of a container, as a number.
  containerName # The container to look at; its own for variables, needed for volumes.
  resource # Which one, such as limits.cpu or requests.memory.
  divisor # The unit to give it in, such as 1Mi; 1 by default. Rounded up.

core.SELinuxOptions # The SELinux context of a process.
  user # The user part.
  role # The role part.
  type # The type part.
  level # The level part, such as s0:c123,c456.

core.SeccompProfile # The seccomp filter on a container's system calls.
  type # Where the profile comes from: the node, the container runtime, or none at all.
  localhostProfile # File below the kubelet's seccomp directory; needed with type Localhost, else forbidden.

core.SecretEnvSource # A secret of which every entry becomes an environment variable.
  name # The name of the secret, in the pod's namespace.
  optional # Whether the pod may start though the object is missing.

core.SecretKeySelector # One entry of a secret.
  name # The name of the secret, in the pod's namespace.
  key # The entry to take.
  optional # Whether the pod may start though the object or one of its keys is missing.

core.SecurityContext # Privileges and identity of a container; goes before the pod's own.
  capabilities # Linux capabilities to add and drop.
  privileged # Whether it is about as powerful as root on the node; false by default.
  seLinuxOptions # The SELinux context; the runtime picks one when absent here and at the pod.
  windowsOptions # Settings for Windows; not allowed on Linux.
  runAsUser # User ID of the first process; the image's when absent here and at the pod.
  runAsGroup # Primary group ID of the first process; the runtime's choice when absent here and at the pod.
  runAsNonRoot # Whether to refuse to start it as user 0.
  readOnlyRootFilesystem # Whether it cannot write outside its volumes; false by default.
  allowPrivilegeEscalation # Whether it may gain rights, as by setuid; always with privileged or CAP_SYS_ADMIN.
  procMount # Whether the sensitive parts of /proc are hidden; Unmasked needs hostUsers to be false.
  seccompProfile # The seccomp filter; goes before the pod's.
  appArmorProfile # The AppArmor profile; goes before the pod's.

core.SleepAction # Waits for a while.
  seconds # How long, in seconds; no longer than the pod's grace period.

core.TCPSocketAction # Opens a TCP connection; success if it is accepted.
  port # The port, by number or by the name the container gives it.
  host # Where to connect; the pod's IP by default.

core.WindowsSecurityContextOptions # Identity and privileges of a container on Windows.
  gmsaCredentialSpecName # Names a GMSA credential spec that the cluster holds.
  gmsaCredentialSpec # The text of the GMSA credential spec; usually filled in from its name by a webhook.
  runAsUserName # User of the first process; the image's when absent here and at the pod.
  hostProcess # Whether it runs on the host itself; the same for all containers, and needs hostNetwork.
"""
