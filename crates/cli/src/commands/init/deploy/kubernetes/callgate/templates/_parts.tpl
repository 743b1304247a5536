{{- define "callgate.name" -}}
{{- if contains "callgate" .Release.Name -}}{{ .Release.Name }}{{- else -}}{{ .Release.Name }}-callgate{{- end -}}
{{- end }}

{{- define "callgate.selector" -}}
app.kubernetes.io/name: callgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "callgate.metadata" -}}
name: {{ include "callgate.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "callgate.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The configuration with its addresses, and the names by which callers in the cluster know the service. */}}
{{- define "callgate.config" -}}
{{- $name := include "callgate.name" . -}}
{{- $space := printf "%s.%s" $name .Release.Namespace -}}
{{- $hosts := concat (.Values.config.hosts | default list) (list $name $space (printf "%s.svc" $space) (printf "%s.svc.cluster.local" $space)) -}}
{{- $given := dict "listen" "0.0.0.0:8410" "admin" "0.0.0.0:8411" -}}
{{- toYaml (merge (dict "hosts" ($hosts | uniq)) .Values.config $given) -}}
{{- end }}

{{- define "callgate.scheme" -}}
{{- if and (kindIs "map" .Values.config.listen) (hasKey (.Values.config.listen | default dict) "tls") -}}HTTPS{{- else -}}HTTP{{- end -}}
{{- end }}
