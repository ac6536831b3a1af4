package vnflcm

import (
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// instanceTag grows with every change of the instance.
func instanceTag(inst lcm.VnfInstance) string { return rest.NumberTag(inst.Version) }

// opOccTag also has the state: it changes before the first record of the workflow.
func opOccTag(o lcm.VnfLcmOpOcc) string {
	return `"` + strconv.FormatInt(o.Sequence, 10) + "-" + strings.ToLower(string(o.State)) + `"`
}
