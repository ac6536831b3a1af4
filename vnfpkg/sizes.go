package vnfpkg

import (
	"math"
	"strconv"
	"strings"
)

// Units of sizes, in bytes.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// sizeUnits are the units of scalar-unit.size. An author who writes "4 GB" of memory or disk means GB as Nova and
// Cinder use it: 4 GiB.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", kib},
	{"kb", kib},
	{"mib", mib},
	{"mb", mib},
	{"gib", gib},
	{"gb", gib},
	{"tib", 1 << 40},
	{"tb", 1 << 40},
	{"b", 1},
}

// sizeOf reads a size with its unit, in bytes; 0 if it is not valid.
func sizeOf(size string) float64 {
	size = strings.ToLower(strings.ReplaceAll(size, " ", ""))
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(size, unit.name)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil && n > 0 && n*unit.bytes < 1<<60 {
			return n * unit.bytes
		}
	}
	return 0
}

// Rounded up, because a size is a minimum.
func mebibytesOf(size string) int { return int(math.Ceil(sizeOf(size) / mib)) }

func gigabytesOf(size string) int { return int(math.Ceil(sizeOf(size) / gib)) }
