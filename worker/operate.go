package worker

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// stopInTime gives the draining of a graceful stop the time that the request gives: what has not left a node then goes
// down with it (SOL003 clause 5.5.2.10).
func stopInTime(opOcc lcm.VnfLcmOpOcc, params *k8s.Params) error {
	request, err := lcm.ParseOperate(opOcc.Params)
	if err != nil || !request.Graceful() {
		return err
	}
	limit := max(1, int(request.GracePeriod()/time.Second))
	params.Timeouts.Drain, params.Timeouts.VolumeDetach = limit, min(limit, params.Timeouts.VolumeDetach)
	params.DrainPolicy = k8s.DrainForce
	return nil
}
