package lifecycle

import (
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Quota is the room in the cloud that the new VMs of a plan need. The VIM makes a new VM before it deletes the old one.
// Only a heal of the entire VNF deletes first.
type Quota struct {
	Instances int `json:"instances"`
	// Cores and RAM (in MiB) are the VNFD's numbers; the VIM's flavours may differ. They are nil if the VNFD does not
	// give them for all VDUs.
	Cores *int `json:"cores,omitempty"`
	RAM   *int `json:"ramMb,omitempty"`
	// Ports and Volumes are counted as the VNFD describes them.
	Ports   int `json:"ports"`
	Volumes int `json:"volumes"`
}

// Needs is the quota of a plan, nil when the plan makes nothing.
func Needs(p lcm.Plan, f Facts) *Quota {
	q := Quota{Cores: new(0), RAM: new(0)}
	for _, vdu := range makes(p) {
		q.Instances++
		d, ok := f.Flavour.Vdu(vdu)
		if !ok {
			q.Cores, q.RAM = nil, nil
			continue
		}
		q.Cores, q.RAM = sum(q.Cores, d.VirtualCpus), sum(q.RAM, mebibytes(d.VirtualMemory))
		if p.Within { // the VM's parts stay, except those that the plan names
			continue
		}
		q.Volumes += len(d.Storages)
		for _, cp := range f.Flavour.Cps {
			if cp.VduID == vdu && lcm.GivenPort(f.links(), cp.ID) == nil {
				q.Ports++
			}
		}
	}
	if q.Instances == 0 {
		return nil
	}
	q.Volumes, q.Ports = q.Volumes+len(p.LeavingVolumes), q.Ports+len(p.LeavingPorts)
	return &q
}

// makes lists the VDUs of the VMs that a plan makes, once for each VM.
func makes(p lcm.Plan) (vdus []string) {
	if p.Replaces() {
		for _, l := range p.Leaving {
			vdus = append(vdus, l.VduID)
		}
		return vdus
	}
	for _, g := range p.Groups {
		for range g.To - g.From {
			vdus = append(vdus, g.VduID)
		}
	}
	return vdus
}

// sum is nil if one of its parts is unknown.
func sum(have *int, more int) *int {
	if have == nil || more <= 0 {
		return nil
	}
	return new(*have + more)
}

// units are the units of SOL001 sizes, in KiB: an author who writes "4 GB" of memory means 4096 MiB.
var units = []struct {
	name string
	kib  int
}{
	{"kib", 1},
	{"kb", 1},
	{"mib", 1 << 10},
	{"mb", 1 << 10},
	{"gib", 1 << 20},
	{"gb", 1 << 20},
	{"tib", 1 << 30},
	{"tb", 1 << 30},
}

// mebibytes reads a size with its unit; 0 when the unit is missing or unknown.
func mebibytes(size string) int {
	size = strings.ToLower(strings.ReplaceAll(size, " ", ""))
	for _, unit := range units {
		number, ok := strings.CutSuffix(size, unit.name)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil {
			return int(n * float64(unit.kib) / 1024)
		}
	}
	return 0
}
