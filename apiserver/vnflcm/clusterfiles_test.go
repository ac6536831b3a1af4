package vnflcm_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/scripts"
)

// comments returns at least this many bytes of comments. They differ, so that a package with them does not count as a
// zip bomb.
func comments(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "# %d\n", n)
	}
	return b.String()
}

// TestInstantiate_readsTheFileForKubeadm checks that the API refuses a bad file. Otherwise the operation would fail
// after its servers were made.
func TestInstantiate_readsTheFileForKubeadm(t *testing.T) {
	const kubelet = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
	files := map[string]struct{ text, refused string }{
		"list":     {"- kind: KubeletConfiguration\n", "document 1 is not a YAML object"},
		"broken":   {kubelet + "---\na: [\n", "document 2 is not a YAML object"},
		"nameless": {"failSwapOn: false\n", "document 1 has no kind"},
		"pod":      {"apiVersion: v1\nkind: Pod\n", `document 1 (Pod) is of "v1"`},
		"twice":    {kubelet + "---\n" + kubelet, "document 2 is a second KubeletConfiguration"},
		"large":    {kubelet + comments(scripts.MaxExtra), "larger than the 262144 bytes allowed"},
		"empty":    {"", ""},
		"good":     {kubelet, ""},
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/k8s-ha")))
	for name, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Files", name+".yaml"), []byte(f.text), 0o600))
	}
	b := servertest.New(t)
	vnfdID, vim := b.OnboardDir(dir), b.RegisterVim("lab", true)
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			request := servertest.ClusterRequest(vim)
			cluster := request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)
			cluster["kubeadm_config_path"], cluster["vim_name"] = "Files/"+name+".yaml", "edge-"+name
			a := b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request)
			if f.refused == "" {
				a.Want(http.StatusAccepted)
				return
			}
			says := a.Problem(http.StatusUnprocessableEntity)
			require.Contains(t, says, f.refused)
			require.Contains(t, says, "Files/"+name+".yaml")
			require.Equal(t, []string{"$.additionalParams.k8s_cluster_installation_param.kubeadm_config_path"}, a.Paths())
		})
	}
	require.Len(t, b.Starter.Starts, 2)
}
