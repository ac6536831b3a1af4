// Package lcmtest has what tests need of requests.
package lcmtest

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Read reads a request of one kind.
func Read[R lcm.Request](body json.RawMessage) (out R, err error) {
	r, err := lcm.ReadRequest(out.Operation(), body)
	if err != nil {
		return out, err
	}
	out, _ = r.(R)
	return out, nil
}

// Own reads the request of an operation. It panics if the request is malformed: a test wrote it.
func Own(o lcm.VnfLcmOpOcc) lcm.Request {
	r, err := o.Request()
	if err != nil {
		panic(err)
	}
	return r
}
