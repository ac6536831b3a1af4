package vnfd

import (
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// usualCPU is the target CPU use, in percent, of an autoscaler whose policy names no target.
const usualCPU = 80

// autoscaling reads a policy of Tacker's that lets the cluster decide how many Pods its VDUs have. It ignores VDUs of
// VMs, and VDUs whose Pods manifests or charts describe.
func (r *policyReader) autoscaling(name string, policy *document.Value) {
	var described []*descriptor.Vdu
	for _, id := range r.targetVdus(policy) {
		if vdu, _ := r.flavour.Vdu(id); vdu.Pod != nil && !r.flavour.Charted(id) {
			described = append(described, vdu)
		}
	}
	if len(described) == 0 {
		return
	}
	property := func(name string) *document.Value { return policy.At("properties", name) }
	a := descriptor.Autoscaling{
		Min: max(1, r.Count(property("min_instances"))), Max: r.Count(property("max_instances")), CPU: usualCPU,
	}
	if at := property("target_cpu_utilization_percentage"); !at.IsNull() {
		a.CPU = r.Count(at)
	}
	begins := r.Count(property("default_instances"))
	switch {
	case a.Max < a.Min:
		r.Problem(policy.Place(), "the policy %s needs max_instances, not less than min_instances", name)
	case a.CPU == 0:
		r.Problem(policy.Place(), "the target_cpu_utilization_percentage of the policy %s must be a number above 0",
			name)
	case begins > 0 && (begins < a.Min || begins > a.Max):
		r.Problem(policy.Place(), "the default_instances of the policy %s must be between min_instances and "+
			"max_instances", name)
	}
	for _, vdu := range described {
		if vdu.Pod.Autoscaling != nil {
			r.Problem(policy.Place(), "the policy %s scales the VDU %s, but another policy scales it, too",
				name, vdu.ID)
		}
		vdu.Autoscale(a, begins)
	}
}

// checkAutoscaling warns of containers without a CPU request: no autoscaler can measure their CPU use.
func (r *policyReader) checkAutoscaling() {
	for _, v := range r.flavour.Described() {
		if v.Pod.Autoscaling == nil {
			continue
		}
		for _, c := range v.Pod.Containers {
			if c.Requests[descriptor.ResourceCPU] == "" && c.Limits[descriptor.ResourceCPU] == "" {
				r.Warn(r.Nodes.At(v.ID).Place(), "the VDU %s is scaled by its CPU use, but its container %s "+
					"requests no CPU: the cluster will not scale it", v.ID, c.Name)
			}
		}
	}
}
