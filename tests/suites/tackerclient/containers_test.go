package tackerclient

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const containersVnfdID = "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24"

// containers takes a VNF of containers through its life, on a cluster that the client has registered or, in v2, on one
// that the request names.
func (s *scenario) containers(t *testing.T, c *client) {
	cluster := kubetest.Start(t)
	s.onboardContainers(t, c)
	connection := map[string]any{
		"vimId": "5f8d1c1e-3b44-4a8e-9d0f-2f5d7c6b1a90", "vimType": "ETSINFV.KUBERNETES.V_1",
		"interfaceInfo": map[string]any{"endpoint": cluster.URL, "ssl_ca_cert": cluster.CA},
		"accessInfo":    map[string]any{"bearer_token": kubetest.Token},
	}
	if s.version == "1" {
		vim := c.show("vim", "register", "--config-file", c.file("cluster.yaml", map[string]any{
			"auth_url": cluster.URL, "bearer_token": kubetest.Token, "ssl_ca_cert": cluster.CA, "project_name": "default",
			"type": "kubernetes",
		}), "cluster")
		require.Equal(t, []any{"kubernetes", "REACHABLE"}, []any{vim["type"], vim["status"]})
		defer func() { require.Contains(t, c.ok("vim", "delete", "cluster"), "deleted") }()
		connection = map[string]any{"vimId": vim["id"], "vimType": "kubernetes"}
	}
	request := map[string]any{
		"flavourId": "simple", "instantiationLevelId": "small", "additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"}, "namespace": "default",
		},
		"vimConnectionInfo": map[string]any{"cluster": connection},
	}
	if s.version == "1" {
		connection["id"] = "cluster"
		request["vimConnectionInfo"] = []any{connection}
	}
	id := c.show("vnflcm", "create", "--name", "web", containersVnfdID)["ID"].(string)
	o := &operations{scenario: s, t: t, c: c, vnf: id, seen: map[string]bool{}}
	require.Contains(t, c.ok("vnflcm", "instantiate", id, c.file("request.json", request)), "accepted")
	o.completes("INSTANTIATE")
	require.Contains(t, c.ok("vnflcm", "scale", "--type", "SCALE_OUT", "--aspect-id", "web_pods", "--number-of-steps", "1", id),
		"accepted")
	o.completes("SCALE")
	pod := s.VnfcOf(t, id, "web")
	if s.version == "2" {
		pod = "web-" + pod
	}
	require.Contains(t, c.ok("vnflcm", "heal", "--cause", "stuck", "--vnfc-instance", pod, "--", id), "accepted")
	o.completes("HEAL")
	require.Len(t, s.Vnfcs(t, id), 2)
	if s.version == "2" { // the client of v1 does not have the command
		require.Contains(t, c.ok("vnflcm", "change-vnfpkg", id, c.file("package.json", map[string]any{
			"vnfdId": containersVnfdID, "additionalParams": map[string]any{
				"upgrade_type": "RollingUpdate", "lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"},
				"vdu_params": []any{map[string]any{"vdu_id": "web"}},
			},
		})), "accepted")
		o.completes("CHANGE_VNFPKG")
	}
	require.Contains(t, c.ok("vnflcm", "terminate", "--termination-type", "FORCEFUL", "--D", id), "deleted successfully")
	require.Eventually(t, func() bool {
		pods, err := cluster.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0
	}, quick, 100*time.Millisecond)
}

// onboardContainers uploads the sample package with the client, unless the other version has done so.
func (s *scenario) onboardContainers(t *testing.T, c *client) {
	t.Helper()
	if s.Call(t, http.MethodGet, "/vnfpkgm/v1/onboarded_vnf_packages/"+containersVnfdID, nil).Status != http.StatusNotFound {
		return
	}
	id := c.show("vnf", "package", "create")["ID"].(string)
	archive := c.file("containers.zip", packed(t, filepath.Join(s.Root, "vnfpkg/samples/cnf-manifests")))
	require.Contains(t, c.ok("vnf", "package", "upload", "--path", archive, id), "accepted")
	require.Equal(t, "ONBOARDED", c.show("vnf", "package", "show", id)["Onboarding State"])
}
