package operations

import (
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Refused is why the VNF instance cannot have the attributes that an INSTANTIATE or a MODIFY_INFO would give it, nil
// when it can: SOL003 clauses 5.4.4.3.1 and 5.4.3.3.4 have such an operation rolled back by itself. Of one that has
// begun it is nil.
func (o *Operation) Refused() *lcm.Error {
	if o.OpOcc.Sequence > 0 {
		return nil
	}
	var problems []lcm.Problem
	switch o.OpOcc.Operation {
	case lcm.OpInstantiate:
		problems = o.Vnfd.Declared.Problems(vnfpkg.Attributes{
			Extensions:             lcm.Merged(o.Instance.Extensions, o.Request.Extensions),
			ConfigurableProperties: lcm.Merged(o.Instance.ConfigurableProperties, o.Request.ConfigurableProperties),
		}, true)
	case lcm.OpModifyInfo:
		problems = o.modifiedProblems()
	case lcm.OpChangeVnfPkg:
		problems = o.Vnfd.Declared.Problems(vnfpkg.Attributes{
			Metadata: o.Instance.Metadata, Extensions: o.Instance.Extensions,
			ConfigurableProperties: o.Instance.ConfigurableProperties,
		}, true)
	default:
	}
	if len(problems) == 0 {
		return nil
	}
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: true,
		Detail: "The VNF instance would have attributes that its VNFD does not allow", Problems: problems,
	}
}

// modifiedProblems are those of the attributes that a modification changes; with another VNFD, of all. What was there
// before, and is not touched, keeps nobody from changing the rest.
func (o *Operation) modifiedProblems() []lcm.Problem {
	request, err := lcm.ParseModify(o.OpOcc.Params)
	if err != nil { // reported already
		return nil
	}
	declared := o.Vnfd.Declared
	if o.Instance.VnfPkgID == o.Former.VnfPkgID {
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
		Metadata: o.Instance.Metadata, Extensions: o.Instance.Extensions,
		ConfigurableProperties: o.Instance.ConfigurableProperties,
	}, o.Instance.Instantiated != nil)
	return append(problems, o.vnfcProblems(request)...)
}

// vnfcProblems are those of the properties of VNFCs as a modification makes them.
func (o *Operation) vnfcProblems(request lcm.ModifyRequest) (problems []lcm.Problem) {
	if o.Flavour == nil {
		return nil
	}
	for i, m := range request.Vnfcs {
		vnfc, _ := o.Former.Vnfc(m.ID)
		if vdu, ok := o.Flavour.Vdu(vnfc.VduID); ok {
			path := fmt.Sprintf("$.vnfcInfoModifications[%d].vnfcConfigurableProperties", i)
			problems = append(problems, vdu.VnfcProblems(path,
				lcm.Merged(vnfc.ConfigurableProperties, m.ConfigurableProperties))...)
		}
	}
	return problems
}
