package activitytest

import (
	"testing"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

// NewFake returns fake nodes and a cluster's parameters; change changes these.
func NewFake(
	t *testing.T, controlPlanes, workers int, change func(*k8s.Params),
) (Site, *FakeSite, *Secrets, *Output) {
	t.Helper()
	made, secrets, output := NewSite(controlPlanes, workers, change)
	fake := NewFakeSite(t, made.Nodes)
	made.Reach.Hosts = fake
	return made, fake, secrets, output
}
