// Package lcmtest has what tests need of requests.
package lcmtest

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// Read reads a request of one kind in the form of either version of the API. A test may leave out required members.
func Read[R lcm.Request](body json.RawMessage) (out R, err error) {
	r, err := Any(out.Operation(), body)
	if err != nil {
		return out, err
	}
	return lcm.RequestAs[R](r)
}

// Any is Read for a request of any operation.
func Any(op lcm.Operation, body json.RawMessage) (lcm.Request, error) {
	return requests.Of(lcm.VnfLcmOpOcc{Operation: op, Params: body, APIVersion: versionOf(body)})
}

// versionOf is the version of the API that has all members of a request.
func versionOf(body json.RawMessage) int {
	if bytes.Contains(body, []byte("vimConnectionInfoDeleteIds")) {
		return 1
	}
	return 2
}

// Own reads the request of an operation. It panics if the request is malformed: a test wrote it.
func Own(o lcm.VnfLcmOpOcc) lcm.Request {
	o.APIVersion = cmp.Or(o.APIVersion, versionOf(o.Params))
	r, err := requests.Of(o)
	if err != nil {
		panic(err)
	}
	return r
}
