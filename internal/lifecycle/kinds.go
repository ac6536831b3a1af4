package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// kind is what this package knows of one operation. The file of the operation has its kind, and the functions of it.
type kind struct {
	// decides is set if the operation makes its plan in its first step, and stores it: a retry works on the same VNFCs.
	// The plans of other operations follow from the request alone.
	decides bool
	// settles is set if the operation gives the VNF one flavour also when it is between two.
	settles bool
	// plan says what the operation changes.
	plan func(f Facts, r lcm.Request) (lcm.Plan, error)
	// allowed are the problems of the request with the VNFD's lcm_operations_configuration; nil if it restricts nothing.
	allowed func(c descriptor.LcmOperations, r lcm.Request) []lcm.Problem
	// steps lists the steps. opens and closes are the hooks before the first and after the last of the infrastructure's
	// steps; a heal of an entire VNF has others than a heal of some VNFCs.
	steps         func(l listing) []Step
	opens, closes []Hook
	// grant adds what the operation makes, removes or changes beyond VNFCs that leave, come, stop or start; nil for
	// nothing.
	grant func(g *granting)
}

// kinds are those of all operations in lcm.Operations that are supported.
var kinds = map[lcm.Operation]kind{
	lcm.OpInstantiate:   instantiate,
	lcm.OpTerminate:     terminate,
	lcm.OpScale:         scale,
	lcm.OpScaleToLevel:  scaleToLevel,
	lcm.OpHeal:          heal,
	lcm.OpOperate:       operate,
	lcm.OpChangeExtConn: changeExtConn,
	lcm.OpChangeVnfPkg:  changeVnfPkg,
	lcm.OpChangeFlavour: changeFlavour,
	lcm.OpModifyInfo:    modifyInfo,
}

// Decides tells whether the first step of an operation makes a plan, which is stored.
func Decides(op lcm.Operation) bool { return kinds[op].decides }

// planned lets a function of a kind take the kind's own request.
func planned[R lcm.Request](plan func(Facts, R) (lcm.Plan, error)) func(Facts, lcm.Request) (lcm.Plan, error) {
	return func(f Facts, r lcm.Request) (lcm.Plan, error) {
		own, err := lcm.RequestAs[R](r)
		if err != nil {
			return lcm.Plan{}, err
		}
		return plan(f, own)
	}
}

// allowing is planned for the function allowed.
func allowing[R lcm.Request](
	allowed func(descriptor.LcmOperations, R) []lcm.Problem,
) func(descriptor.LcmOperations, lcm.Request) []lcm.Problem {
	return func(c descriptor.LcmOperations, r lcm.Request) []lcm.Problem {
		own, ok := r.(R)
		if !ok {
			return refuse("$", "is not the request of this operation")
		}
		return allowed(c, own)
	}
}

// Allowed refuses a request that the VNFD's lcm_operations_configuration excludes (SOL001). The error is Invalid, with
// the members' paths. It does not check what Windlass does of its own accord.
func Allowed(f *descriptor.Flavour, r lcm.Request) error {
	allowed := kinds[r.Operation()].allowed
	if f.LcmOperations == nil || allowed == nil {
		return nil
	}
	return problemsOf(allowed(*f.LcmOperations, r))
}

// refuse is the problem of one member of a request.
func refuse(path, format string, args ...any) []lcm.Problem {
	return []lcm.Problem{{Path: path, Detail: fmt.Sprintf(format, args...)}}
}

// Side is the beginning or the end of an operation.
type Side string

// The sides, as the names of hooks in VNFDs end.
const (
	Start Side = "start"
	End   Side = "end"
)

// SideOf tells at which side of an operation a hook is; false for a hook in between. Work that belongs to one side is
// done once in an operation, also when a heal makes an entire VNF anew.
func SideOf(op lcm.Operation, at Hook) (Side, bool) {
	for side, hooks := range map[Side][]Hook{Start: kinds[op].opens, End: kinds[op].closes} {
		if slices.Contains(hooks, at) {
			return side, true
		}
	}
	return "", false
}
