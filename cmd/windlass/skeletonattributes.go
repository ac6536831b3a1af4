package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// attributes writes the extensions and the configurable properties of the VNF instance. A request of version 1 has
// none: the instance then begins with the VNFD's.
func (s *skeleton) attributes(v *descriptor.Vnfd) {
	if s.version == 1 {
		return
	}
	s.attributeGroup("extensions", v.Extensions, v.Declared.Extensions)
	s.attributeGroup("vnfConfigurableProperties", v.ConfigurableProperties, v.Declared.ConfigurableProperties)
}

// attributeGroup writes the members that have values in the VNFD, and the members that it only declares. A required
// member without a value must be given.
func (s *skeleton) attributeGroup(name string, values map[string]any, declared map[string]descriptor.Member) {
	names := slices.Sorted(maps.Keys(declared))
	for _, n := range sortedKeys(values) {
		if _, known := declared[n]; !known {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	missing := func(n string) bool { return declared[n].Required && values[n] == nil }
	s.line(0, "# The VNF begins with the values of the VNFD; values here replace them.")
	s.member(0, !slices.ContainsFunc(names, missing), "%s:", name)
	for _, n := range names {
		value := valueText(values[n], declared[n].Type)
		if missing(n) {
			value = fmt.Sprintf("%q", placeholder(n))
		}
		s.member(1, !missing(n), "%s: %s # %s", n, value, aboutAttribute(declared[n]))
	}
}

// kindsOfAttributes are the words for TOSCA's types.
var kindsOfAttributes = map[descriptor.ValueType]string{
	"": "any", descriptor.TypeString: "text", descriptor.TypeInteger: "whole number", descriptor.TypeFloat: "number",
	descriptor.TypeBoolean: "boolean", descriptor.TypeList: "list", descriptor.TypeMap: "map",
	descriptor.TypeObject: "object",
}

func aboutAttribute(m descriptor.Member) string {
	about := kindsOfAttributes[m.Type]
	if m.Required {
		about += "; required"
	}
	if len(m.Members) > 0 {
		about += "; with " + strings.Join(sortedKeys(m.Members), ", ")
	}
	if len(m.ValidValues) > 0 {
		texts := make([]string, len(m.ValidValues))
		for i, v := range m.ValidValues {
			texts[i] = valueText(v, "")
		}
		about += "; one of " + strings.Join(texts, ", ")
	}
	return about
}

// valueText is a value in JSON, which is also YAML. A missing value gives an empty one.
func valueText(value any, of descriptor.ValueType) string {
	if value == nil {
		switch of {
		case descriptor.TypeString:
			return `""`
		case descriptor.TypeBoolean:
			return "false"
		case descriptor.TypeList:
			return "[]"
		case descriptor.TypeMap, descriptor.TypeObject:
			return "{}"
		case descriptor.TypeInteger, descriptor.TypeFloat:
			return "0"
		}
	}
	text, err := json.Marshal(value)
	if err != nil { // values of a VNFD are always JSON values
		return "null"
	}
	return string(text)
}
