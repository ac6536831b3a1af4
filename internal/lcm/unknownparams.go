package lcm

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknownParams finds the members of the cluster's parameters that nobody reads: misspelt ones would otherwise
// be ignored in silence.
func unknownParams(additionalParams json.RawMessage) []Problem {
	var outer map[string]json.RawMessage
	if json.Unmarshal(additionalParams, &outer) != nil {
		return nil // said elsewhere
	}
	return unknownMembers(clusterParamsPath, outer[ClusterParamsKey], reflect.TypeFor[ClusterParams]())
}

func unknownMembers(path string, doc json.RawMessage, t reflect.Type) []Problem {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		return unknownItems(path, doc, t.Elem())
	}
	var members map[string]json.RawMessage
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Secret]() || json.Unmarshal(doc, &members) != nil {
		return nil
	}
	known := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member, ok := known[name]; ok {
			problems = append(problems, unknownMembers(path+"."+name, members[name], member)...)
			continue
		}
		problems = append(problems, Problem{path + "." + name, "is not a parameter that Windlass knows: correct its name, or leave it out."})
	}
	return problems
}

// unknownItems is unknownMembers of each object in a list.
func unknownItems(path string, doc json.RawMessage, item reflect.Type) (problems []Problem) {
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil {
		return nil
	}
	for i, doc := range list {
		problems = append(problems, unknownMembers(fmt.Sprintf("%s[%d]", path, i), doc, item)...)
	}
	return problems
}
