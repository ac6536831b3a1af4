package kubespray

import (
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Playbooks are the playbooks of kubespray that every cluster needs, by their names without .yml. Some releases have
// underscores in the names.
func Playbooks() []string { return []string{"cluster", "facts", "scale", "remove-node"} }

// Recover is kubespray's playbook that makes new servers members of the control plane, and forgets dead members. Not
// every release has it.
const Recover = "recover-control-plane"

// Variables are the variables of kubespray that the request sets, without secrets. They take precedence over
// kubespray's own inventory. release is kubespray's, "" if it is not known. before are addresses in front of the
// cluster.
func (c *Installer) Variables(id lcm.VnfInstanceID, nodes lcm.Nodes, release string, before ...string) map[string]any {
	p := c.Params
	variables := map[string]any{
		"kube_pods_subnet": p.MasterNode.PodCIDR, "kube_service_addresses": p.MasterNode.ServiceCIDR,
		"windlass_vnf_instance": string(id),
	}
	if p.KubernetesVersion != "" {
		variables["kube_version"] = versionIn(release, p.KubernetesVersion)
	}
	if names := append(outside(nodes.With(lcm.ControlPlane)), before...); len(names) > 0 {
		variables["supplementary_addresses_in_ssl_keys"] = names
	}
	if proxy := p.Proxy; proxy != nil {
		variables["additional_no_proxy"] = strings.Trim(proxy.NoProxy+","+proxy.K8sNodeCIDR, ",")
	}
	return variables
}

// withoutV is the first release of kubespray that writes versions of Kubernetes without a v.
var withoutV = semver.MustParse("2.28.0")

// versionIn is a version of Kubernetes as that release of kubespray writes it.
func versionIn(release, version string) string {
	r, err := semver.NewVersion(release)
	if err != nil || r.LessThan(withoutV) {
		return "v" + version
	}
	return version
}

// ReleaseFile is the file of kubespray that names its release.
const ReleaseFile = "galaxy.yml"

var releaseLine = regexp.MustCompile(`(?m)^version: *["']?([^"'\s]+)`)

// ReleaseOf reads kubespray's release out of ReleaseFile; "" if the file does not say.
func ReleaseOf(file []byte) string {
	if m := releaseLine.FindSubmatch(file); m != nil {
		return string(m[1])
	}
	return ""
}

// outside are the external addresses of control planes, for which their certificates must be valid.
func outside(controlPlanes lcm.Nodes) (out []string) {
	for _, node := range controlPlanes {
		if node.SSHAddress != node.Address {
			out = append(out, node.SSHAddress)
		}
	}
	return out
}
