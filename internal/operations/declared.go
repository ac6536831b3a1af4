package operations

import (
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Refused says why the VNF instance cannot have the attributes that an operation would give it; nil when it can, or when
// the operation has already begun. SOL003 clauses 5.4.4.3.1, 5.4.7.3.1 and 5.4.3.3.4 require an automatic rollback of
// such an operation.
func (o *Operation) Refused() *lcm.Error {
	if o.OpOcc.Sequence > 0 {
		return nil
	}
	var problems []lcm.Problem
	switch own := o.Own.(type) {
	case lcm.InstantiateRequest:
		after := o.attributesAfter()
		after.Metadata = nil
		problems = o.Vnfd.Declared.Problems(after, true)
	case lcm.Redefining:
		problems = o.Vnfd.Declared.Problems(o.attributesAfter(), true)
	case lcm.ModifyRequest:
		problems = o.modifiedProblems(own)
	case lcm.ChangeVnfPkgRequest:
		problems = o.Vnfd.Declared.Problems(descriptor.Attributes{
			Metadata: o.Instance.Metadata, Extensions: o.Instance.Extensions,
			ConfigurableProperties: o.Instance.ConfigurableProperties,
		}, true)
	}
	if len(problems) == 0 {
		return nil
	}
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: true,
		Detail: "The VNF instance would have attributes that its VNFD does not allow", Problems: problems,
	}
}

// attributesAfter are the attributes of the VNF instance with those of the request.
func (o *Operation) attributesAfter() descriptor.Attributes {
	return descriptor.Attributes{
		Metadata: o.Instance.Metadata, Extensions: lcm.Merged(o.Instance.Extensions, o.Request.Extensions),
		ConfigurableProperties: lcm.Merged(o.Instance.ConfigurableProperties, o.Request.ConfigurableProperties),
	}
}

// modifiedProblems returns the problems of the attributes that a modification changes, or of all attributes with
// another VNFD. Old problems in unchanged attributes do not block a modification.
func (o *Operation) modifiedProblems(request lcm.ModifyRequest) []lcm.Problem {
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
	problems := declared.Problems(descriptor.Attributes{
		Metadata: o.Instance.Metadata, Extensions: o.Instance.Extensions,
		ConfigurableProperties: o.Instance.ConfigurableProperties,
	}, o.Instance.Instantiated != nil)
	return append(problems, o.vnfcProblems(request)...)
}

// vnfcProblems returns the problems of the VNFC properties after a modification.
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
