package worker

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// graceful tells whether a termination, or a stop, takes the VNF out of service first.
func graceful(opOcc lcm.VnfLcmOpOcc) (bool, error) {
	switch opOcc.Operation {
	case lcm.OpTerminate:
		request, err := lcm.ParseTerminate(opOcc.Params)
		return request.Graceful(), err
	case lcm.OpOperate:
		request, err := lcm.ParseOperate(opOcc.Params)
		return request.Graceful(), err
	}
	return false, nil
}

// stopInTime gives the draining of a graceful stop the time that the request gives: what has not left a node then goes
// down with it (SOL003 clause 5.5.2.10).
func stopInTime(opOcc lcm.VnfLcmOpOcc, params *lcm.ClusterParams) error {
	request, err := lcm.ParseOperate(opOcc.Params)
	if err != nil || !request.Graceful() {
		return err
	}
	limit := max(1, int(request.GracePeriod()/time.Second))
	params.Timeouts.Drain, params.Timeouts.VolumeDetach = limit, min(limit, params.Timeouts.VolumeDetach)
	params.DrainPolicy = lcm.DrainForce
	return nil
}
