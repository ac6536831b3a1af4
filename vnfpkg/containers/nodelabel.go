package containers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// nodeLabels reads which nodes a VDU of containers may run on. The sources are its logical node (SOL001:
// LogicalNodeData), the additional capabilities that it or its containers request (RequestedAdditionalCapability), and
// the property node_selector of derived types. A cluster selects nodes by labels only, so anything that is no label is
// ignored.
func (r *Reader) nodeLabels(name string, node *document.Value) (out []descriptor.NodeLabel) {
	add := func(at *document.Value, l descriptor.NodeLabel) {
		same := func(o descriptor.NodeLabel) bool { return o.Key == l.Key && o.Preferred == l.Preferred }
		switch i := slices.IndexFunc(out, same); {
		case i >= 0 && out[i].Value != "" && l.Value != "" && out[i].Value != l.Value:
			r.Problem(at.Place(), "the VDU %s requires two values of the node label %s at the same time: %s and %s",
				name, l.Key, document.Quote(out[i].Value), document.Quote(l.Value))
		case i >= 0:
			out[i].Value = cmp.Or(out[i].Value, l.Value)
		case r.Room("labels of nodes", len(out), at):
			out = append(out, l)
		}
	}
	for key, item := range r.Property(node, "node_selector").Members() {
		if !r.nodeLabel(key, item, add) {
			r.Problem(item.Place(), "the node_selector %s is not a valid node label with a value", document.Quote(key))
		}
	}
	for _, data := range r.Property(node, "logical_node").Members() {
		for key, item := range data.At("logical_node_requirements").Members() {
			if !r.nodeLabel(key, item, add) {
				r.Warn(item.Place(), "the logical_node_requirements of the VDU %s have %s, which is not a valid "+
					"node label with a value: Windlass ignores it", name, document.Quote(key))
			}
		}
	}
	r.capabilities(name, node, add)
	for _, req := range r.Requirements(node) {
		if req.Name == "container" {
			r.capabilities(name, r.Nodes.At(req.Target), add)
		}
	}
	return out
}

// nodeLabel adds the label of a key, and tells whether the key is a valid label.
func (r *Reader) nodeLabel(key string, item *document.Value, add func(*document.Value, descriptor.NodeLabel)) bool {
	text := r.word(item)
	if !labelKey.MatchString(key) || !labelValue.MatchString(text) {
		return false
	}
	add(item, descriptor.NodeLabel{Key: key, Value: text})
	return true
}

// capabilities reads capabilities as labels if their names are labels with a domain, as node feature discovery sets
// them. Their target_performance_parameters are labels, too, with values.
func (r *Reader) capabilities(name string, node *document.Value, add func(*document.Value, descriptor.NodeLabel)) {
	for _, item := range r.Property(node, "requested_additional_capabilities").Members() {
		key := r.word(item.At("requested_additional_capability_name"))
		if !strings.Contains(key, "/") || !labelKey.MatchString(key) {
			r.Warn(item.Place(), "the VDU %s requests the capability %s, which is not a node label with a domain, "+
				"such as feature.node.kubernetes.io/cpu-cpuid.AVX2: Windlass ignores it", name, document.Quote(key))
			continue
		}
		optional := r.word(item.At("support_mandatory")) == "false"
		add(item, descriptor.NodeLabel{Key: key, Preferred: optional})
		for key, v := range item.At("target_performance_parameters").Members() {
			if text := r.word(v); labelKey.MatchString(key) && labelValue.MatchString(text) && text != "" {
				add(v, descriptor.NodeLabel{Key: key, Value: text, Preferred: optional})
			} else {
				r.Warn(v.Place(), "the target_performance_parameters have %s, which is not a valid node label "+
					"with a value: Windlass ignores it", document.Quote(key))
			}
		}
	}
}

// constraints are the placement constraints of a VDU's workload (SOL001: mcio_constraint_params). Local constraints
// concern only the VDU's own Pods and are complete. The others need a policy that names the VDU, or a node label.
func (r *Reader) constraints(name string, node *document.Value) {
	for _, item := range r.Property(node, "mcio_constraint_params").List() {
		text := r.word(item)
		if !strings.HasPrefix(text, "local_") {
			r.named = append(r.named, constraint{vdu: name, text: text, at: item})
			continue
		}
		rule := descriptor.AffinityRule{ID: name + " " + text, Vdus: []string{name}}
		scope := strings.TrimPrefix(text, "local_")
		scope, rule.Anti = strings.CutPrefix(scope, "anti_")
		scope, known := strings.CutPrefix(scope, "affinity_")
		if scope == "zoneGroup" { // SOL001 v4.4.1 writes one of them so
			scope = "zone_group"
		}
		if rule.Scope = scope; !known || rule.Topology() == "" && scope != "nfvi_pop" {
			r.Problem(item.Place(), "SOL001 does not define the constraint %s of the VDU %s", document.Quote(text), name)
			continue
		}
		if r.Room("affinity rules", len(r.flavour.AffinityRules), item) {
			r.flavour.AffinityRules = append(r.flavour.AffinityRules, rule)
		}
	}
}

// constraint is a constraint that needs a policy or a node label to be complete.
type constraint struct {
	vdu, text string
	at        *document.Value
}

// CheckConstraints warns of constraints that no policy and no node label completes.
func (r *Reader) CheckConstraints() {
	for _, c := range r.named {
		scope, anti := strings.CutPrefix(c.text, "anti_")
		scope, placed := strings.CutPrefix(scope, "affinity_")
		ruled := slices.ContainsFunc(r.flavour.AffinityRules, func(a descriptor.AffinityRule) bool {
			return placed && a.Anti == anti && a.Scope == scope && slices.Contains(a.Vdus, c.vdu)
		})
		vdu, _ := r.flavour.Vdu(c.vdu)
		labelled := !placed && vdu != nil && vdu.Pod != nil && len(vdu.Pod.Nodes) > 0
		switch {
		case ruled || labelled:
		case placed:
			r.Warn(c.at.Place(), "the constraint %s of the VDU %s belongs to no policy of the VNFD: Windlass "+
				"ignores it", document.Quote(c.text), c.vdu)
		default:
			r.Warn(c.at.Place(), "Windlass ignores the constraint %s of the VDU %s: name its node label in "+
				"logical_node_requirements", document.Quote(c.text), c.vdu)
		}
	}
}
