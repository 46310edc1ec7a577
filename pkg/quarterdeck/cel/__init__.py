"""CEL as Kubernetes has it: parsed, type-checked, cost-estimated and compiled to a tree of compiled nodes.

`environment` is the way in (an Environment is a value: variables, functions, macros); `crd_rules` applies it to
x-kubernetes-validations. Nothing here knows of HTTP, storage or admission: authorizers and variables come in as values.
"""
