package operations

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestLevels_areThePlansWhenThereIsOne(t *testing.T) {
	flavour := &descriptor.Flavour{
		DefaultLevel: "small", Levels: []descriptor.Level{{ID: "small"}},
		Aspects: []descriptor.ScalingAspect{{ID: "workers"}},
	}
	j := &Operation{Flavour: flavour}
	level, status := j.Levels()
	assert.Equal(t, "small", level)
	assert.Equal(t, []lcm.ScaleInfo{{AspectID: "workers"}}, status)

	j.OpOcc.Plan = &lcm.Plan{ScaleStatus: []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: 2}}}
	level, status = j.Levels()
	assert.Empty(t, level)
	assert.Equal(t, 2, status[0].ScaleLevel)
}
