package cnf

import (
	"encoding/json"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// named tells whether the request names manifests or charts. If it does not, the VNFD decides.
func (p Params) named() bool { return len(p.Files) > 0 || p.hasCharts() || p.UseHelm }

// describe makes manifests from the VNFD's descriptions of containers, and finds the VNFD's charts for the other VDUs.
func (v *VNF) describe(f *descriptor.Flavour, additionalParams json.RawMessage, id lcm.VnfInstanceID) []chart {
	described := len(f.Described()) > 0
	switch {
	case !described && len(f.Charts) == 0:
		v.tell(filesPath, "is missing: it names the files of manifests in the VNF package. Windlass cannot make "+
			"manifests itself, because the VNFD describes no containers in the flavour %s.", f.ID)
		return nil
	case described && len(v.Params.VduMapping) > 0:
		v.tell(mappingPath, "is about manifests and charts, but the request names none: the VNFD describes the VDUs.")
	case len(f.Charts) != 1 && len(v.Params.Parameters) > 0:
		v.tell(parametersPath, "are values of a chart, and the flavour %s has %d of them: name charts in "+
			"using_helm_install_param.", f.ID, len(f.Charts))
	}
	var wrong []lcm.Problem
	v.Manifests.Objects, v.described, wrong = Describe(f, id, additionalParams)
	v.Wrong = append(v.Wrong, wrong...)
	return v.Params.chartsOf(f, id)
}

// tell adds a problem, unless there is one at that path already.
func (v *VNF) tell(path, format string, args ...any) {
	v.Wrong = params.Join(v.Wrong, []lcm.Problem{{Path: path, Detail: fmt.Sprintf(format, args...)}})
}

// chartsOf are the charts of the VNFD. If there is only one, it gets the values of the request.
func (p Params) chartsOf(f *descriptor.Flavour, id lcm.VnfInstanceID) (out []chart) {
	for i, of := range f.Charts {
		c := chart{file: of.File, release: ReleaseName(id), values: map[string]any{}, at: paramsPath}
		if i > 0 {
			c.release += fmt.Sprintf("-%d", i+1)
		}
		if len(f.Charts) == 1 {
			for _, key := range sortedKeys(p.Parameters) {
				_ = setAny(c.values, key, p.Parameters[key]) // ReadParams reports a wrong value
			}
		}
		out = append(out, c)
	}
	return out
}
