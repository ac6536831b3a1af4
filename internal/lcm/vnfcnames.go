package lcm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// VduVnfcMapping is the member of an instance's metadata that holds the VNFC names of Tacker's clients: a list of names
// for each VDU.
const VduVnfcMapping = "VDU_VNFc_mapping"

// VnfcInfoID is the id of a VNFC in SOL002 (VnfcInfo.id). Where each VNFC is a resource of its own (StandardUserData),
// it is the name that the mapping in the metadata has for the VNFC's place. Otherwise it is the VDU's id, a dash and
// the resource's id. A heal's replacement has the same place, and so the same name.
func (i VnfInstance) VnfcInfoID(v VnfcResourceInfo) string {
	if mapping, ok := i.Metadata[VduVnfcMapping].(map[string]any); ok {
		names, _ := mapping[v.VduID].([]any)
		if at, ok := v.Place(); ok && at < len(names) {
			if name, _ := names[at].(string); name != "" {
				return name
			}
		}
	}
	return v.VduID + "-" + v.ID
}

// Place is the number of the VNFC within its VDU; the name of its resource contains it. ok is false for a member of a
// group.
func (v VnfcResourceInfo) Place() (n int, ok bool) {
	name, _ := v.Metadata["parent_resource_name"].(string)
	digits, ok := strings.CutPrefix(name, v.VduID+"-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// VnfcMappingProblems returns the mistakes in the mapping in an instance's metadata. The mapping maps VDUs to lists of
// names, and no name may occur twice.
func VnfcMappingProblems(metadata map[string]any) (problems []Problem) {
	value, given := metadata[VduVnfcMapping]
	if !given {
		return nil
	}
	const path = "$.metadata." + VduVnfcMapping
	add := func(at, format string, args ...any) {
		problems = append(problems, Problem{Path: at, Detail: fmt.Sprintf(format, args...)})
	}
	mapping, ok := value.(map[string]any)
	if !ok {
		add(path, "must map the ids of VDUs to lists of the names of their VNFCs")
		return problems
	}
	seen := map[string]string{}
	for _, vdu := range slices.Sorted(maps.Keys(mapping)) {
		names, ok := mapping[vdu].([]any)
		if !ok {
			add(path+"."+vdu, "must be a list of the names of its VNFCs")
			continue
		}
		for i, item := range names {
			at := fmt.Sprintf("%s.%s[%d]", path, vdu, i)
			name, isText := item.(string)
			switch {
			case !isText || name == "" || utf8.RuneCountInString(name) > 255:
				add(at, "must be a text of 1 to 255 characters")
			case seen[name] != "":
				add(at, "%q is the name of another VNFC, too (%s)", name, seen[name])
			default:
				seen[name] = at
			}
		}
	}
	return problems
}
