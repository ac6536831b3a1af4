package descriptor

import (
	"cmp"
	"regexp"
	"strings"
)

// nameSuffix ends the names of a VNF's objects, so that several VNFs of one package can share a namespace.
func nameSuffix(vnf string) string { return "-" + ClusterName(vnf[:min(len(vnf), 8)], 8) }

// WorkloadName is the name of a VDU's workload in a VNF.
func (v Vdu) WorkloadName(vnf string) string {
	if v.Pod != nil && v.Pod.Name != "" {
		return v.Pod.Name
	}
	suffix := nameSuffix(vnf)
	return ClusterName(v.ID, MaxLabel-len(suffix)) + suffix
}

// ConfigName is the name of a container's ConfigMap in a VNF.
func (v Vdu) ConfigName(c Container, vnf string) string { return v.WorkloadName(vnf) + "-" + c.Name }

// ServiceName is the name of a Service in a VNF. A Service of a VDU's own ports has the name of the VDU's workload.
func (f *Flavour) ServiceName(s Service, vnf string) string {
	if s.Name != "" {
		return s.Name
	}
	if v, ok := f.Vdu(s.ID); ok {
		return v.WorkloadName(vnf)
	}
	suffix := nameSuffix(vnf)
	return ClusterName(s.ID, MaxLabel-len(suffix)) + suffix
}

// topologies maps the scopes of affinity rules to node labels.
var topologies = map[string]string{
	"nfvi_node": "kubernetes.io/hostname", "cis_node": "kubernetes.io/hostname", "zone": "topology.kubernetes.io/zone",
	"zone_group": "topology.kubernetes.io/region",
}

// Topology is the node label for the scope of the rule, "" if there is no such label.
func (r AffinityRule) Topology() string { return topologies[r.Scope] }

var noLabel = regexp.MustCompile(`[^a-z0-9]+`)

// MaxLabel is the largest length of an RFC 1123 label: the names of containers, workloads and Services.
const MaxLabel = 63

// ClusterName turns a name of the VNFD into a valid name of a Kubernetes object: lower-case letters, digits and dashes,
// at most `most` characters.
func ClusterName(name string, most int) string {
	out := strings.Trim(noLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if len(out) > most {
		out = strings.Trim(out[:most], "-")
	}
	return cmp.Or(out, "x")
}
