package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// howTo are the pages that go on from step 6 of the tutorial. Each is a session of its own. If a page assumes more than
// the tutorial leaves, a function arranges it before, and the comment says what.
var howTo = []session{
	{page: "api-extensions.md"},
	// The file edge.yaml and a kubeconfig: the lab has no Kubernetes API.
	{page: "how-to/vims.md", before: (*reader).haveKubernetes},
	// A server with a package, for a user with a password.
	{page: "how-to/packages.md", own: []string{"SOURCE"}, after: (*reader).requirePackageFetched},
	// A server that takes notifications.
	{page: "how-to/subscriptions.md", own: []string{"NFVO", "PASSWORD"}, after: (*reader).requireTold},
	{page: "how-to/instantiate.md", after: (*reader).planShownRequest},
	{page: "how-to/follow-progress.md"},
	{page: "reference/lists.md"},
	// The file of profiles that the page shows, and an API with TLS that asks for a token of Keystone.
	{
		page: "reference/client.md", own: []string{"VNFM", "AUTHORITIES"}, before: (*reader).haveProfiles,
		after: (*reader).requireIdentified,
	},
	{page: "how-to/drift.md"},
	{page: "how-to/start-and-stop.md"},
	{page: "how-to/modify.md"},
	// A registry that the nodes reach.
	{page: "how-to/registries.md", own: []string{"REGISTRY"}, after: (*reader).planShownRegistries},
	{page: "how-to/failed-operations.md"},
	{page: "how-to/scale-and-heal.md"},
	{page: "how-to/registry-vnf.md"},
	// The registry of the page before, and another network.
	{
		page: "how-to/external-connectivity.md", own: []string{"NETWORK"},
		before: pasting("how-to/registry-vnf.md", "A registry as a VNF"), after: pasting("how-to/registry-vnf.md", removeIt),
	},
	{page: "how-to/change-flavour.md"},
	{page: "how-to/persistent-volumes.md"},
	// A Tacker (Windlass plays its part), a file for Tacker's client, and a package of Tacker.
	{
		page: comingFromTacker, own: []string{"TACKER"}, before: (*reader).haveTackersFiles,
		after: (*reader).leaveTacker,
	},
	// The VNF of the page about persistent volumes. A pod that nothing may move stays on a node of edge-1.
	{
		page: "lab.md", before: pasting("how-to/persistent-volumes.md", "Persistent volumes"),
		after: pasting("how-to/persistent-volumes.md", removeIt), changes: true,
	},
	{page: "how-to/terminate.md", changes: true},
}

const (
	comingFromTacker = "coming-from-tacker.md"
	removeIt         = "Remove it"
)

// TestHowTo pastes each of these pages into a shell, as it stands.
func TestHowTo(t *testing.T) {
	b := newBed(t, "fake")
	o := newOthers(t, b)
	b.beforeTutorial(t)
	tutorial := newReader(t, b)
	tutorial.haveCertificate(t, o)
	tutorial.follow(t, "3. Register the cloud as a VIM", "4. On-board a package")
	for _, s := range howTo {
		if !b.has(t, "edge-1") {
			tutorial.follow(t, "5. Create a VNF instance", "6. Instantiate it")
		}
		if !t.Run(s.page, func(t *testing.T) {
			r := newReader(t, b)
			r.others = o
			r.read(t, s)
			b.requireTidy(t, s)
		}) {
			return // the next page could not begin as the tutorial ends
		}
	}
}

// beforeTutorial removes the package and the cloud that the test's Windlass has: the tutorial brings them itself.
func (b *bed) beforeTutorial(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"package", "delete", b.samplePackage(t)}, {"vim", "delete", b.Vim}} {
		out, err := b.Windlass(t.Context(), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// follow runs sections of the tutorial.
func (r *reader) follow(t *testing.T, sections ...string) {
	t.Helper()
	r.paste(t, session{page: "tutorial.md", sections: sections})
}

// pasting returns a function that runs sections of another page.
func pasting(page string, sections ...string) func(*reader, *testing.T) {
	return func(r *reader, t *testing.T) {
		t.Helper()
		r.paste(t, session{page: page, sections: sections})
	}
}

// requireTidy checks that a page has removed the VNFs, the packages and the VIMs that it has made, so that the next page
// begins as the tutorial ends. If the page has changed edge-1 too much, it removes edge-1.
func (b *bed) requireTidy(t *testing.T, s session) {
	t.Helper()
	if s.changes && b.has(t, "edge-1") {
		for _, args := range [][]string{{"vnf", "terminate", "edge-1", "--wait"}, {"vnf", "delete", "edge-1"}} {
			out, err := b.Windlass(t.Context(), args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	}
	for _, name := range b.names(t, "/vnflcm/v1/vnf_instances", "vnfInstanceName") {
		require.Equal(t, "edge-1", name, "%s leaves a VNF", s.page)
	}
	require.Equal(t, []string{"Kubernetes cluster"}, b.names(t, "/vnfpkgm/v1/vnf_packages", "vnfProductName"), s.page)
	var answer struct {
		Vims []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		} `json:"vims"`
	}
	require.NoError(t, json.Unmarshal(b.Call(t, http.MethodGet, "/v1.0/vims", nil).Body, &answer))
	for _, vim := range answer.Vims {
		require.Contains(t, []string{"lab", "kubernetes-ha"}, vim.Name, "%s leaves a VIM", s.page)
	}
}

// has says whether there is a VNF instance of that name.
func (b *bed) has(t *testing.T, name string) bool {
	t.Helper()
	return slices.Contains(b.names(t, "/vnflcm/v1/vnf_instances", "vnfInstanceName"), name)
}

// names returns an attribute of all resources in a list.
func (b *bed) names(t *testing.T, path, attribute string) (out []string) {
	t.Helper()
	var list []map[string]any
	a := b.Call(t, http.MethodGet, path, nil)
	require.NoError(t, json.Unmarshal(a.Body, &list), "%s", a.Body)
	for _, each := range list {
		name, _ := each[attribute].(string)
		out = append(out, name)
	}
	return out
}
