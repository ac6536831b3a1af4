package cnf

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/windlass-nfv/windlass/vnfpkg"
)

// affinity makes the rules of the VNFD that a VDU is in those of its Pods. All must hold: so SOL001 means them.
func (d *describer) affinity(v vnfpkg.Vdu) *corev1.Affinity {
	var with, without []corev1.PodAffinityTerm
	for _, rule := range d.flavour.AffinityRules {
		topology := rule.Topology()
		if topology == "" || !slices.Contains(rule.Vdus, v.ID) {
			continue
		}
		term := corev1.PodAffinityTerm{TopologyKey: topology, LabelSelector: d.ruled(rule)}
		if rule.Anti {
			without = append(without, term)
		} else {
			with = append(with, term)
		}
	}
	if len(with)+len(without) == 0 {
		return nil
	}
	out := &corev1.Affinity{}
	if len(with) > 0 {
		out.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: with}
	}
	if len(without) > 0 {
		out.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: without}
	}
	return out
}

// ruled finds the Pods of a rule's VDUs.
func (d *describer) ruled(rule vnfpkg.AffinityRule) *metav1.LabelSelector {
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

// strategy lets a Pod go before another one takes its place where no two may be on one node: there may be no other node.
func (d *describer) strategy(v vnfpkg.Vdu) appsv1.DeploymentStrategy {
	apart := slices.ContainsFunc(d.flavour.AffinityRules, func(r vnfpkg.AffinityRule) bool {
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
