package worker

import (
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// refused is why the VNF instance cannot have the attributes that an INSTANTIATE or a MODIFY_INFO would give it, nil when it can: SOL003
// clauses 5.4.4.3.1 and 5.4.3.3.4 have such an operation rolled back by itself. Of one that has begun it is nil.
func (j *job) refused() *lcm.Error {
	if j.opOcc.Sequence > 0 {
		return nil
	}
	var problems []lcm.Problem
	switch j.opOcc.Operation {
	case lcm.OpInstantiate:
		problems = j.vnfd.Declared.Problems(vnfpkg.Attributes{
			Extensions:             lcm.Merged(j.inst.Extensions, j.request.Extensions),
			ConfigurableProperties: lcm.Merged(j.inst.ConfigurableProperties, j.request.ConfigurableProperties),
		}, true)
	case lcm.OpModifyInfo:
		problems = j.modifiedProblems()
	default:
	}
	if len(problems) == 0 {
		return nil
	}
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: true, Detail: "The VNF instance would have attributes that its VNFD does not allow", Problems: problems,
	}
}

// modifiedProblems are those of the attributes that a modification changes; with another VNFD, of all. What was there before, and is not
// touched, keeps nobody from changing the rest.
func (j *job) modifiedProblems() []lcm.Problem {
	request, err := lcm.ParseModify(j.opOcc.Params)
	if err != nil { // told already
		return nil
	}
	declared := j.vnfd.Declared
	if j.inst.VnfPkgID == j.former.VnfPkgID {
		if !request.Metadata.Given {
			declared.Metadata = nil
		}
		if !request.Extensions.Given {
			declared.Extensions = nil
		}
		if !request.ConfigurableProperties.Given {
			declared.ConfigurableProperties = nil
		}
	}
	problems := declared.Problems(vnfpkg.Attributes{
		Metadata: j.inst.Metadata, Extensions: j.inst.Extensions, ConfigurableProperties: j.inst.ConfigurableProperties,
	}, j.inst.Instantiated != nil)
	return append(problems, j.vnfcProblems(request)...)
}

// vnfcProblems are those of the properties of VNFCs as a modification makes them.
func (j *job) vnfcProblems(request lcm.ModifyRequest) (problems []lcm.Problem) {
	if j.flavour == nil {
		return nil
	}
	for i, m := range request.Vnfcs {
		vnfc, _ := j.former.Vnfc(m.ID)
		if vdu, ok := j.flavour.Vdu(vnfc.VduID); ok {
			path := fmt.Sprintf("$.vnfcInfoModifications[%d].vnfcConfigurableProperties", i)
			problems = append(problems, vdu.VnfcProblems(path, lcm.Merged(vnfc.ConfigurableProperties, m.ConfigurableProperties))...)
		}
	}
	return problems
}
