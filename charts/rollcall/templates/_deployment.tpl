{{/*
A Deployment of one of the three programs: what differs is given, the rest is the same for all.
  root        $
  component   operator, desk or webhook; the program is rollcall-COMPONENT, the container COMPONENT
  args        flags beside those that every program has
  https       its HTTPS port, or 0
  volumes     further volumes, and their mounts
  mounts
  hostNetwork true or false
*/}}
{{- define "rollcall.deployment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $which := list $root .component -}}
{{- $volumes := concat .volumes (include "rollcall.value" (append $which "extraVolumes") | fromYamlArray) -}}
{{- $mounts := concat .mounts (include "rollcall.value" (append $which "extraVolumeMounts") | fromYamlArray) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "rollcall.fullname" $root }}-{{ .component }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "rollcall.labels" $which | nindent 4 }}
spec:
  replicas: {{ include "rollcall.replicas" $which }}
  {{- if and (ne .component "webhook") (not $values.leaderElection.enabled) }}
  strategy: {type: Recreate} # never two that act
  {{- else }}
  strategy: {{- include "rollcall.value" (append $which "strategy") | nindent 4 }}
  {{- end }}
  selector:
    matchLabels: {{- include "rollcall.selectorLabels" $which | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "rollcall.labels" $which | nindent 8 }}
        {{- with include "rollcall.value" (append $which "podLabels") }}{{ . | nindent 8 }}{{ end }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ .component }}
        {{- with include "rollcall.value" (append $which "podAnnotations") }}{{ . | nindent 8 }}{{ end }}
    spec:
      serviceAccountName: {{ include "rollcall.serviceAccountName" $which }}
      automountServiceAccountToken: true
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 6 }}
      {{- end }}
      {{- if .hostNetwork }}
      hostNetwork: true
      {{- end }}
      {{- with include "rollcall.value" (append $which "priorityClassName") }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with include "rollcall.value" (append $which "nodeSelector") }}
      nodeSelector: {{- . | nindent 8 }}
      {{- end }}
      {{- with include "rollcall.value" (append $which "tolerations") }}
      tolerations: {{- . | nindent 6 }}
      {{- end }}
      {{- with include "rollcall.value" (append $which "affinity") }}
      affinity: {{- . | nindent 8 }}
      {{- end }}
      {{- with include "rollcall.value" (append $which "topologySpreadConstraints") | fromYamlArray }}
      topologySpreadConstraints:
      {{- range . }}
      - {{- toYaml . | nindent 8 }}
        labelSelector:
          matchLabels: {{- include "rollcall.selectorLabels" $which | nindent 12 }}
      {{- end }}
      {{- end }}
      securityContext: {{- include "rollcall.value" (append $which "podSecurityContext") | nindent 8 }}
      containers:
      - name: {{ .component }}
        image: {{ include "rollcall.image" (list $root $values.image) }}
        imagePullPolicy: {{ $values.image.pullPolicy }}
        command: [rollcall-{{ .component }}]
        args:
        - --namespace=$(POD_NAMESPACE)
        - --health-port={{ $values.health.port }}
        - --metrics-port={{ $values.metrics.port }}
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
        {{- with include "rollcall.value" (append $which "extraArgs") }}{{ . | nindent 8 }}{{ end }}
        env:
        - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
        {{- range .env }}
        - {{ toJson . }}
        {{- end }}
        {{- with include "rollcall.value" (append $which "extraEnv") }}{{ . | nindent 8 }}{{ end }}
        ports:
        {{- if .https }}
        - {name: https, containerPort: {{ .https }}}
        {{- end }}
        - {name: health, containerPort: {{ $values.health.port }}}
        - {name: metrics, containerPort: {{ $values.metrics.port }}}
        livenessProbe:
          httpGet: {path: /healthz, port: health}
          {{- toYaml $values.probes.liveness | nindent 10 }}
        readinessProbe:
          httpGet: {path: /readyz, port: health}
          {{- toYaml $values.probes.readiness | nindent 10 }}
        resources: {{- (index $values .component).resources | toYaml | nindent 10 }}
        securityContext: {{- include "rollcall.value" (append $which "securityContext") | nindent 10 }}
        {{- with $mounts }}
        volumeMounts: {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $volumes }}
      volumes: {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end -}}

{{/* The volume of a certificate; the Secret is made by the operator, cert-manager or you, and until it is there the pod waits. */}}
{{- define "rollcall.tlsVolume" -}}
- name: tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]
{{- end -}}

{{/* (list $ "operator") */}}
{{- define "rollcall.leaderElectionArgs" -}}
{{- $election := (index . 0).Values.leaderElection -}}
{{- if $election.enabled -}}
- --leader-elect=true
- --lease-duration={{ $election.leaseDurationSeconds }}
- --renew-deadline={{ $election.renewDeadlineSeconds }}
- --retry-period={{ $election.retryPeriodSeconds }}
{{- else -}}
{{- if gt (int (include "rollcall.replicas" .)) 1 }}{{ fail (printf "leaderElection.enabled is false and %s would have %s pods, which would all act: write replicas: 1 for operator and desk, or leave leader election on" (index . 1) (include "rollcall.replicas" .)) }}{{ end -}}
- --leader-elect=false
{{- end -}}
{{- end -}}
