package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Allowed refuses a request that the VNFD's lcm_operations_configuration excludes (SOL001). The error is Invalid, with
// the members' paths. It does not check what Windlass does of its own accord.
func Allowed(f *vnfpkg.Flavour, op lcm.Operation, body json.RawMessage) error {
	if f.LcmOperations == nil {
		return nil
	}
	var problems []lcm.Problem
	refuse := func(path, format string, args ...any) {
		problems = append(problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
	}
	err := allowed(*f.LcmOperations, op, body, refuse)
	if err != nil {
		return err
	}
	return problemsOf(problems)
}

func allowed(
	c vnfpkg.LcmOperations, op lcm.Operation, body json.RawMessage, refuse func(path, format string, args ...any),
) error {
	switch op { //nolint:exhaustive // the VNFD says nothing of the others that a request could violate
	case lcm.OpScale:
		req, err := lcm.ParseScale(body)
		if err == nil && req.NumberOfSteps > 1 && c.SeveralSteps != nil && !*c.SeveralSteps {
			refuse("$.numberOfSteps", "the VNFD allows this VNF to scale by one step at a time only "+
				"(scaling_by_more_than_one_step_supported is false)")
		}
		return err
	case lcm.OpScaleToLevel:
		req, err := lcm.ParseScaleToLevel(body)
		if err == nil && len(req.ScaleInfo) > 0 && c.AnyLevels != nil && !*c.AnyLevels {
			refuse("$.scaleInfo", "the VNFD allows this VNF to scale to its instantiation levels only "+
				"(arbitrary_target_levels_supported is false): name one in instantiationLevelId")
		}
		return err
	case lcm.OpHeal:
		req, err := lcm.ParseHeal(body)
		if err == nil && req.Cause != "" && len(c.HealCauses) > 0 && !slices.Contains(c.HealCauses, req.Cause) {
			refuse("$.cause", "the VNFD allows these causes: %s", strings.Join(c.HealCauses, ", "))
		}
		return err
	case lcm.OpTerminate:
		req, err := lcm.ParseTerminate(body)
		if err == nil && req.Graceful() && req.GracefulTerminationTimeout != nil &&
			*req.GracefulTerminationTimeout < c.MinTermination {
			refuse("$.gracefulTerminationTimeout", "the VNFD requires at least %d seconds "+
				"(min_graceful_termination_timeout)", c.MinTermination)
		}
		return err
	case lcm.OpOperate:
		req, err := lcm.ParseOperate(body)
		if err == nil && req.GracefulStopTimeout != nil && *req.GracefulStopTimeout < c.MinStop {
			refuse("$.gracefulStopTimeout", "the VNFD requires at least %d seconds (min_graceful_stop_timeout)",
				c.MinStop)
		}
		return err
	}
	return nil
}
