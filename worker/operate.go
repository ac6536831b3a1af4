package worker

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// describeOperating adds to d what decides the steps of an OPERATE.
func describeOperating(j *job, d *activities.Description) error {
	request, err := lcm.ParseOperate(j.opOcc.Params)
	if err != nil {
		return err
	}
	p, err := j.plan(nil)
	if err != nil {
		return err
	}
	d.ChangeStateTo, d.Partial, d.Graceful = p.ChangeStateTo, !p.Whole, request.Graceful()
	for _, v := range p.Operated {
		at := slices.IndexFunc(d.Nodes, func(n lcm.Node) bool { return d.Cluster && n.ServerID == v.ServerID })
		switch {
		case at < 0:
			d.Others = true
		case d.Nodes[at].Role == lcm.ControlPlane:
			d.ControlPlanes = true
		default:
			d.Workers = true
		}
		d.Cordoned = d.Cordoned || j.inst.Instantiated.Cordoned(v.VnfcID)
	}
	return nil
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
