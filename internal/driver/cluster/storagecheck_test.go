package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestCheckOneStorageServer(t *testing.T) {
	f := &descriptor.Flavour{
		Vdus: []descriptor.Vdu{{ID: "storage"}}, Cps: []descriptor.VduCp{{ID: "cp", VduID: "storage"}},
	}
	for n, says := range map[int]string{1: "", 2: "2 servers of storage", 0: "0 servers of storage"} {
		r := Request{Request: driver.Request{Flavour: f, Capacity: map[string]int{"storage": n}, Found: &driver.Findings{}}}
		r.checkOneStorageServer(k8s.StorageServerParams{SSHCpName: "cp", NicCpName: "cp"})
		if says == "" {
			require.NoError(t, r.Found.Err())
		} else {
			require.ErrorContains(t, r.Found.Err(), says)
		}
	}
}
