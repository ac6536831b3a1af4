package apiserver_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// shownBody is a body in a how-to page: the page, and the body's place among the bodies of the page.
type shownBody struct {
	page string
	nth  int
	// at is the path of the body within the request.
	at string
	// free lists paths, separated by spaces. Members below them have types that the client or a template chooses.
	free string
}

const (
	ofParams   = "additionalParams"
	ofCluster  = ofParams + "/" + k8s.ParamsKey
	ofRegistry = ofParams + "/private_registry_installation_param"
	// withCA stands for the sample k8s-ha with the certificate of a CA.
	withCA = "with a CA"
)

// instantiating are bodies that belong to a request to instantiate a VNF, with the sample package and the sample
// request that they complete.
var instantiating = []struct {
	shownBody
	pkg, request string
	v2           bool
}{
	{shownBody{page: "ansible.md"}, "ansible", "ansible", false},
	{shownBody{page: "scripts.md"}, "scripts", "scripts", false},
	{shownBody{page: "kubespray.md"}, "k8s-kubespray", "kubespray", false},
	{shownBody{page: "connection-points.md"}, "../../tests/suites/e2e/testdata/givenport", "", true},
	{
		shownBody{page: "instantiate.md", free: "/additionalParams/pod_cidr /additionalParams/node_password"},
		"k8s-ha", "ha", false,
	},
	{shownBody{page: "instantiate.md", nth: 1}, "k8s-ha", "ha", false},
	{shownBody{page: "instantiate.md", nth: 2}, "cnf-manifests", "cnf-manifests", true},
	{shownBody{page: "registries.md", at: ofCluster}, withCA, "ha", false},
	{shownBody{page: "pod-network.md", at: ofCluster + "/master_node"}, "k8s-ha", "ha", false},
	{shownBody{page: "persistent-volumes.md", at: ofCluster}, "k8s-ha", "storage", false},
	{shownBody{page: "persistent-volumes.md", nth: 1, at: ofCluster}, "k8s-ha", "storage", false},
	{shownBody{page: "registry-vnf.md", at: ofRegistry}, "private-registry", "registry", false},
	{shownBody{page: "registry-vnf.md", nth: 1, at: ofRegistry}, "private-registry", "registry-volume", false},
	{shownBody{page: "external-load-balancer.md", at: ofCluster}, "external-lb", "external-lb", false},
	{
		shownBody{page: "external-load-balancer.md", nth: 2, at: ofCluster + "/external_lb_param"},
		"external-lb", "external-lb-octavia", false,
	},
	{shownBody{page: "external-load-balancer.md", nth: 3, at: ofParams}, "cnf-nodeport", "cnf-nodeport", false},
	{shownBody{page: "container-networks.md"}, "cnf-networks", "cnf-networks", false},
	{shownBody{page: "hybrid.md"}, "hybrid", "hybrid", false},
	{
		shownBody{page: "helm.md", at: ofParams + "/helm_parameters", free: "/" + ofParams + "/helm_parameters/"},
		"cnf-helm", "cnf-helm", false,
	},
	{shownBody{page: "helm.md", nth: 1, at: ofParams}, "cnf-helm", "cnf-helm", false},
	{shownBody{page: "helm.md", nth: 2, at: ofParams}, "cnf-helm", "cnf-helm", false},
}

func TestDocumentedBodies_areReadToTheLastMember(t *testing.T) {
	for _, c := range instantiating {
		t.Run(fmt.Sprintf("%s %d", c.page, c.nth), func(t *testing.T) {
			b := servertest.New(t, func(o *apiserver.Options) {
				o.Scripts, o.Python, o.Files = config.Scripts{Policy: lcm.ScriptsRun, Ansible: true}, true, sampleChart(t)
			})
			vims := map[string]string{"openstack": b.RegisterVim("lab", true), "kubernetes": b.RegisterCluster("c")}
			request, root := map[string]any{"flavourId": "simple"}, "/vnflcm/v1"
			if c.request != "" {
				request = sampleRequest(t, "instantiate-"+c.request)
			}
			if c.v2 {
				request, root = servertest.AsV2(t, request), "/vnflcm/v2"
			}
			vnfd := ""
			if c.pkg == withCA {
				vnfd = b.OnboardWithCA()
			} else {
				vnfd = b.OnboardDir(filepath.Join("../vnfpkg/samples", c.pkg))
			}
			body := c.read(t)
			put(request, c.at, body)
			connect(request["vimConnectionInfo"], vims)
			readsAll(b, t, c.shownBody, body, "POST", b.Create(root, vnfd)+"/instantiate", request)
		})
	}
}

// readsAll checks that the API accepts a request with a page's body in it, and refuses it as soon as any member of the
// body has a value of a wrong type. This shows that the API reads each of the members, and that none is misspelt.
func readsAll(b *servertest.Bench, t *testing.T, s shownBody, body any, method, url string, request map[string]any) {
	t.Helper()
	contentType := "Content-Type: application/json"
	if method == http.MethodPatch {
		contentType = servertest.AsMergePatch
	}
	refused := []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
	for _, path := range members(strings.TrimSuffix("/"+s.at, "/"), body) {
		if slices.ContainsFunc(strings.Fields(s.free), func(f string) bool { return strings.HasPrefix(path, f) }) {
			continue
		}
		a := b.Do(method, url, wrong(t, request, path), contentType)
		require.Contains(t, refused, a.Status, "the server does not read %s of %s", path, s.page)
	}
	a := b.Do(method, url, request, contentType)
	require.Contains(t, []int{http.StatusAccepted, http.StatusCreated}, a.Status, "%s", a.Body)
}

// noRequests are JSON texts of how-to pages that belong to no request, with the reasons.
var noRequests = map[shownBody]string{
	{page: "containers.md"}:          "a part of an answer",
	{page: "failed-operations.md"}:   "an order for the lab",
	{page: "pod-network.md", nth: 1}: "a part of flannel's configuration, with which TestIPv6OnRealMachines makes a cluster",
}

// TestDocumentedBodies_areAllSent finds bodies of how-to pages that the other tests do not send.
func TestDocumentedBodies_areAllSent(t *testing.T) {
	sent := map[shownBody]bool{}
	know := func(s shownBody) { sent[shownBody{page: s.page, nth: s.nth}] = true }
	for _, c := range instantiating {
		know(c.shownBody)
	}
	for _, c := range changing {
		know(c.shownBody)
	}
	for s := range noRequests {
		know(s)
	}
	files, err := os.ReadDir("../docs/how-to")
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == "containers.md" }))
	for _, file := range files {
		for n, body := range bodies(t, file.Name()) {
			assert.True(t, sent[shownBody{page: file.Name(), nth: n}], "no test sends body %d of %s: %v", n, file.Name(), body)
		}
	}
}
