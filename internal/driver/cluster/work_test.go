package cluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestWork_theRequestsRepositoryGoesBeforeTheConfigurations(t *testing.T) {
	configured, requested := &k8s.AptRepository{URL: "http://configured/"}, &k8s.AptRepository{URL: "http://requested/"}
	d := k8s.Defaults{AptRepository: configured, AptKey: []byte("KEY")}

	w := workOf(t, k8s.Params{}, nil, lcm.VnfInstance{}, d)
	assert.Same(t, configured, w.Params.AptRepository)
	assert.Equal(t, "KEY", string(w.AptKey))

	w = workOf(t, k8s.Params{AptRepository: requested}, nil, lcm.VnfInstance{}, d)
	assert.Same(t, requested, w.Params.AptRepository)
	assert.Empty(t, w.AptKey)

	w = workOf(t, k8s.Params{}, nil, lcm.VnfInstance{}, k8s.Defaults{})
	assert.Nil(t, w.Params.AptRepository)
}

func TestWork_thePackagesPodNetworkGoesBeforeTheConfigurations(t *testing.T) {
	d := k8s.Defaults{PodNetwork: k8s.PodNetwork{From: "/etc/windlass/pod-network.yaml"}}
	none := workOf(t, k8s.Params{}, nil, lcm.VnfInstance{}, d)
	assert.Equal(t, d.PodNetwork, none.PodNetwork)
	own := workOf(t, k8s.Params{CniManifestPath: "Files/cni.yaml"}, nil, lcm.VnfInstance{}, d)
	assert.Empty(t, own.PodNetwork)
}

func TestWork_aGracefulStopDrainsInTheTimeOfItsRequest(t *testing.T) {
	params := k8s.Params{Timeouts: k8s.TimeoutParams{Drain: 300, VolumeDetach: 300}}
	stop := lcm.OperateRequest{ChangeStateTo: lcm.VnfStopped, StopType: lcm.Graceful, GracefulStopTimeout: new(60)}
	w := workOf(t, params, stop, lcm.VnfInstance{}, k8s.Defaults{})
	assert.Equal(t, []int{60, 60}, []int{w.Params.Timeouts.Drain, w.Params.Timeouts.VolumeDetach})
	assert.Equal(t, k8s.DrainForce, w.Params.DrainPolicy)

	w = workOf(t, params, lcm.ScaleRequest{}, lcm.VnfInstance{}, k8s.Defaults{})
	assert.Equal(t, params, w.Params)
}

func TestWork_knowsTheRegistriesBeforeAModification(t *testing.T) {
	former := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{AdditionalParams: json.RawMessage(
		`{"` + k8s.ParamsKey + `":{"` + lcm.RegistriesKey + `":[{"server":"a.example.com"}]}}`)}}
	w := workOf(t, k8s.Params{}, nil, former, k8s.Defaults{})
	require.Len(t, w.FormerRegistries, 1)
	assert.Equal(t, "a.example.com", w.FormerRegistries[0].Server)
	assert.Empty(t, workOf(t, k8s.Params{}, nil, lcm.VnfInstance{}, k8s.Defaults{}).FormerRegistries)
}

func workOf(t *testing.T, p k8s.Params, during lcm.Request, former lcm.VnfInstance, d k8s.Defaults) Work {
	t.Helper()
	return (&Common{Params: p}).Work(during, former, d)
}
