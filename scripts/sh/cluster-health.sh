# shellcheck shell=bash
# "name|is it Ready|is it cordoned|reason|message", the message quoted: it may be of several lines
list_nodes() {
  kube get nodes -o go-template='{{range .items}}{{.metadata.name}}|{{range .status.conditions}}{{if eq .type "Ready"}}{{.status}}{{end}}{{end}}|{{if .spec.unschedulable}}yes{{else}}no{{end}}|{{range .status.conditions}}{{if eq .type "Ready"}}{{.reason}}|{{printf "%.300q" .message}}{{end}}{{end}}{{"\n"}}{{end}}' >"$SCRATCH/nodes" 2>"$SCRATCH/reason"
}

need_etcd
wait_until "$TIMEOUT" list_nodes || fail 75 "the nodes cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
wait_until "$TIMEOUT" read_members || fail 75 "the members of etcd cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
while IFS= read -r line; do result_text node "$line"; done <"$SCRATCH/nodes"
while IFS= read -r line; do result_text member "$line"; done <"$SCRATCH/members"
