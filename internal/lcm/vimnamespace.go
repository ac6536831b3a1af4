package lcm

// DefaultNamespace is the namespace of VNFs when neither the VIM nor the request names one, as in Tacker.
const DefaultNamespace = "default"

// Namespace is the namespace of VNFs on a Kubernetes. Tacker stores it as the VIM's project.
func (v Vim) Namespace() string {
	if name, _ := v.Project["name"].(string); name != "" {
		return name
	}
	return DefaultNamespace
}
