// Package e2e drives Windlass over its API as an NFVO does, mostly with the lab as the cloud. The tests follow the
// demo, and cause failures on its way.
package e2e

import (
	"testing"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// bed is a cloud and a Windlass for one group of tests.
type bed struct{ *testbed.Bed }

// newBed starts a lab with that kind of machines and a Windlass, and on-boards the sample package.
func newBed(t *testing.T, machines string, labArgs ...string) *bed {
	t.Helper()
	return &bed{testbed.New(t, machines, labArgs...)}
}

// terminate terminates and deletes an instance, and records the workflow.
func (b *bed) terminate(t *testing.T, vnf string) {
	t.Helper()
	b.record(t, b.Remove(t, vnf), "terminate")
}
