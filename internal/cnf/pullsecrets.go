package cnf

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Registry is an image registry that needs a password. Its form is that of a cluster's registry; the cluster's nodes
// already have the other settings.
type Registry struct {
	Server   string `json:"server" param:"required=names of images begin with it, such as registry.example:5000"`
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
}

// CheckMembers implements params.Checker.
func (r Registry) CheckMembers(wrong params.Wrong) {
	switch {
	case r.Username != "" && r.Password == "":
		wrong("password", "is missing: it is the user's password")
	case r.Username == "" && r.Password != "":
		wrong("username", "is missing: it is the user of the password")
	}
}

// PullSecretName is the name of the Secret with which the Pods of a VNF pull their images.
func PullSecretName(id lcm.VnfInstanceID) string { return ReleaseName(id) + "-registries" }

// pullSecrets lets the Pods of manifests pull their images with the credentials of the request. It makes a Secret in
// each namespace of these Pods, and in the namespace of the charts.
func (v *VNF) pullSecrets(id lcm.VnfInstanceID, charted bool) {
	registries := slices.DeleteFunc(slices.Clone(v.Params.Registries), func(r Registry) bool { return r.Username == "" })
	if len(registries) == 0 {
		return
	}
	name := PullSecretName(id)
	var namespaces []string
	if charted {
		v.pullSecret, namespaces = name, append(namespaces, v.Params.Namespace)
	}
	for i, o := range v.Manifests.Objects {
		with := o.DeepCopy() // VNFs may share the objects of a package
		if charts.Pull(with.Object, name) {
			v.Manifests.Objects[i] = *with
			namespaces = append(namespaces, o.GetNamespace())
		}
	}
	slices.Sort(namespaces)
	for _, namespace := range slices.Compact(namespaces) {
		v.Manifests.Objects = append(v.Manifests.Objects, pullSecret(name, namespace, registries))
	}
}

func pullSecret(name, namespace string, registries []Registry) unstructured.Unstructured {
	auths := map[string]any{}
	for _, r := range registries {
		auths[r.Server] = map[string]any{
			"username": r.Username, "password": r.Password,
			"auth": base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s:%s", r.Username, r.Password)),
		}
	}
	text, _ := json.Marshal(map[string]any{"auths": auths}) // strings only
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": string(corev1.SecretTypeDockerConfigJson),
		"data": map[string]any{corev1.DockerConfigJsonKey: base64.StdEncoding.EncodeToString(text)},
	}}
}
