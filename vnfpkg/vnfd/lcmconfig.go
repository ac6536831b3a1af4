package vnfd

import (
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// lcmOperations reads lcm_operations_configuration from the flavour's VNF node, else the default of its type, else from
// the entry definition's VNF node.
func (r *flavourReader) lcmOperations() *descriptor.LcmOperations {
	const name = "lcm_operations_configuration"
	var found *document.Value
	types := []string{}
	for _, topology := range []*document.Value{r.Root, r.Docs[0].At("topology_template")} {
		for _, node := range topology.At("node_templates").Members() {
			if typeName := node.At("type").Str(); r.BuiltinType(typeName) == tosca.TypeVNF {
				found, types = firstMap(found, tosca.ResolveInput(topology, node.At("properties", name))), append(types, typeName)
			}
		}
		types = append(types, topology.At("substitution_mappings", "node_type").Str())
	}
	for _, typeName := range types {
		found = firstMap(found, r.TypeDefault(typeName, name))
	}
	if found == nil {
		return nil
	}
	r.flag(found.At("instantiate"), "target_scale_levels_supported") // of v4.x; no request that is taken can ask for it
	return &descriptor.LcmOperations{
		SeveralSteps:   r.flag(found.At("scale"), "scaling_by_more_than_one_step_supported"),
		AnyLevels:      r.flag(found.At("scale_to_level"), "arbitrary_target_levels_supported"),
		HealCauses:     found.At("heal", "causes").Words(),
		MinTermination: r.seconds(found.At("terminate", "min_graceful_termination_timeout")),
		MinStop:        r.seconds(found.At("operate", "min_graceful_stop_timeout")),
	}
}

func firstMap(a, b *document.Value) *document.Value {
	if a.IsMap() {
		return a
	}
	if b.IsMap() {
		return b
	}
	return nil
}

// flag reads a boolean of a data type. The default is false (SOL001); the result is nil if the data type is absent.
func (r *flavourReader) flag(in *document.Value, name string) *bool {
	if !in.IsMap() {
		return nil
	}
	v := tosca.ResolveInput(r.Root, in.At(name))
	switch strings.ToLower(v.Str()) {
	case "true":
		return new(true)
	case "false", "":
		return new(false)
	}
	r.Problem(v.Place(), "%s is %s, neither true nor false", name, document.Quote(v.Str()))
	return nil
}

// timeUnits are the units of TOSCA's scalar-unit.time.
var timeUnits = map[string]time.Duration{
	"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
	"us": time.Microsecond, "ns": time.Nanosecond,
}

// seconds reads a scalar-unit.time such as "30 s", in whole seconds, rounded up; 0 when nothing is written.
func (r *flavourReader) seconds(v *document.Value) int {
	v = tosca.ResolveInput(r.Root, v)
	if v.IsNull() {
		return 0
	}
	text := strings.TrimSpace(v.Str())
	at := strings.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	number, unit := text, "s" // TOSCA has no bare numbers, but some authors write seconds so
	if at >= 0 {
		number, unit = text[:at], strings.ToLower(strings.TrimSpace(text[at:]))
	}
	n, err := strconv.ParseFloat(number, 64)
	d, known := timeUnits[unit]
	const longest = 365 * 24 * time.Hour
	if err != nil || !known || n < 0 || n*float64(d) > float64(longest) {
		r.Problem(v.Place(), "%s is not a time such as 30 s, one year at most", document.Quote(v.Str()))
		return 0
	}
	return int((time.Duration(n*float64(d)) + time.Second - 1) / time.Second)
}
