"""What is said of the types of flowcontrol."""

TEXT = """
flowcontrol.FlowSchema # Which requests are of which priority level.
  metadata # Standard object metadata.
  spec # The requests, and the level that they are of.
  status # Whether the level exists.

flowcontrol.PriorityLevelConfiguration # How much of a server requests of a kind may have.
  metadata # Standard object metadata.
  spec # The limits, and what becomes of requests beyond them.
  status # What was told of the level.

flowcontrol.ExemptPriorityLevelConfiguration # Settings of a priority level of which requests are never held back.
  nominalConcurrencyShares # Weight by which the server's seats are divided among the levels; 0 by default.
  lendablePercent # How much of its seats other levels may borrow, in percent; 0 by default.

flowcontrol.FlowDistinguisherMethod # How requests that match a schema are split into flows.
  type # By what to split: ByUser or ByNamespace.

flowcontrol.FlowSchemaCondition # One aspect of the state of a flow schema.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

flowcontrol.FlowSchemaSpec # Which requests match, and what priority they get.
  priorityLevelConfiguration # The priority level of the requests; the schema has no effect if it does not exist.
  matchingPrecedence # Of several schemas that match, the lowest number wins. From 1 to 10000; 1000 by default.
  distinguisherMethod # How to split the requests into flows; all are one flow when absent.
  rules # A request matches when any of these does; none matches an empty list.

flowcontrol.FlowSchemaStatus # The state of a flow schema.
  conditions # What is known about the object's state.

flowcontrol.GroupSubject # A group of users.
  name # The name of the group; * means any.

flowcontrol.LimitResponse # What happens to requests that cannot run at once.
  type # Queue lets them wait, Reject refuses them.
  queuing # How they wait; only for the type Queue.

flowcontrol.LimitedPriorityLevelConfiguration # Settings of a priority level with a bounded number of requests.
  nominalConcurrencyShares # Weight by which the server's seats are divided among the levels; 30 by default.
  limitResponse # What happens to requests beyond the bound.
  lendablePercent # How much of its seats other levels may borrow, in percent; 0 by default.
  borrowingLimitPercent # How much it may borrow, in percent of its own seats. No limit when absent.

flowcontrol.NonResourcePolicyRule # Matches requests for paths that are not resources, by verb and path.
  verbs # Verbs in lower case; a lone * means any.
  nonResourceURLs # Paths such as /healthz; a path may end in /*, and a lone * means any.

flowcontrol.PolicyRulesWithSubjects # Matches requests by who makes them and what they ask for.
  subjects # Who makes the request; any of them will do.
  resourceRules # Requests for resources; any rule of either list must match.
  nonResourceRules # Requests for other paths; any rule of either list must match.

flowcontrol.PriorityLevelConfigurationCondition # One aspect of the state of a priority level.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

flowcontrol.PriorityLevelConfigurationReference # Names a priority level.
  name # What the priority level is called.

flowcontrol.PriorityLevelConfigurationSpec # How many requests of a priority may run at once.
  type # Limited bounds the requests, Exempt lets all of them run at once.
  limited # The bounds; only for the type Limited.
  exempt # The seats set aside; only for the type Exempt.

flowcontrol.PriorityLevelConfigurationStatus # The state of a priority level.
  conditions # What is known about the object's state.

flowcontrol.QueuingConfiguration # How requests wait for their turn.
  queues # How many queues there are; 64 by default. With 1, flows are not told apart.
  handSize # Of how many queues a flow takes the shortest; 8 by default, no more than queues.
  queueLengthLimit # How many requests may wait in one queue, more are rejected; 50 by default.

flowcontrol.ResourcePolicyRule # Matches requests for resources, by verb, group, resource and namespace.
  verbs # Verbs in lower case; a lone * means any.
  apiGroups # API groups, the core group being the empty string; a lone * means any.
  resources # Resources in lower-case plural, with subresource if any, as nodes/status; a lone * means any.
  clusterScope # Whether requests without a namespace match; false by default.
  namespaces # Namespaces in which requests match; * means any. Needed unless clusterScope is set.

flowcontrol.ServiceAccountSubject # A service account.
  namespace # Namespace of the service account.
  name # The name of the service account; * means any.

flowcontrol.Subject # Who makes a request. Only the member that fits the kind is set.
  kind # User, Group or ServiceAccount.
  user # The user.
  group # The group.
  serviceAccount # The service account.

flowcontrol.UserSubject # A user.
  name # The name of the user; * means any.
"""
