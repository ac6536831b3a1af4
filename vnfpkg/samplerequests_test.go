package vnfpkg_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestSample_requestsNameWhatThePackageHas checks that every file and every name in the sample requests exists, because
// users copy these requests.
func TestSample_requestsNameWhatThePackageHas(t *testing.T) {
	p := vnfpkgtest.Sample(t, "k8s-ha")
	files := vnfpkgtest.FilesOf(p)
	for _, id := range []string{"ha", "simple", "storage"} {
		req, additional := vnfpkgtest.SampleRequest(t, "instantiate-"+id+".json")
		raw, err := json.Marshal(additional[k8s.ParamsKey])
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		var params k8s.Params
		require.NoError(t, decoder.Decode(&params))
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		hot, err := files.Read(f.BaseHOT)
		require.NoError(t, err)

		require.Contains(t, string(hot), "\n  "+params.MasterNode.AspectID+":")
		require.Contains(t, string(hot), "\n  "+params.WorkerNode.AspectID+":")
		named := []string{params.CniManifestPath, params.KubeadmConfigPath}
		for _, pv := range params.PersistentVolumes {
			named = append(named, pv.PVManifestFilePath)
		}
		for _, name := range named {
			_, err := files.Read(name)
			require.NoError(t, err)
		}
		capacity, err := f.Capacity(req.InstantiationLevelID)
		require.NoError(t, err)
		p, wrong := k8s.Read(req.AdditionalParams)
		mistakes := wrong.With(p.Problems(capacity["masterNode"], capacity["workerNode"]))
		require.Empty(t, mistakes)
		require.Equal(t, params.MasterNode.PodCIDR, additional["pod_cidr"])
	}
}
