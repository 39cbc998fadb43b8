{{/* The small objects that each component has the same: (list $ "operator"). */}}
{{- define "rollcall.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "rollcall.serviceAccountName" . }}
  namespace: {{ (index . 0).Release.Namespace }}
  labels: {{- include "rollcall.labels" . | nindent 4 }}
  {{- with (index (index . 0).Values (index . 1)).serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false # the pods ask for it themselves
{{- end -}}

{{- define "rollcall.podDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $budget := $root.Values.podDisruptionBudget -}}
{{- if and $budget.enabled (gt (int (include "rollcall.replicas" .)) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "rollcall.fullname" $root }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "rollcall.labels" . | nindent 4 }}
spec:
  minAvailable: {{ $budget.minAvailable }}
  unhealthyPodEvictionPolicy: {{ $budget.unhealthyPodEvictionPolicy }}
  selector:
    matchLabels: {{- include "rollcall.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* (list $ "operator"): binds ClusterRole and Role FULLNAME-operator to its service account. */}}
{{- define "rollcall.bindings" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "rollcall.fullname" $root) (index . 1) -}}
{{- range $kind := (index . 2) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ $name }}
  {{- if eq $kind "Role" }}
  namespace: {{ $root.Release.Namespace }}
  {{- end }}
  labels: {{- include "rollcall.labels" $ | nindent 4 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: {{ $kind }}, name: {{ $name }}}
subjects: [{kind: ServiceAccount, name: {{ include "rollcall.serviceAccountName" $ }}, namespace: {{ $root.Release.Namespace }}}]
{{- end }}
{{- end -}}

{{/* (list $ "operator" port): who may reach its pods, and whom they may reach. `port` 0: nobody beside kubelet and metrics. */}}
{{- define "rollcall.networkPolicy" -}}
{{- $root := index . 0 -}}
{{- $policy := $root.Values.networkPolicy -}}
{{- if $policy.enabled -}}
{{- if not $policy.apiServerCIDRs }}{{ fail "networkPolicy.apiServerCIDRs is empty: Rollcall's pods would not reach the API server. Write the addresses that this shows, each with /32 (or /128): kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes" }}{{ end -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "rollcall.fullname" $root }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "rollcall.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "rollcall.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
  # The kubelet's questions; some networks do not let nodes through by themselves.
  - ports: [{protocol: TCP, port: health}]
  {{- with index . 2 }}
  {{- /* Desk: every job's pods and, for jobs on the host network, nodes. Webhook: the API server, which is no pod. */}}
  - ports: [{protocol: TCP, port: {{ . }}}]
  {{- end }}
  {{- with $policy.metricsFrom }}
  - ports: [{protocol: TCP, port: metrics}]
    from: {{- toYaml . | nindent 4 }}
  {{- end }}
  egress:
  - to:
    {{- range $policy.apiServerCIDRs }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
    ports:
    {{- range $policy.apiServerPorts }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end -}}
{{- end -}}
