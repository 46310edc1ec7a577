{{- define "quarterdeck.name" -}}
{{- .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name (.Values.nameOverride | default .Chart.Name)) (contains .Chart.Name .Release.Name)) | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "quarterdeck.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "quarterdeck.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "quarterdeck.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quarterdeck.labels" -}}
{{ include "quarterdeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "quarterdeck.args" -}}
- serve
- --data-dir=/var/lib/quarterdeck
- --bind-address=0.0.0.0
- --advertise-address=$(POD_IP)
- --secure-port=6443
{{- if eq .Values.storage.kind "memory" }}
- --ephemeral
{{- end }}
{{- if eq .Values.storage.kind "etcd" }}
- --storage-backend=etcd3
- --etcd-servers={{ join "," .Values.storage.etcd.servers }}
{{- if .Values.storage.etcd.secretName }}
- --etcd-cafile=/etc/quarterdeck/etcd/ca.crt
- --etcd-certfile=/etc/quarterdeck/etcd/tls.crt
- --etcd-keyfile=/etc/quarterdeck/etcd/tls.key
{{- end }}
{{- end }}
{{- if .Values.tls.secretName }}
- --tls-cert-file=/etc/quarterdeck/tls/tls.crt
- --tls-private-key-file=/etc/quarterdeck/tls/tls.key
{{- end }}
{{- if .Values.keys.secretName }}
- --client-ca-file=/etc/quarterdeck/keys/ca.crt
- --service-account-signing-key-file=/etc/quarterdeck/keys/sa.key
- --service-account-key-file=/etc/quarterdeck/keys/sa.pub
{{- end }}
{{- range .Values.flags }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "quarterdeck.pod" -}}
metadata:
  labels:
    {{- include "quarterdeck.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "quarterdeck.serviceAccount" . }}
  # The server asks nothing of the cluster that it runs in.
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # Requests get 10 s to finish, then the store is closed.
  terminationGracePeriodSeconds: 30
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: quarterdeck
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy | default "IfNotPresent" }}
      args:
        {{- include "quarterdeck.args" . | nindent 8 }}
      env:
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
      ports:
        - name: https
          containerPort: 6443
      # A large store is read before the server listens.
      startupProbe:
        httpGet: {path: /readyz, port: https, scheme: HTTPS}
        periodSeconds: 2
        failureThreshold: 300
      readinessProbe:
        httpGet: {path: /readyz, port: https, scheme: HTTPS}
        periodSeconds: 5
      livenessProbe:
        httpGet: {path: /livez, port: https, scheme: HTTPS}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/quarterdeck
        {{- range $name, $secret := include "quarterdeck.secrets" . | fromYaml }}
        - name: {{ $name }}
          mountPath: /etc/quarterdeck/{{ $name }}
          readOnly: true
        {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  volumes:
    {{- if ne .Values.storage.kind "embedded" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- range $name, $secret := include "quarterdeck.secrets" . | fromYaml }}
    - name: {{ $name }}
      secret:
        secretName: {{ $secret }}
        defaultMode: 0440
    {{- end }}
{{- end -}}

{{/* The secrets that are mounted, by the folder that they get. */}}
{{- define "quarterdeck.secrets" -}}
{{- if and (eq .Values.storage.kind "etcd") .Values.storage.etcd.secretName }}
etcd: {{ .Values.storage.etcd.secretName | quote }}
{{- end }}
{{- if .Values.tls.secretName }}
tls: {{ .Values.tls.secretName | quote }}
{{- end }}
{{- if .Values.keys.secretName }}
keys: {{ .Values.keys.secretName | quote }}
{{- end }}
{{- end -}}
