{{/* The name of all objects. */}}
{{- define "plat.name" -}}
{{- if contains "plat" .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-plat" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "plat.selector" -}}
app.kubernetes.io/name: plat
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "plat.labels" -}}
{{ include "plat.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* The environment of the program, by name. */}}
{{- define "plat.env" -}}
{{- $env := dict "DATA_DIR" "/data" "SHUTDOWN_DELAY" "5s" -}}
{{- if .Values.database.existingSecret -}}
{{- $_ := set $env "DATABASE_URL_FILE" "/run/secrets/database/url" -}}
{{- end -}}
{{- if .Values.encryptionKey.existingSecret -}}
{{- $_ := set $env "ENCRYPTION_KEY_FILE" "/run/secrets/encryption-key/key" -}}
{{- end -}}
{{- if .Values.valkey.existingSecret -}}
{{- $_ := set $env "VALKEY_URL_FILE" "/run/secrets/valkey/url" -}}
{{- $_ := set $env "SESSION_STORE_TYPE" "valkey" -}}
{{- $_ := set $env "RATE_LIMIT_STORE" "valkey" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- $scheme := ternary "https" "http" (ne .Values.ingress.tlsSecret "") -}}
{{- $_ := set $env "PUBLIC_URL" (printf "%s://%s" $scheme .Values.ingress.host) -}}
{{- end -}}
{{- range $name, $value := merge (deepCopy .Values.env) $env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}

{{/* The secrets that are mounted: the folder, the Secret, its key, and the name of the file. */}}
{{- define "plat.secrets" -}}
{{- $secrets := list -}}
{{- with .Values.database -}}
{{- if .existingSecret -}}
{{- $secrets = append $secrets (dict "folder" "database" "secret" .existingSecret "key" .key "file" "url") -}}
{{- end -}}
{{- end -}}
{{- with .Values.encryptionKey -}}
{{- if .existingSecret -}}
{{- $secrets = append $secrets (dict "folder" "encryption-key" "secret" .existingSecret "key" .key "file" "key") -}}
{{- end -}}
{{- end -}}
{{- with .Values.valkey -}}
{{- if .existingSecret -}}
{{- $secrets = append $secrets (dict "folder" "valkey" "secret" .existingSecret "key" "url" "file" "url") -}}
{{- end -}}
{{- end -}}
{{- toYaml $secrets -}}
{{- end -}}
