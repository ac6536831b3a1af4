package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var scaleToLevel = kind{
	decides: true, plan: planned(planScaleToLevel), allowed: allowing(scaleToLevelProblems), steps: scaleSteps,
	grant: (*granting).changeRates, opens: []Hook{ScaleBegin}, closes: []Hook{ScaleDone},
}

func planScaleToLevel(f Facts, req lcm.ScaleToLevelRequest) (lcm.Plan, error) {
	if (req.InstantiationLevelID == "") == (len(req.ScaleInfo) == 0) {
		return lcm.Plan{}, invalid("$.instantiationLevelId",
			"give either instantiationLevelId or scaleInfo (SOL003 clause 5.5.2.6)")
	}
	levels := f.levels()
	if req.InstantiationLevelID != "" {
		level, err := f.Flavour.Level(req.InstantiationLevelID)
		if err != nil {
			return lcm.Plan{}, invalid("$.instantiationLevelId", "%s", lcm.Sentence(err))
		}
		for aspect := range levels {
			levels[aspect] = level.ScaleLevels[aspect]
		}
		return f.toLevels(req.Operation(), levels, level.ID, req.Choice, req.AdditionalParams)
	}
	var problems []lcm.Problem
	for i, info := range req.ScaleInfo {
		most, known := f.mostSteps(info.AspectID), false
		if _, known = levels[info.AspectID]; !known {
			problems = append(problems, lcm.Problem{
				Path:   at("$.scaleInfo", i) + ".aspectId",
				Detail: f.unknownAspect(info.AspectID),
			})
			continue
		}
		if info.ScaleLevel < 0 || info.ScaleLevel > most {
			problems = append(problems, lcm.Problem{
				Path:   at("$.scaleInfo", i) + ".scaleLevel",
				Detail: fmt.Sprintf("it must be between 0 and %d", most),
			})
			continue
		}
		if slices.ContainsFunc(req.ScaleInfo[:i], func(other lcm.ScaleInfo) bool { return other.AspectID == info.AspectID }) {
			problems = append(problems, lcm.Problem{Path: at("$.scaleInfo", i) + ".aspectId", Detail: info.AspectID +
				" is there twice"})
		}
		levels[info.AspectID] = info.ScaleLevel
	}
	if err := problemsOf(problems); err != nil {
		return lcm.Plan{}, err
	}
	return f.toLevels(req.Operation(), levels, "", req.Choice, req.AdditionalParams)
}

func scaleToLevelProblems(c descriptor.LcmOperations, req lcm.ScaleToLevelRequest) []lcm.Problem {
	if len(req.ScaleInfo) > 0 && c.AnyLevels != nil && !*c.AnyLevels {
		return refuse("$.scaleInfo", "the VNFD allows this VNF to scale to its instantiation levels only "+
			"(arbitrary_target_levels_supported is false): name one in instantiationLevelId")
	}
	return nil
}
