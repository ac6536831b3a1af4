package descriptor

import (
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Bitrate is tosca.datatypes.nfv.LinkBitrateRequirements, in bits per second: for the whole virtual link, and for each
// of its leaves.
type Bitrate struct {
	Root int64 `json:"root"`
	Leaf int64 `json:"leaf,omitempty"`
}

// MaxBitrate bounds a bit rate: 1 Tbit/s, so that no sum of deltas overflows.
const MaxBitrate = 1_000_000_000_000

func (b Bitrate) plus(times int, d Bitrate) Bitrate {
	return Bitrate{Root: b.Root + int64(times)*d.Root, Leaf: b.Leaf + int64(times)*d.Leaf}
}

// Larger takes the larger value of each of the two rates.
func (b Bitrate) Larger(o Bitrate) Bitrate {
	return Bitrate{Root: max(b.Root, o.Root), Leaf: max(b.Leaf, o.Leaf)}
}

// Kilo converts a rate to kbit/s, the unit of Neutron's QoS rules, and rounds up.
func Kilo(bits int64) int64 { return (bits + 999) / 1000 }

// Bitrates maps virtual links to their bit rates at an instantiation level ("" is the default one).
// VirtualLinkInstantiationLevels decide. A link without them has its rate from BitratesAt at the level's scale levels.
// The map lacks a link if the VNFD gives it no rate.
func (f *Flavour) Bitrates(levelID string) (map[string]Bitrate, error) {
	level, err := f.Level(levelID)
	if err != nil {
		return nil, err
	}
	rates := f.BitratesAt(level.ScaleLevels)
	maps.Copy(rates, level.Bitrates)
	return rates, nil
}

// BitratesAt maps virtual links to their bit rates when the aspects are at these scale levels: the initial delta plus
// the deltas of the steps. A link without an initial delta has the largest rate of any instantiation level.
func (f *Flavour) BitratesAt(scaleLevels map[string]int) map[string]Bitrate {
	rates := map[string]Bitrate{}
	for _, level := range f.Levels {
		for link, rate := range level.Bitrates {
			rates[link] = rates[link].Larger(rate)
		}
	}
	for _, link := range f.VirtualLinks {
		if link.InitialBitrate == nil {
			continue
		}
		rate := *link.InitialBitrate
		for i := range f.Aspects {
			for delta, times := range f.Aspects[i].steps(scaleLevels[f.Aspects[i].ID]) {
				rate = rate.plus(times, f.Aspects[i].Bitrates[link.ID][delta])
			}
		}
		rates[link.ID] = rate
	}
	return rates
}

// BitratesOf maps virtual links to their bit rates for a VNF at an instantiation level or, if levelID is "", at these
// scale levels.
func (f *Flavour) BitratesOf(levelID string, status []lcm.ScaleInfo) map[string]Bitrate {
	if levelID != "" {
		if rates, err := f.Bitrates(levelID); err == nil {
			return rates
		}
	}
	levels := map[string]int{}
	for _, s := range status {
		levels[s.AspectID] = s.ScaleLevel
	}
	return f.BitratesAt(levels)
}

// RatesDiffer tells whether two maps differ in a bit rate that the templates use.
func (f *Flavour) RatesDiffer(a, b map[string]Bitrate) bool {
	return slices.ContainsFunc(f.VirtualLinks, func(l VirtualLink) bool { return l.Rated && a[l.ID] != b[l.ID] })
}
