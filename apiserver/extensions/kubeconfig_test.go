package extensions_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
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

func TestKubeconfig_isMadeForTheClusterThatAVnfIs(t *testing.T) {
	clusters := &issuingClusters{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Clusters = clusters })
	instance := b.Running("/vnflcm/v1")
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "not registered as a VIM")

	registered := lcm.VimID(servertest.LastPart(b.RegisterKubernetes("edge")))
	b.Change(instance, func(i *lcm.VnfInstance) { i.Instantiated.ClusterVimID = registered })
	made := b.Do("POST", path, `{}`)
	require.Equal(t, map[string]any{"kubeconfig": "token: " + aToken + "\n", "expiresAt": "2026-11-25T10:00:00Z"},
		made.Want(http.StatusCreated))
	require.Equal(t, "no-store", made.Header.Get("Cache-Control"))
	require.Equal(t, time.Hour, clusters.lifetime)
	require.Equal(t, registered, clusters.vim.ID)
	require.Equal(t, servertest.Marker, clusters.credentials["bearer_token"], "the VIM's credentials are opened")

	b.Do("POST", path, `{"expirationSeconds":600}`).Want(http.StatusCreated)
	require.Equal(t, 10*time.Minute, clusters.lifetime)
	for _, seconds := range []string{"599", "86401", `"long"`} {
		a := b.Do("POST", path, `{"expirationSeconds":`+seconds+`}`)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.expirationSeconds"}, a.Paths())
	}
	clusters.refuse = lcm.Errorf(lcm.KindDenied, "It is forbidden.")
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict),
		"The cluster is registered as the VIM edge, but refuses the credentials of this VIM: It is forbidden.")
	clusters.refuse = lcm.Errorf(lcm.KindUnavailable, "It does not answer.")
	b.Do("POST", path, `{}`).Problem(http.StatusServiceUnavailable)

	b.Do("DELETE", "/v1.0/vims/"+string(registered), nil).Want(http.StatusNoContent)
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "not registered as a VIM")
	require.Contains(t, b.Logged.String(), "Kubeconfig made")
	require.NotContains(t, b.Logged.String(), aToken)
	audit := b.Do("GET", "/windlass/v1/audit", nil)
	require.Contains(t, string(audit.Body), path)
	require.NotContains(t, string(audit.Body), aToken)
}

func TestKubeconfig_isOfClustersOnly(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Clusters = &issuingClusters{} })
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v1", vnfdID)
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "not instantiated: it has no cluster")
	running := b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 1)
	b.Change(running, func(i *lcm.VnfInstance) { i.Instantiated.Nodes = nil })
	path = "/windlass/v1" + running[len("/vnflcm/v1"):] + "/kubeconfig"
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "is no Kubernetes cluster")
}

// TestKubeconfig_isWritten checks that a client whose scopes allow only reading or other tasks gets no kubeconfig.
func TestKubeconfig_isWritten(t *testing.T) {
	b, e := servertest.TwoProjects(t, func(o *apiserver.Options) { o.Clusters = &issuingClusters{} })
	path := "/windlass/v1/vnf_instances/" + e.IDs["vnfInstanceId"] + "/kubeconfig"
	for client, status := range map[string]int{
		servertest.As("edge", "windlass:read"): 403, servertest.As("edge", "vnflcm:v1:readonly"): 403, servertest.As("edge", "vnflcm:v1:heal"): 403,
		servertest.As("edge", "vnflcm:v1:kubeconfig"): 409, servertest.As("edge", "vnflcm:v2:all"): 409, servertest.Core: 404,
	} {
		require.Equal(t, status, b.Do("POST", path, `{}`, client).Status, client)
	}
}
