package requests

import "github.com/windlass-nfv/windlass/internal/lcm"

// operate is SOL003 clause 5.5.2.10 with SOL002's member vnfcInstanceId, the same in both versions.
type operate struct {
	VnfcInstanceID      lcm.Texts `json:"vnfcInstanceId"`
	ChangeStateTo       string    `json:"changeStateTo" param:"required; enum=STARTED|STOPPED"`
	StopType            string    `json:"stopType" param:"enum=FORCEFUL|GRACEFUL"`
	GracefulStopTimeout *int      `json:"gracefulStopTimeout" param:"min=0"`
	AdditionalParams    struct {
		VnfcInstanceIDs lcm.Texts `json:"vnfc_instance_ids"`
		patience
	} `json:"additionalParams"`
}

// problems are members that must not be there together, or must (SOL003 clause 5.5.2.10).
func (r *operate) problems() (problems []lcm.Problem) {
	add := func(path, detail string) { problems = append(problems, lcm.Problem{Path: path, Detail: detail}) }
	given := r.GracefulStopTimeout != nil
	switch graceful := lcm.CancelMode(r.StopType) == lcm.Graceful; {
	case lcm.VnfState(r.ChangeStateTo) == lcm.VnfStarted:
		if r.StopType != "" {
			add("$.stopType", "must be absent when changeStateTo is STARTED")
		}
		if given {
			add("$.gracefulStopTimeout", "must be absent when changeStateTo is STARTED")
		}
	case graceful && !given:
		add("$.gracefulStopTimeout", "is missing: a GRACEFUL stop needs it")
	case !graceful && given:
		add("$.gracefulStopTimeout", "must be absent unless stopType is GRACEFUL")
	}
	return problems
}

func (r *operate) reading() Reading {
	return Reading{Request: lcm.OperateRequest{
		VnfcInstanceID: r.VnfcInstanceID, ChangeStateTo: lcm.VnfState(r.ChangeStateTo),
		StopType: lcm.CancelMode(r.StopType), GracefulStopTimeout: r.GracefulStopTimeout,
		VnfcIDs: r.AdditionalParams.VnfcInstanceIDs, Waits: r.AdditionalParams.waits(),
	}}
}
