package requests

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// changeVnfPkg is SOL003 v3.3.1 clause 5.5.2.11a.
type changeVnfPkg struct {
	params.Noted
	VnfdID                    string         `json:"vnfdId" param:"required"`
	AdditionalParams          map[string]any `json:"additionalParams"`
	Extensions                map[string]any `json:"extensions"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
}

func (r *changeVnfPkg) problems() []lcm.Problem {
	problems := notNull(r.Noted, "vnfdId")
	for _, member := range []string{"extVirtualLinks", "extManagedVirtualLinks", "vimConnectionInfo"} {
		if r.Has(member) {
			problems = append(problems, lcm.Problem{Path: "$." + member, Detail: "a VNF of containers has its links in its " +
				"manifests, and stays on its VIM: leave it out"})
		}
	}
	return problems
}

func (r *changeVnfPkg) reading() Reading {
	var times patience
	lcm.Tackers.Read("$.additionalParams", paramsIn(r.Noted), &times) // package cnf reports their mistakes
	return Reading{Request: lcm.ChangeVnfPkgRequest{
		VnfdID: lcm.VnfdID(r.VnfdID), AdditionalParams: paramsIn(r.Noted),
		Extensions:             patchMap(r.Noted, "extensions", r.Extensions),
		ConfigurableProperties: patchMap(r.Noted, "vnfConfigurableProperties", r.VnfConfigurableProperties),
		Waits:                  times.waits(),
	}}
}
