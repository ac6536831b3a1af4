package descriptor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Members maps VDUs to the indexes of their VNFCs, in ascending order, if each VNFC is a resource of its own.
type Members map[string][]int

// FirstMembers are the VNFCs of a new VNF: the indexes of each VDU begin with 0.
func FirstMembers(capacity map[string]int) Members {
	out := Members{}
	for vdu, n := range capacity {
		out[vdu] = nil
		for i := range n {
			out[vdu] = append(out[vdu], i)
		}
	}
	return out
}

// MembersOf are the VNFCs of an existing VNF.
func MembersOf(vnfcs []lcm.VnfcResourceInfo) Members {
	out := Members{}
	for _, v := range vnfcs {
		if n, ok := v.Place(); ok {
			out[v.VduID] = append(out[v.VduID], n)
		}
	}
	for _, indexes := range out {
		slices.Sort(indexes)
	}
	return out
}

// Capacity is how many VNFCs each VDU has.
func (m Members) Capacity() map[string]int {
	out := map[string]int{}
	for vdu, indexes := range m {
		out[vdu] = len(indexes)
	}
	return out
}

// Grow adds VNFCs to a VDU, with the lowest free indexes.
func (m Members) Grow(vdu string, by int) {
	for next := 0; by > 0; next++ {
		if !slices.Contains(m[vdu], next) {
			m[vdu] = append(m[vdu], next)
			by--
		}
	}
	slices.Sort(m[vdu])
}

// MemberName is the name of a VNFC's Heat resource.
func MemberName(vdu string, index int) string { return vdu + "-" + strconv.Itoa(index) }

// MemberIndex reads the index from the name of a VNFC's resource; false if the resource is not of that VDU.
func MemberIndex(vdu, name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, vdu+"-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && MemberName(vdu, n) == name
}
