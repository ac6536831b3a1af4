package descriptor

import (
	"math"
	"strconv"
	"strings"
)

// Units of sizes, in bytes.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30
)

// sizeUnits are the units of scalar-unit.size. An author who writes "4 GB" of memory or disk means GB as Nova and
// Cinder use it: 4 GiB.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", KiB},
	{"kb", KiB},
	{"mib", MiB},
	{"mb", MiB},
	{"gib", GiB},
	{"gb", GiB},
	{"tib", 1 << 40},
	{"tb", 1 << 40},
	{"b", 1},
}

// SizeOf reads a size with its unit, in bytes; 0 if it is not valid.
func SizeOf(size string) float64 {
	size = strings.ToLower(strings.ReplaceAll(size, " ", ""))
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(size, unit.name)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil && n > 0 && n*unit.bytes < 1<<60 {
			return n * unit.bytes
		}
	}
	return 0
}

// MebibytesOf reads a size in MiB, rounded up, because a size is a minimum.
func MebibytesOf(size string) int { return int(math.Ceil(SizeOf(size) / MiB)) }

// GigabytesOf reads a size in GiB, rounded up.
func GigabytesOf(size string) int { return int(math.Ceil(SizeOf(size) / GiB)) }
