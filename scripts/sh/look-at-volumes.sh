# shellcheck shell=bash
# It only looks. One result line for each PersistentVolume, and one for each volume of a pod that is a claim or on NFS. The claim of a
# generic ephemeral volume is named after the pod and the volume, with a dash between them.

# tell KEY TEMPLATE RESOURCE...
tell() {
  local key=$1 template=$2 line
  shift 2
  kube get "$@" -o go-template="$template" >"$SCRATCH/list" 2>"$SCRATCH/reason" ||
    fail 75 "the API server does not list its $1: $(tail -n 1 "$SCRATCH/reason")"
  while IFS= read -r line; do
    [[ -z $line ]] || result_text "$key" "$line"
  done <"$SCRATCH/list"
}

need_api
# shellcheck disable=SC2016 # variables of the templates
tell volume '{{range .items}}{{.metadata.name}}|{{.metadata.uid}}|{{.metadata.resourceVersion}}|{{with .status.phase}}{{.}}{{end}}|{{with .spec.claimRef}}{{.namespace}}/{{.name}}|{{with .uid}}{{.}}{{end}}{{else}}|{{end}}|{{with .spec.nfs}}{{.server}}|{{.path}}{{else}}|{{end}}|{{.spec.persistentVolumeReclaimPolicy}}|{{with .metadata.annotations}}{{with index . "pv.kubernetes.io/provisioned-by"}}{{.}}{{end}}{{end}}{{"\n"}}{{end}}' persistentvolumes
# shellcheck disable=SC2016
tell pod '{{range $p := .items}}{{range $v := .spec.volumes}}{{with .persistentVolumeClaim}}{{$p.metadata.namespace}}|{{$p.metadata.name}}|{{$p.status.phase}}|{{.claimName}}|{{"\n"}}{{end}}{{with .ephemeral}}{{$p.metadata.namespace}}|{{$p.metadata.name}}|{{$p.status.phase}}|{{$p.metadata.name}}-{{$v.name}}|{{"\n"}}{{end}}{{with .nfs}}{{$p.metadata.namespace}}|{{$p.metadata.name}}|{{$p.status.phase}}||{{.server}}|{{with $p.metadata.labels}}{{with index . "windlass/storage-class"}}{{.}}{{end}}{{end}}{{"\n"}}{{end}}{{end}}{{end}}' pods --all-namespaces
