package requests

import "github.com/windlass-nfv/windlass/internal/lcm"

// terminateV1 is SOL003 v2.6.1 clause 5.5.2.8.
type terminateV1 struct {
	GracefulTerminationTimeout *int `json:"gracefulTerminationTimeout" param:"min=0"`
	termination
}

// terminateV2 is SOL003 v3.3.1 clause 5.5.2.8.
type terminateV2 struct {
	GracefulTerminationTimeout *int `json:"gracefulTerminationTimeout" param:"min=1"`
	termination
}

type termination struct {
	TerminationType string `json:"terminationType" param:"required; enum=FORCEFUL|GRACEFUL"`
	// AdditionalParams are Windlass's own.
	AdditionalParams struct {
		Claims        string `json:"claims" param:"enum=delete|keep"`
		TerminateVnfs bool   `json:"terminate_vnfs"`
		Patience      int    `json:"patience" param:"min=1; max=3600; unit=seconds"`
	} `json:"additionalParams"`
}

func (r *terminateV1) problems() []lcm.Problem { return nil }

func (r *terminateV1) reading() Reading { return r.within(r.GracefulTerminationTimeout) }

func (r *terminateV2) problems() []lcm.Problem { return nil }

func (r *terminateV2) reading() Reading { return r.within(r.GracefulTerminationTimeout) }

// within is the value with a limit for a graceful end, in seconds.
func (r *termination) within(timeout *int) Reading {
	return Reading{Request: lcm.TerminateRequest{
		TerminationType: r.TerminationType, GracefulTerminationTimeout: timeout,
		KeepsClaims: r.AdditionalParams.Claims == "keep", TerminatesVnfs: r.AdditionalParams.TerminateVnfs,
		Waits: lcm.Waits{Patience: r.AdditionalParams.Patience},
	}}
}
