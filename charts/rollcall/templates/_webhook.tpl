{{- define "rollcall.webhookClient" -}}
clientConfig:
  service: {name: {{ include "rollcall.fullname" . }}-webhook, namespace: {{ .Release.Namespace }}, path: /validate, port: 443}
admissionReviewVersions: [v1]
sideEffects: None
matchPolicy: Equivalent
{{- end -}}

{{/* Kinds of other projects, by the names that webhook.others.kinds takes, and the versions that the webhook reads: in `everywhere` and
in `labelled` namespaces. A pod's own fields hardly change once it is made. */}}
{{- define "rollcall.webhookRules" -}}
{{- $known := dict
  "PyTorchJob" (list "kubeflow.org" "v1" "pytorchjobs")
  "MPIJob" (list "kubeflow.org" "v1 v2beta1" "mpijobs")
  "JAXJob" (list "kubeflow.org" "v1" "jaxjobs")
  "TrainJob" (list "trainer.kubeflow.org" "v1alpha1" "trainjobs")
  "JobSet" (list "jobset.x-k8s.io" "v1alpha2" "jobsets")
  "LeaderWorkerSet" (list "leaderworkerset.x-k8s.io" "v1" "leaderworkersets")
  "VolcanoJob" (list "batch.volcano.sh" "v1alpha1" "jobs")
  "Job" (list "batch" "v1" "jobs")
  "RayJob" (list "ray.io" "v1" "rayjobs")
  "RayCluster" (list "ray.io" "v1" "rayclusters")
  "StatefulSet" (list "apps" "v1" "statefulsets")
  "Pod" (list "" "v1" "pods")
-}}
{{- $everywhere := list -}}
{{- $labelled := list -}}
{{- range .Values.webhook.others.kinds -}}
{{- $kind := get $known . -}}
{{- $operations := ternary (list "CREATE") (list "CREATE" "UPDATE") (eq . "Pod") -}}
{{- $rule := dict "apiGroups" (list (index $kind 0)) "apiVersions" (splitList " " (index $kind 1)) "resources" (list (index $kind 2)) "operations" $operations "scope" "Namespaced" -}}
{{- if has . (list "StatefulSet" "Pod") }}{{ $labelled = append $labelled $rule }}{{ else }}{{ $everywhere = append $everywhere $rule }}{{ end -}}
{{- end -}}
{{ toJson (dict "everywhere" $everywhere "labelled" $labelled) }}
{{- end -}}

{{/* (list $ EXPRESSIONS): which namespaces and objects; EXPRESSIONS beside those of all. */}}
{{- define "rollcall.webhookSelectors" -}}
{{- $root := index . 0 -}}
{{- $webhook := $root.Values.webhook -}}
namespaceSelector:
  {{- with $webhook.namespaceSelector.matchLabels }}
  matchLabels: {{- toYaml . | nindent 4 }}
  {{- end }}
  matchExpressions:
  - {key: kubernetes.io/metadata.name, operator: NotIn, values: [{{ $root.Release.Namespace }}, kube-system]}
  {{- with $root.Values.watch.namespaces }}
  - {key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }}}
  {{- end }}
  {{- range index . 1 }}
  - {{ toJson . }}
  {{- end }}
  {{- with $webhook.namespaceSelector.matchExpressions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $webhook.objectSelector }}
objectSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (list $ OTHERS): what the webhook would admit anyway is not sent, so that it passes while no webhook answers. */}}
{{- define "rollcall.webhookConditions" -}}
{{- $root := index . 0 -}}
matchConditions:
# `kubectl annotate tj … rollcall.dev/release` is a way out and must not depend on the webhook. The annotation that ignores rules
# counts as part of the launch.
- name: launch-changed
  expression: >-
    request.operation != 'UPDATE' || object.spec != oldObject.spec
    || (has(object.metadata.annotations) && 'rollcall.dev/ignore' in object.metadata.annotations
      ? object.metadata.annotations['rollcall.dev/ignore'] : '')
    != (has(oldObject.metadata.annotations) && 'rollcall.dev/ignore' in oldObject.metadata.annotations
      ? oldObject.metadata.annotations['rollcall.dev/ignore'] : '')
# As stored, not as sent: nobody can write deletionTimestamp.
- name: not-being-deleted
  expression: request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)
{{- if index . 1 }}
# A JobSet's Jobs, a Job's pods: what they are made of was judged.
- name: not-made-by-a-controller
  expression: >-
    !has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller)
{{- end }}
- name: not-the-operator
  expression: request.userInfo.username != 'system:serviceaccount:{{ $root.Release.Namespace }}:{{ include "rollcall.serviceAccountName" (list $root "operator") }}'
{{- with $root.Values.webhook.matchConditions }}
{{ toYaml . }}
{{- end }}
{{- end -}}
