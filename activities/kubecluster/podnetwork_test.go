package kubecluster_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// unnamed removes the pod network of the request.
func unnamed(p *k8s.Params) { p.CniManifestPath = "" }

// TestApplyPodNetwork_takesASettingThatWasMadeMeanwhile checks that a step without a pod network says what to do, and
// that its retry takes the setting that somebody has made.
func TestApplyPodNetwork_takesASettingThatWasMadeMeanwhile(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, unnamed)
	_, err := activitytest.Do(t, (&kubecluster.Activities{Reach: s.Reach}).ApplyPodNetwork, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindInvalid, "kubernetes.podNetwork is not set for this worker")
	assert.Empty(t, fake.Ran)

	file := filepath.Join(t.TempDir(), "net.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kind: ConfigMap # __POD_CIDR__"), 0o600))
	s.Reach.Defaults.PodNetwork.From = file
	cluster := &kubecluster.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, cluster.ApplyPodNetwork, s.Cluster())
		assert.Equal(t, "kind: ConfigMap # 192.168.0.0/16", fake.Notes["manifest"])
	}
	require.NoError(t, os.WriteFile(file, []byte("kind: DaemonSet"), 0o600))
	activitytest.Must(t, cluster.ApplyPodNetwork, s.Cluster())
	assert.Equal(t, "kind: DaemonSet", fake.Notes["manifest"], "the file is read when it is needed")
}

// TestApplyPodNetwork_readsTheNodesImage checks a default that is a file of the control planes' image.
func TestApplyPodNetwork_readsTheNodesImage(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, unnamed)
	s.Reach.Defaults.PodNetwork.From = "image:/usr/share/pod-network.yaml"
	cluster := &kubecluster.Activities{Reach: s.Reach}
	_, err := activitytest.Do(t, cluster.ApplyPodNetwork, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindNotFound, "/usr/share/pod-network.yaml")
	fake.Nodes["cp-0000000b"].Files["/usr/share/pod-network.yaml"] = "kind: Namespace"
	for range 2 {
		activitytest.Must(t, cluster.ApplyPodNetwork, s.Cluster())
		assert.Equal(t, "kind: Namespace", fake.Notes["manifest"])
	}
}

// TestApplyPodNetwork_appliesNothingWhereTheImageMakesTheNetwork checks the setting none.
func TestApplyPodNetwork_appliesNothingWhereTheImageMakesTheNetwork(t *testing.T) {
	s, fake, _, output := activitytest.NewFake(t, 1, 0, unnamed)
	s.Reach.Defaults.PodNetwork.From = k8s.NoPodNetwork
	activitytest.Must(t, (&kubecluster.Activities{Reach: s.Reach}).ApplyPodNetwork, s.Cluster())
	assert.Empty(t, fake.Ran)
	assert.Equal(t, []string{": Windlass applies no pod network, because kubernetes.podNetwork is none."}, output.Shown)
}

// fetched is a source of files.
type fetched map[string]string

func (f fetched) Fetch(_ context.Context, s cnf.Source) ([]byte, error) {
	content, ok := f[s.URL]
	if !ok {
		return nil, lcm.Errorf(lcm.KindUnavailable, "%s cannot be reached.", s.URL)
	}
	return []byte(content), nil
}

// TestApplyPodNetwork_fetchesFromAllowedSources checks a default that is a URL.
func TestApplyPodNetwork_fetchesFromAllowedSources(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, unnamed)
	s.Reach.Defaults.PodNetwork.From = "https://sources.example/net.yaml"
	_, err := activitytest.Do(t, (&kubecluster.Activities{Reach: s.Reach}).ApplyPodNetwork, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindDenied, "packages.allowedSources")
	_, err = activitytest.Do(t, (&kubecluster.Activities{Reach: s.Reach, Files: fetched{}}).ApplyPodNetwork, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "https://sources.example/net.yaml cannot be reached")
	files := fetched{"https://sources.example/net.yaml": "kind: Service"}
	activitytest.Must(t, (&kubecluster.Activities{Reach: s.Reach, Files: files}).ApplyPodNetwork, s.Cluster())
	assert.Equal(t, "kind: Service", fake.Notes["manifest"])
}
