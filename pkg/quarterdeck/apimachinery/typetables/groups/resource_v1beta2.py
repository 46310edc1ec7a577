"""The types of resource.k8s.io/v1beta2; see typetables/__init__.py for the notation."""

TABLE = """
=resource
DeviceTaintRule kind: metadata meta.ObjectMeta? 1, spec DeviceTaintRuleSpec 2!, status DeviceTaintRuleStatus? 3
DeviceTaintRuleSpec: deviceSelector *DeviceTaintSelector? 1, taint DeviceTaint? 2!
DeviceTaintRuleStatus: conditions []meta.Condition? 1 map(type) patch(merge|type)
DeviceTaintSelector: driver *string? 2, pool *string? 3, device *string? 4
"""
