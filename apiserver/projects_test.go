package apiserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestProjects_noRouteLeadsToTheResourcesOfAnother(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	body := map[string]string{"/v1.0/vims/:vimId": `{"vim":{"description":"mine now"}}`}
	var reads int
	everyRoute(b, func(method, pattern, _ string) {
		if open := strings.HasSuffix(pattern, "/api_versions") || method == http.MethodOptions ||
			pattern == "/docs/*"; open ||
			!strings.Contains(pattern, ":") {
			return
		}
		path, absent := e.At(pattern)
		require.NotContains(t, path, "//", "a parameter of %s is not known to this test", pattern)
		require.False(t, strings.HasSuffix(path, "/"), "a parameter of %s is not known to this test", pattern)
		var request any
		if method != http.MethodGet && method != http.MethodHead && method != http.MethodDelete {
			request = "{}"
			if special, ok := body[pattern]; ok {
				request = special
			}
		}
		what := method + " " + pattern
		theirs := b.Do(method, path, request, servertest.Core)
		nobodys := b.Do(method, absent, request, servertest.Core)
		require.Equal(t, http.StatusNotFound, theirs.Status, "%s: %s", what, theirs.Body)
		require.Equal(t, string(nobodys.Body), replaced(string(theirs.Body), path, absent),
			"%s shows that the object exists", what)
		if strings.HasSuffix(pattern, "/events") {
			return // the stream of the owner does not end
		}
		if method == http.MethodGet && b.Do(method, path, nil, servertest.Edge).Status != http.StatusNotFound {
			reads++
		}
	})
	require.Greater(t, reads, 12, "the owner finds what the other does not")
	// None of the requests has changed anything.
	require.Equal(t, lcm.FailedTemp, b.Operation("/"+e.IDs["vnfLcmOpOccId"]).State)
	vim, err := b.Store.Vim(t.Context(), lcm.VimID(e.IDs["vimId"]))
	require.NoError(t, err)
	require.Empty(t, vim.Description)
}

// replaced converts an answer about one path into an answer about another path.
func replaced(text, path, other string) string {
	a, b := strings.Split(path, "/"), strings.Split(other, "/")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			text = strings.ReplaceAll(text, a[i], b[i])
		}
	}
	return text
}

func TestProjects_listsHaveTheProjectsOwn(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	count := func(client, path string) int {
		doc := b.Do("GET", path, nil, client)
		if vims, ok := doc.Want(http.StatusOK)["vims"].([]any); ok {
			return len(vims)
		}
		return len(doc.List())
	}
	lists := 0
	everyRoute(b, func(method, pattern, path string) {
		if method != http.MethodGet || strings.Contains(pattern, ":") || !isList(pattern) {
			return
		}
		lists++
		if pattern != "/windlass/v1/audit" { // the audit contains core's own attempts
			require.Zero(t, count(servertest.Core, path), path)
		}
		require.Positive(t, count(servertest.Edge, path), path)
		require.Positive(t, count(servertest.Ops, path), "%s: an administrator sees everything", path)
	})
	require.Equal(t, 16, lists)
	for _, r := range b.Do("GET", "/windlass/v1/audit", nil, servertest.Core).List() {
		require.Equal(t, "core", r["projectId"])
	}
	for name, path := range map[string]string{
		"vnfInstanceId": "/vnflcm/v2/vnf_instances", "vnfLcmOpOccId": "/vnflcm/v2/vnf_lcm_op_occs",
		"vnfPkgId": "/vnfpkgm/v1/vnf_packages", "vnfSnapshotInfoId": "/vnflcm/v2/vnf_snapshots",
	} {
		query := "?filter=(eq,id," + e.IDs[name] + ")"
		require.Empty(t, b.Do("GET", path+query, nil, servertest.Core).List(), "a filter does not reach further")
		require.Len(t, b.Do("GET", path+query, nil, servertest.Edge).List(), 1)
	}
	require.Empty(t, b.Do("GET", "/v1.0/vims?name=lab", nil, servertest.Core).Want(http.StatusOK)["vims"])
}

// isList reports whether a route is that of a collection.
func isList(pattern string) bool {
	return slices.Contains([]string{
		"vnf_instances", "vnf_lcm_op_occs", "subscriptions", "vnf_packages",
		"onboarded_vnf_packages", "vims", "vims.json", "vnf_snapshots", "dead_letters", "audit",
	}, servertest.LastPart(pattern))
}

func TestProjects_pagesStayInTheProject(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) { o.API.PageSize = 2 })
	for i := range 10 {
		client := servertest.Edge
		if i%2 == 1 {
			client = servertest.Core
		}
		b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{"userDefinedData": map[string]any{"n": i}},
			client).Want(http.StatusCreated)
	}
	seen, path := 0, "/vnfpkgm/v1/vnf_packages?all_fields"
	for path != "" {
		page := b.Do("GET", path, nil, servertest.Edge)
		for _, item := range page.List() {
			require.Zero(t, int(item["userDefinedData"].(map[string]any)["n"].(float64))%2)
			seen++
		}
		_, link, _ := strings.Cut(page.Header.Get("Link"), servertest.Endpoint)
		if path, _, _ = strings.Cut(link, ">"); path == "" {
			break
		}
		// A marker from another project reveals none of its packages.
		for _, item := range b.Do("GET", path, nil, servertest.Core).List() {
			require.Equal(t, 1, int(item["userDefinedData"].(map[string]any)["n"].(float64))%2)
		}
	}
	require.Equal(t, 5, seen)
}

