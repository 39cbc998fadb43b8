{{- define "rollcall.name" -}}
{{- .Values.nameOverride | default "rollcall" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Not the release's name: there is one Rollcall a cluster, and its names stand in the documents. */}}
{{- define "rollcall.fullname" -}}
{{- .Values.fullnameOverride | default "rollcall" | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* (list $ "operator"): of a component's pods, never to change. */}}
{{- define "rollcall.selectorLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "rollcall.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "rollcall.labels" -}}
{{- $root := index . 0 -}}
{{ include "rollcall.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* (list $ .Values.image) */}}
{{- define "rollcall.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- $name := $image.repository -}}
{{- with $image.registry }}{{ $name = printf "%s/%s" (trimSuffix "/" .) $name }}{{ end -}}
{{- if $image.digest -}}
{{ $name }}@{{ $image.digest }}
{{- else -}}
{{ $name }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* (list $ "operator") */}}
{{- define "rollcall.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- (index $root.Values $component).serviceAccount.name | default (printf "%s-%s" (include "rollcall.fullname" $root) $component) -}}
{{- end -}}

{{/* (list $ "operator"): how many pods. */}}
{{- define "rollcall.replicas" -}}
{{- $root := index . 0 -}}
{{- $own := (index $root.Values (index . 1)).replicas -}}
{{- if kindIs "invalid" $own }}{{ $root.Values.replicaCount }}{{ else }}{{ $own }}{{ end -}}
{{- end -}}

{{/* (list $ "operator" "tolerations"): the component's own value, else that of all, as YAML; nothing when both are empty. */}}
{{- define "rollcall.value" -}}
{{- $root := index . 0 -}}
{{- $key := index . 2 -}}
{{- $value := get (index $root.Values (index . 1)) $key | default (get $root.Values $key) -}}
{{- if $value }}{{ toYaml $value }}{{ end -}}
{{- end -}}

{{/* (list "ipFamilyPolicy: …" of a component's service) */}}
{{- define "rollcall.ipFamilies" -}}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "rollcall.webhookConfigurationName" -}}rollcall{{- end -}}
