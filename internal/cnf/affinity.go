package cnf

import (
	"iter"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// affinity turns the affinity rules of a VDU into Pod affinity. SOL001 requires all rules to hold. spread handles the
// rules for different zones.
func (d *describer) affinity(v descriptor.Vdu) *corev1.Affinity {
	out := corev1.Affinity{NodeAffinity: nodeAffinity(v)}
	for rule := range d.rulesOf(v) {
		term := corev1.PodAffinityTerm{TopologyKey: rule.Topology(), LabelSelector: d.ruled(rule)}
		switch {
		case rule.Anti && spreads(rule):
		case rule.Anti && out.PodAntiAffinity == nil:
			out.PodAntiAffinity = &corev1.PodAntiAffinity{}
			fallthrough
		case rule.Anti:
			terms := &out.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
			*terms = append(*terms, term)
		case out.PodAffinity == nil:
			out.PodAffinity = &corev1.PodAffinity{}
			fallthrough
		default:
			terms := &out.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
			*terms = append(*terms, term)
		}
	}
	if out == (corev1.Affinity{}) {
		return nil
	}
	return &out
}

// rulesOf are the rules of a VDU whose scope has a node label.
func (d *describer) rulesOf(v descriptor.Vdu) iter.Seq[descriptor.AffinityRule] {
	return func(yield func(descriptor.AffinityRule) bool) {
		for _, rule := range d.flavour.AffinityRules {
			if rule.Topology() != "" && slices.Contains(rule.Vdus, v.ID) && !yield(rule) {
				return
			}
		}
	}
}

// spreads tells whether a rule's scope is larger than a node. There may be fewer zones than Pods, so the Pods are
// spread evenly over them; required anti-affinity would leave the last Pods Pending.
func spreads(rule descriptor.AffinityRule) bool { return rule.Topology() != corev1.LabelHostname }

// spread turns rules for different zones or groups of zones into topology spread constraints.
func (d *describer) spread(v descriptor.Vdu) (out []corev1.TopologySpreadConstraint) {
	for rule := range d.rulesOf(v) {
		if rule.Anti && spreads(rule) {
			out = append(out, corev1.TopologySpreadConstraint{
				MaxSkew: 1, TopologyKey: rule.Topology(), WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: d.ruled(rule),
			})
		}
	}
	return out
}

// nodeSelector has the labels that nodes must have, with their values.
func nodeSelector(v descriptor.Vdu) map[string]string {
	out := map[string]string{}
	for _, l := range v.Pod.Nodes {
		if l.Value != "" && !l.Preferred {
			out[l.Key] = l.Value
		}
	}
	return out
}

// nodeAffinity has the labels that nodes must have with any value, and the preferred labels.
func nodeAffinity(v descriptor.Vdu) *corev1.NodeAffinity {
	out := &corev1.NodeAffinity{}
	var required []corev1.NodeSelectorRequirement
	for _, l := range v.Pod.Nodes {
		wanted := corev1.NodeSelectorRequirement{Key: l.Key, Operator: corev1.NodeSelectorOpExists}
		if l.Value != "" {
			wanted.Operator, wanted.Values = corev1.NodeSelectorOpIn, []string{l.Value}
		}
		switch {
		case l.Preferred:
			out.PreferredDuringSchedulingIgnoredDuringExecution = append(out.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.PreferredSchedulingTerm{Weight: 1, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{wanted},
				}})
		case l.Value == "":
			required = append(required, wanted)
		}
	}
	if len(required) > 0 {
		out.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: required}},
		}
	}
	if required == nil && out.PreferredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return out
}

// ruled selects the Pods of a rule's VDUs.
func (d *describer) ruled(rule descriptor.AffinityRule) *metav1.LabelSelector {
	var names []string
	for _, v := range d.vdus {
		if slices.Contains(rule.Vdus, v.ID) {
			names = append(names, v.WorkloadName(d.id))
		}
	}
	return &metav1.LabelSelector{
		MatchLabels:      map[string]string{vnfLabel: d.id},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: workloadLabel, Operator: metav1.LabelSelectorOpIn, Values: names}},
	}
}

// strategy lets a Deployment remove a Pod before it makes the replacement, if no two Pods may share a node: there may
// be no other node.
func (d *describer) strategy(v descriptor.Vdu) appsv1.DeploymentStrategy {
	apart := slices.ContainsFunc(d.flavour.AffinityRules, func(r descriptor.AffinityRule) bool {
		return r.Anti && r.Topology() != "" && slices.Contains(r.Vdus, v.ID)
	})
	if !apart {
		return appsv1.DeploymentStrategy{}
	}
	none, one := intstr.FromInt32(0), intstr.FromInt32(1)
	return appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &none, MaxUnavailable: &one},
	}
}
