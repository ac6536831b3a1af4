package nodeport

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// The steps of Services that load balancers expose. Operations keep these ids, and other releases read them: an id never changes.
const (
	StepExposeServices lifecycle.StepID = "expose-services"
	StepHideServices   lifecycle.StepID = "hide-services"
)
