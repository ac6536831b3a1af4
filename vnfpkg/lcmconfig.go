package vnfpkg

import (
	"strconv"
	"strings"
	"time"
)

// lcmOperations reads lcm_operations_configuration from the flavour's VNF node, else the default of its type, else from
// the entry definition's VNF node.
func (r *flavourReader) lcmOperations() *LcmOperations {
	const name = "lcm_operations_configuration"
	var found *value
	types := []string{}
	for _, topology := range []*value{r.root, r.docs[0].at("topology_template")} {
		for _, node := range topology.at("node_templates").members() {
			if typeName := node.at("type").str(); r.builtinType(typeName) == typeVNF {
				found, types = firstMap(found, resolveInput(topology, node.at("properties", name))), append(types, typeName)
			}
		}
		types = append(types, topology.at("substitution_mappings", "node_type").str())
	}
	for _, typeName := range types {
		found = firstMap(found, r.typeDefault(typeName, name))
	}
	if found == nil {
		return nil
	}
	r.flag(found.at("instantiate"), "target_scale_levels_supported") // of v4.x; no request that is taken can ask for it
	return &LcmOperations{
		SeveralSteps:   r.flag(found.at("scale"), "scaling_by_more_than_one_step_supported"),
		AnyLevels:      r.flag(found.at("scale_to_level"), "arbitrary_target_levels_supported"),
		HealCauses:     found.at("heal", "causes").words(),
		MinTermination: r.seconds(found.at("terminate", "min_graceful_termination_timeout")),
		MinStop:        r.seconds(found.at("operate", "min_graceful_stop_timeout")),
	}
}

func firstMap(a, b *value) *value {
	if a.isMap() {
		return a
	}
	if b.isMap() {
		return b
	}
	return nil
}

// flag reads a boolean of a data type. The default is false (SOL001); the result is nil if the data type is absent.
func (r *flavourReader) flag(in *value, name string) *bool {
	if !in.isMap() {
		return nil
	}
	v := resolveInput(r.root, in.at(name))
	switch strings.ToLower(v.str()) {
	case "true":
		return new(true)
	case "false", "":
		return new(false)
	}
	r.problem(v.place(), "%s is %s, neither true nor false", name, quoteName(v.str()))
	return nil
}

// timeUnits are the units of TOSCA's scalar-unit.time.
var timeUnits = map[string]time.Duration{
	"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
	"us": time.Microsecond, "ns": time.Nanosecond,
}

// seconds reads a scalar-unit.time such as "30 s", in whole seconds, rounded up; 0 when nothing is written.
func (r *flavourReader) seconds(v *value) int {
	v = resolveInput(r.root, v)
	if v.isNull() {
		return 0
	}
	text := strings.TrimSpace(v.str())
	at := strings.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	number, unit := text, "s" // TOSCA has no bare numbers, but some authors write seconds so
	if at >= 0 {
		number, unit = text[:at], strings.ToLower(strings.TrimSpace(text[at:]))
	}
	n, err := strconv.ParseFloat(number, 64)
	d, known := timeUnits[unit]
	const longest = 365 * 24 * time.Hour
	if err != nil || !known || n < 0 || n*float64(d) > float64(longest) {
		r.problem(v.place(), "%s is not a time such as 30 s, one year at most", quoteName(v.str()))
		return 0
	}
	return int((time.Duration(n*float64(d)) + time.Second - 1) / time.Second)
}
