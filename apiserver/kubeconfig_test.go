package apiserver

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// aToken is the token in the kubeconfigs of issuingClusters.
const aToken = "a-token-for-one-answer"

// issuingClusters issue kubeconfigs, unless the test sets an error.
type issuingClusters struct {
	vim         lcm.Vim
	credentials map[string]any
	lifetime    time.Duration
	refuse      error
}

func (i *issuingClusters) Kubeconfig(
	_ context.Context, vim lcm.Vim, credentials map[string]any, lifetime time.Duration,
) (text string, expires time.Time, err error) {
	i.vim, i.credentials, i.lifetime = vim, credentials, lifetime
	return "token: " + aToken + "\n", time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC), i.refuse
}

// change changes the stored instance at path.
func (b *bench) change(path string, how func(*lcm.VnfInstance)) {
	b.Helper()
	inst := b.instance(path)
	how(&inst)
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
}

func TestKubeconfig_isMadeForTheClusterThatAVnfIs(t *testing.T) {
	clusters := &issuingClusters{}
	b := newBench(t, func(o *Options) { o.Clusters = clusters })
	instance := b.running("/vnflcm/v1")
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "not registered as a VIM")

	registered := lcm.VimID(last(b.registerKubernetes("edge")))
	b.change(instance, func(i *lcm.VnfInstance) { i.Instantiated.ClusterVimID = registered })
	made := b.do("POST", path, `{}`)
	require.Equal(t, map[string]any{"kubeconfig": "token: " + aToken + "\n", "expiresAt": "2026-11-25T10:00:00Z"},
		made.want(http.StatusCreated))
	require.Equal(t, "no-store", made.Header.Get("Cache-Control"))
	require.Equal(t, time.Hour, clusters.lifetime)
	require.Equal(t, registered, clusters.vim.ID)
	require.Equal(t, marker, clusters.credentials["bearer_token"], "the VIM's credentials are opened")

	b.do("POST", path, `{"expirationSeconds":600}`).want(http.StatusCreated)
	require.Equal(t, 10*time.Minute, clusters.lifetime)
	for _, seconds := range []string{"599", "86401", `"long"`} {
		a := b.do("POST", path, `{"expirationSeconds":`+seconds+`}`)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.expirationSeconds"}, a.paths())
	}
	clusters.refuse = lcm.Errorf(lcm.KindDenied, "It is forbidden.")
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict),
		"The cluster is registered as the VIM edge, but refuses the credentials of this VIM: It is forbidden.")
	clusters.refuse = lcm.Errorf(lcm.KindUnavailable, "It does not answer.")
	b.do("POST", path, `{}`).problem(http.StatusServiceUnavailable)

	b.do("DELETE", "/v1.0/vims/"+string(registered), nil).want(http.StatusNoContent)
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "not registered as a VIM")
	require.Contains(t, b.log.String(), "Kubeconfig made")
	require.NotContains(t, b.log.String(), aToken)
	audit := b.do("GET", "/windlass/v1/audit", nil)
	require.Contains(t, string(audit.Body), path)
	require.NotContains(t, string(audit.Body), aToken)
}

func TestKubeconfig_isOfClustersOnly(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Clusters = &issuingClusters{} })
	_, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v1", vnfdID)
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "not instantiated: it has no cluster")
	running := b.runs("/vnflcm/v1", vnfdID, "ha", 3, 1)
	b.change(running, func(i *lcm.VnfInstance) { i.Instantiated.Nodes = nil })
	path = "/windlass/v1" + running[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "is no Kubernetes cluster")
}

// TestKubeconfig_isWritten checks that a client whose scopes allow only reading or other tasks gets no kubeconfig.
func TestKubeconfig_isWritten(t *testing.T) {
	b, e := twoProjects(t, func(o *Options) { o.Clusters = &issuingClusters{} })
	path := "/windlass/v1/vnf_instances/" + e.ids["vnfInstanceId"] + "/kubeconfig"
	for client, status := range map[string]int{
		as("edge", "windlass:read"): 403, as("edge", "vnflcm:v1:readonly"): 403, as("edge", "vnflcm:v1:heal"): 403,
		as("edge", "vnflcm:v1:kubeconfig"): 409, as("edge", "vnflcm:v2:all"): 409, core: 404,
	} {
		require.Equal(t, status, b.do("POST", path, `{}`, client).Status, client)
	}
}
