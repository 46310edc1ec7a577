"""The file of --admission-control-config-file: what plugins of admission are told.

    apiVersion: apiserver.config.k8s.io/v1
    kind: AdmissionConfiguration
    plugins:
    - name: PodSecurity
      configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, ...}
    - name: ImagePolicyWebhook
      path: images.yaml

`load` makes admission.pluginsettings.PluginSettings of it; `file` reads the file itself, and each of the others the
configuration of one plugin, or of several that are alike.
"""
