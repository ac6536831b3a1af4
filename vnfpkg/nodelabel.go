package vnfpkg

import (
	"cmp"
	"slices"
	"strings"
)

// nodeLabels reads which nodes a VDU of containers may run on. The sources are its logical node (SOL001:
// LogicalNodeData), the additional capabilities that it or its containers request (RequestedAdditionalCapability), and
// the property node_selector of derived types. A cluster selects nodes by labels only, so anything that is no label is
// ignored.
func (r *containerReader) nodeLabels(name string, node *value) (out []NodeLabel) {
	add := func(at *value, l NodeLabel) {
		same := func(o NodeLabel) bool { return o.Key == l.Key && o.Preferred == l.Preferred }
		switch i := slices.IndexFunc(out, same); {
		case i >= 0 && out[i].Value != "" && l.Value != "" && out[i].Value != l.Value:
			r.problem(at.place(), "the VDU %s requires two values of the node label %s at the same time: %s and %s",
				name, l.Key, quoteName(out[i].Value), quoteName(l.Value))
		case i >= 0:
			out[i].Value = cmp.Or(out[i].Value, l.Value)
		case r.room("labels of nodes", len(out), at):
			out = append(out, l)
		}
	}
	for key, item := range r.property(node, "node_selector").members() {
		if !r.nodeLabel(key, item, add) {
			r.problem(item.place(), "the node_selector %s is not a valid node label with a value", quoteName(key))
		}
	}
	for _, data := range r.property(node, "logical_node").members() {
		for key, item := range data.at("logical_node_requirements").members() {
			if !r.nodeLabel(key, item, add) {
				r.warn(item.place(), "the logical_node_requirements of the VDU %s have %s, which is not a valid "+
					"node label with a value: Windlass ignores it", name, quoteName(key))
			}
		}
	}
	r.capabilities(name, node, add)
	for _, req := range r.requirements(node) {
		if req.name == "container" {
			r.capabilities(name, r.nodes.at(req.target), add)
		}
	}
	return out
}

// nodeLabel adds the label of a key, and tells whether the key is a valid label.
func (r *containerReader) nodeLabel(key string, item *value, add func(*value, NodeLabel)) bool {
	text := r.word(item)
	if !labelKey.MatchString(key) || !labelValue.MatchString(text) {
		return false
	}
	add(item, NodeLabel{Key: key, Value: text})
	return true
}

// capabilities reads capabilities as labels if their names are labels with a domain, as node feature discovery sets
// them. Their target_performance_parameters are labels, too, with values.
func (r *containerReader) capabilities(name string, node *value, add func(*value, NodeLabel)) {
	for _, item := range r.property(node, "requested_additional_capabilities").members() {
		key := r.word(item.at("requested_additional_capability_name"))
		if !strings.Contains(key, "/") || !labelKey.MatchString(key) {
			r.warn(item.place(), "the VDU %s requests the capability %s, which is not a node label with a domain, "+
				"such as feature.node.kubernetes.io/cpu-cpuid.AVX2: Windlass ignores it", name, quoteName(key))
			continue
		}
		optional := r.word(item.at("support_mandatory")) == "false"
		add(item, NodeLabel{Key: key, Preferred: optional})
		for key, v := range item.at("target_performance_parameters").members() {
			if text := r.word(v); labelKey.MatchString(key) && labelValue.MatchString(text) && text != "" {
				add(v, NodeLabel{Key: key, Value: text, Preferred: optional})
			} else {
				r.warn(v.place(), "the target_performance_parameters have %s, which is not a valid node label "+
					"with a value: Windlass ignores it", quoteName(key))
			}
		}
	}
}

// constraints are the placement constraints of a VDU's workload (SOL001: mcio_constraint_params). Local constraints
// concern only the VDU's own Pods and are complete. The others need a policy that names the VDU, or a node label.
func (r *containerReader) constraints(name string, node *value) {
	for _, item := range r.property(node, "mcio_constraint_params").list() {
		text := r.word(item)
		if !strings.HasPrefix(text, "local_") {
			r.named = append(r.named, constraint{vdu: name, text: text, at: item})
			continue
		}
		rule := AffinityRule{ID: name + " " + text, Vdus: []string{name}}
		scope := strings.TrimPrefix(text, "local_")
		scope, rule.Anti = strings.CutPrefix(scope, "anti_")
		scope, known := strings.CutPrefix(scope, "affinity_")
		if scope == "zoneGroup" { // SOL001 v4.4.1 writes one of them so
			scope = "zone_group"
		}
		if rule.Scope = scope; !known || rule.Topology() == "" && scope != "nfvi_pop" {
			r.problem(item.place(), "SOL001 does not define the constraint %s of the VDU %s", quoteName(text), name)
			continue
		}
		if r.room("affinity rules", len(r.flavour.AffinityRules), item) {
			r.flavour.AffinityRules = append(r.flavour.AffinityRules, rule)
		}
	}
}

// constraint is a constraint that needs a policy or a node label to be complete.
type constraint struct {
	vdu, text string
	at        *value
}

// checkConstraints warns of constraints that no policy and no node label completes.
func (r *containerReader) checkConstraints() {
	for _, c := range r.named {
		scope, anti := strings.CutPrefix(c.text, "anti_")
		scope, placed := strings.CutPrefix(scope, "affinity_")
		ruled := slices.ContainsFunc(r.flavour.AffinityRules, func(a AffinityRule) bool {
			return placed && a.Anti == anti && a.Scope == scope && slices.Contains(a.Vdus, c.vdu)
		})
		vdu, _ := r.flavour.Vdu(c.vdu)
		labelled := !placed && vdu != nil && vdu.Pod != nil && len(vdu.Pod.Nodes) > 0
		switch {
		case ruled || labelled:
		case placed:
			r.warn(c.at.place(), "the constraint %s of the VDU %s belongs to no policy of the VNFD: Windlass "+
				"ignores it", quoteName(c.text), c.vdu)
		default:
			r.warn(c.at.place(), "Windlass ignores the constraint %s of the VDU %s: name its node label in "+
				"logical_node_requirements", quoteName(c.text), c.vdu)
		}
	}
}