func TestProjects_nothingOfAnotherCanBeUsed(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	b.Client = servertest.Core
	refused := b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": e.VnfdID})
	require.Contains(t, refused.Problem(http.StatusUnprocessableEntity), "no on-boarded VNF package")

	// Each project can use all names, but each only once.
	_, vnfdID := b.Onboard()
	require.Equal(t, e.VnfdID, vnfdID)
	instance := b.Create("/vnflcm/v1", vnfdID)
	request := servertest.ClusterRequest(e.IDs["vimId"])
	require.Contains(t, b.Do("POST", instance+"/instantiate", request).Problem(http.StatusUnprocessableEntity),
		"there is no VIM")
	delete(request, "vimConnectionInfo")
	require.Contains(t, b.Do("POST", instance+"/instantiate", request).Problem(http.StatusUnprocessableEntity),
		"no VIM is registered as the default one")
	vim := b.RegisterVim("lab", true)
	b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://x", "auth_cred": map[string]any{"a": "b"},
	}}).Want(http.StatusConflict)
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
	got, err := b.Store.Instance(t.Context(), lcm.VnfInstanceID(servertest.LastPart(instance)))
	require.NoError(t, err)
	require.Equal(t, lcm.ProjectID("core"), got.ProjectID)
	require.Equal(t, lcm.VimID(vim), got.VimConnections[0].VimID, "the default VIM of its own project")
	require.Equal(t, "core", b.Do("GET", "/v1.0/vims/"+vim, nil).Want(http.StatusOK)["vim"].(map[string]any)["tenant_id"])

	again := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	require.Contains(t, b.Do("PUT", again.Path()+"/package_content", string(csar),
		"Content-Type: application/zip").Problem(http.StatusConflict), "on board already")
}

func TestProjects_notificationsStayInTheProject(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	b.Client = servertest.Core
	sub := b.Do("POST", "/vnflcm/v1/subscriptions", servertest.SubscriptionTo(nil))
	sub.Want(http.StatusCreated)
	mine := lcm.SubscriptionID(servertest.LastPart(sub.Path()))
	require.NotEqual(t, e.Subscriptions["/vnflcm/v1"], string(mine), "what another has subscribed to is no duplicate")
	theirs := lcm.SubscriptionID(e.Subscriptions["/vnflcm/v2"])
	require.NotEmpty(t, b.Outbox(theirs))
	b.Enter("/"+e.IDs["vnfLcmOpOccId"], lcm.RollingBack)
	require.Len(t, b.Outbox(theirs), 1)
	require.Empty(t, b.Outbox(mine))

	_, vnfdID := b.Onboard()
	b.Create("/vnflcm/v1", vnfdID)
	require.Len(t, b.Outbox(mine), 1)
	require.Empty(t, b.Outbox(theirs))
}

func TestProjects_anAdministratorWorksInTheProjectOfTheResource(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	b.Client = servertest.Ops
	op := "/vnflcm/v1/vnf_lcm_op_occs/" + e.IDs["vnfLcmOpOccId"]
	b.Do("POST", op+"/fail", nil).Want(http.StatusOK)
	instance := "/vnflcm/v1/vnf_instances/" + e.IDs["vnfInstanceId"]
	request := servertest.ClusterRequest("")
	delete(request, "vimConnectionInfo")
	again := b.Do("POST", instance+"/instantiate", request)
	again.Want(http.StatusAccepted) // with edge's own VIM
	require.Equal(t, lcm.ProjectID("edge"), b.Operation(again.Path()).ProjectID)
	b.Do("GET", again.Path(), nil, servertest.Edge).Want(http.StatusOK)
	b.Do("GET", again.Path(), nil, servertest.Core).Problem(http.StatusNotFound)
	b.Do("PUT", "/v1.0/vims/"+e.IDs["vimId"],
		map[string]any{"vim": map[string]any{"description": "seen to"}}).Want(http.StatusOK)
	b.Do("POST", "/windlass/v1/dead_letters/"+e.IDs["deadLetterId"]+"/redeliver", nil).Want(http.StatusAccepted)

	// An administrator's new resources belong to the administrator's own project, and use the resources of that
	// project.
	b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": e.VnfdID}).Problem(http.StatusUnprocessableEntity)
	b.Onboard()
	own := b.Create("/vnflcm/v1", e.VnfdID)
	b.Do("GET", own, nil, servertest.Edge).Problem(http.StatusNotFound)
}
