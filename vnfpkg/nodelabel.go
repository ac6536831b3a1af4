package vnfpkg

import (
	"slices"
	"strings"
)

// NodeLabel is one that nodes have on which Pods may be.
type NodeLabel struct {
	Key string `json:"key"`
	// Value is that of the label, "" for any.
	Value string `json:"value,omitempty"`
	// Preferred is set where a node without the label does, too.
	Preferred bool `json:"preferred,omitempty"`
}

// nodeLabels reads which nodes a VDU of containers may be on: what is said of its logical node (SOL001:
// LogicalNodeData), which further capabilities it or one of its containers requests (RequestedAdditionalCapability),
// and the property node_selector of derived types. A cluster tells its nodes apart by labels: what is no label of one
// is not looked at.
func (r *flavourReader) nodeLabels(name string, node *value) (out []NodeLabel) {
	add := func(at *value, l NodeLabel) {
		same := func(o NodeLabel) bool { return o.Key == l.Key && o.Preferred == l.Preferred }
		switch i := slices.IndexFunc(out, same); {
		case i >= 0 && out[i].Value != "" && l.Value != "" && out[i].Value != l.Value:
			r.rep.problem(at.place(), "the VDU %s wants nodes whose label %s is %s, and %s at the same time", name, l.Key,
				quoteName(out[i].Value), quoteName(l.Value))
		case i >= 0:
			out[i].Value = first(out[i].Value, l.Value)
		case r.room("labels of nodes", len(out), at):
			out = append(out, l)
		}
	}
	for key, item := range r.property(node, "node_selector").members() {
		if !r.nodeLabel(key, item, add) {
			r.rep.problem(item.place(), "the node_selector %s is no label of nodes with its value", quoteName(key))
		}
	}
	for _, data := range r.property(node, "logical_node").members() {
		for key, item := range data.at("logical_node_requirements").members() {
			if !r.nodeLabel(key, item, add) {
				r.rep.warn(item.place(), "the logical_node_requirements of the VDU %s have %s, which is no label of nodes with its "+
					"value: it is not looked at", name, quoteName(key))
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

// nodeLabel adds the label of a key, and tells whether it is one.
func (r *flavourReader) nodeLabel(key string, item *value, add func(*value, NodeLabel)) bool {
	text := r.word(item)
	if !labelKey.MatchString(key) || !labelValue.MatchString(text) {
		return false
	}
	add(item, NodeLabel{Key: key, Value: text})
	return true
}

// capabilities are labels where they are called as labels with a domain are, as node feature discovery has them. Their
// target_performance_parameters are labels, too, which have these values.
func (r *flavourReader) capabilities(name string, node *value, add func(*value, NodeLabel)) {
	for _, item := range r.property(node, "requested_additional_capabilities").members() {
		key := r.word(item.at("requested_additional_capability_name"))
		if !strings.Contains(key, "/") || !labelKey.MatchString(key) {
			r.rep.warn(item.place(), "the VDU %s requests the capability %s, which is no label of nodes with a domain, as "+
				"feature.node.kubernetes.io/cpu-cpuid.AVX2: it is not looked at", name, quoteName(key))
			continue
		}
		optional := r.word(item.at("support_mandatory")) == "false"
		add(item, NodeLabel{Key: key, Preferred: optional})
		for key, v := range item.at("target_performance_parameters").members() {
			if text := r.word(v); labelKey.MatchString(key) && labelValue.MatchString(text) && text != "" {
				add(v, NodeLabel{Key: key, Value: text, Preferred: optional})
			} else {
				r.rep.warn(v.place(), "the target_performance_parameters have %s, which is no label of nodes with its value: it is "+
					"not looked at", quoteName(key))
			}
		}
	}
}

// constraints are those that the workload of a VDU gets (SOL001: mcio_constraint_params). The local ones are among its
// own Pods, and say all; the others need a policy that names the VDU, or a label of nodes.
func (r *flavourReader) constraints(name string, node *value) {
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
		if scope == "zoneGroup" { // as SOL001 v4.4.1 has one of them
			scope = "zone_group"
		}
		if rule.Scope = scope; !known || rule.Topology() == "" && scope != "nfvi_pop" {
			r.rep.problem(item.place(), "the constraint %s of the VDU %s is none of SOL001", quoteName(text), name)
			continue
		}
		if r.room("affinity rules", len(r.flavour.AffinityRules), item) {
			r.flavour.AffinityRules = append(r.flavour.AffinityRules, rule)
		}
	}
}

// constraint is one that something else has to say more of.
type constraint struct {
	vdu, text string
	at        *value
}

// checkConstraints warns of constraints of which nothing says more.
func (r *flavourReader) checkConstraints() {
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
			r.rep.warn(c.at.place(), "the constraint %s of the VDU %s is of no policy of the VNFD: it is not looked at",
				quoteName(c.text), c.vdu)
		default:
			r.rep.warn(c.at.place(), "the constraint %s of the VDU %s is not looked at: which label of nodes it means, "+
				"logical_node_requirements may say", quoteName(c.text), c.vdu)
		}
	}
}
