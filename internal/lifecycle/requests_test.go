package lifecycle_test

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// planOf plans the operation that a request begins.
func planOf(f lifecycle.Facts, op lcm.Operation, body json.RawMessage) (lcm.Plan, error) {
	r, err := lcmtest.Any(op, body)
	if err != nil {
		return lcm.Plan{}, err
	}
	return lifecycle.For(f, r)
}

func allowed(f *descriptor.Flavour, op lcm.Operation, body json.RawMessage) error {
	r, err := lcmtest.Any(op, body)
	if err != nil {
		return err
	}
	return lifecycle.Allowed(f, r)
}

func reconnected(f lifecycle.Facts, body json.RawMessage, granted []lcm.ExtVirtualLink) (lcm.Plan, error) {
	r, err := lcmtest.Read[lcm.ChangeExtConnRequest](body)
	if err != nil {
		return lcm.Plan{}, err
	}
	return lifecycle.ReconnectedAsGranted(f, r, granted)
}
