package apiserver

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Two projects, and an administrator of all projects.
var (
	edge = as("edge", "windlass:write")
	core = as("core", "windlass:write")
	ops  = as("default", "windlass:admin")
)

// ownedByEdge has one resource of each kind that belongs to the project edge, by the parameter for it in paths.
type ownedByEdge struct {
	ids    map[string]string
	vnfdID string
	// subscriptions are the subscriptions of both versions.
	subscriptions map[string]string
}

var apiRoot = regexp.MustCompile(`^/\w+/v\d`)

func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// twoProjects returns an API server on which edge has one resource of each kind.
func twoProjects(t *testing.T, change ...func(*Options)) (*bench, ownedByEdge) {
	t.Helper()
	b := newBench(t, append(change, withAuth, func(o *Options) { o.Notifications.TestCallback = false })...)
	b.client = edge
	e := ownedByEdge{ids: map[string]string{}, subscriptions: map[string]string{}}
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2", "/vnfpkgm/v1"} {
		e.subscriptions[root] = last(b.do("POST", root+"/subscriptions", subscribe(nil)).path())
	}
	var pkg string
	pkg, e.vnfdID = b.onboard()
	vim := b.registerVim("lab", true)
	instance := b.create("/vnflcm/v1", e.vnfdID)
	op := b.do("POST", instance+"/instantiate", clusterRequest(vim))
	op.want(http.StatusAccepted)
	b.enter(op.path(), lcm.Processing)
	b.enter(op.path(), lcm.FailedTemp)
	ctx := t.Context()
	letter, err := b.store.NextDelivery(ctx, lcm.SubscriptionID(e.subscriptions["/vnflcm/v1"]))
	require.NoError(t, err)
	require.NoError(t, b.store.NotDelivered(ctx, letter.ID, "nobody there"))
	require.NoError(t, b.store.Bury(ctx, letter.ID, 0))
	snapshot := b.do("POST", snapshots, `{}`)
	e.ids = map[string]string{
		"vnfPkgId": last(pkg), "vimId": vim, "vnfInstanceId": last(instance), "vnfLcmOpOccId": last(op.path()),
		"vnfdId": e.vnfdID, "deadLetterId": strconv.FormatInt(letter.ID, 10), "index": "0", "vnfcInstanceId": someID,
		"vnfSnapshotInfoId": last(snapshot.path()), "serverId": someID, "*": "TOSCA-Metadata/TOSCA.meta",
	}
	b.client = ""
	return b, e
}

// at fills edge's resources into the pattern of a route, and for absent, ids that do not exist.
func (e ownedByEdge) at(pattern string) (real, absent string) {
	fill := func(known bool) string {
		return pathParam.ReplaceAllStringFunc(pattern, func(param string) string {
			name := strings.TrimPrefix(param, ":")
			switch {
			case !known && name == "deadLetterId":
				return "999"
			case !known && strings.HasSuffix(name, "Id"):
				return "00000000-0000-4000-8000-000000000000"
			case name == "subscriptionId":
				return e.subscriptions[apiRoot.FindString(pattern)]
			default:
				return e.ids[name]
			}
		})
	}
	return fill(true), fill(false)
}

func TestProjects_noRouteLeadsToTheResourcesOfAnother(t *testing.T) {
	b, e := twoProjects(t)
	body := map[string]string{"/v1.0/vims/:vimId": `{"vim":{"description":"mine now"}}`}
	var reads int
	b.everyRoute(func(method, pattern, _ string) {
		if open := strings.HasSuffix(pattern, "/api_versions") || method == http.MethodOptions || pattern == "/docs/*"; open ||
			!strings.Contains(pattern, ":") {
			return
		}
		path, absent := e.at(pattern)
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
		theirs := b.do(method, path, request, core)
		nobodys := b.do(method, absent, request, core)
		require.Equal(t, http.StatusNotFound, theirs.Status, "%s: %s", what, theirs.Body)
		require.Equal(t, string(nobodys.Body), replaced(string(theirs.Body), path, absent),
			"%s shows that the object exists", what)
		if strings.HasSuffix(pattern, "/events") {
			return // the stream of the owner does not end
		}
		if method == http.MethodGet && b.do(method, path, nil, edge).Status != http.StatusNotFound {
			reads++
		}
	})
	require.Greater(t, reads, 12, "the owner finds what the other does not")
	// None of the requests has changed anything.
	require.Equal(t, lcm.FailedTemp, b.operation("/"+e.ids["vnfLcmOpOccId"]).State)
	vim, err := b.store.Vim(t.Context(), lcm.VimID(e.ids["vimId"]))
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
	b, e := twoProjects(t)
	count := func(client, path string) int {
		doc := b.do("GET", path, nil, client)
		if vims, ok := doc.want(http.StatusOK)["vims"].([]any); ok {
			return len(vims)
		}
		return len(doc.list())
	}
	lists := 0
	b.everyRoute(func(method, pattern, path string) {
		if method != http.MethodGet || strings.Contains(pattern, ":") || !isList(pattern) {
			return
		}
		lists++
		if pattern != "/windlass/v1/audit" { // the audit contains core's own attempts
			require.Zero(t, count(core, path), path)
		}
		require.Positive(t, count(edge, path), path)
		require.Positive(t, count(ops, path), "%s: an administrator sees everything", path)
	})
	require.Equal(t, 16, lists)
	for _, r := range b.do("GET", "/windlass/v1/audit", nil, core).list() {
		require.Equal(t, "core", r["projectId"])
	}
	for name, path := range map[string]string{
		"vnfInstanceId": "/vnflcm/v2/vnf_instances", "vnfLcmOpOccId": "/vnflcm/v2/vnf_lcm_op_occs",
		"vnfPkgId": "/vnfpkgm/v1/vnf_packages", "vnfSnapshotInfoId": "/vnflcm/v2/vnf_snapshots",
	} {
		query := "?filter=(eq,id," + e.ids[name] + ")"
		require.Empty(t, b.do("GET", path+query, nil, core).list(), "a filter does not reach further")
		require.Len(t, b.do("GET", path+query, nil, edge).list(), 1)
	}
	require.Empty(t, b.do("GET", "/v1.0/vims?name=lab", nil, core).want(http.StatusOK)["vims"])
}

// isList reports whether a route is that of a collection.
func isList(pattern string) bool {
	return slices.Contains([]string{
		"vnf_instances", "vnf_lcm_op_occs", "subscriptions", "vnf_packages",
		"onboarded_vnf_packages", "vims", "vims.json", "vnf_snapshots", "dead_letters", "audit",
	}, last(pattern))
}

func TestProjects_pagesStayInTheProject(t *testing.T) {
	b := newBench(t, withAuth, func(o *Options) { o.API.PageSize = 2 })
	for i := range 10 {
		client := edge
		if i%2 == 1 {
			client = core
		}
		b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{"userDefinedData": map[string]any{"n": i}},
			client).want(http.StatusCreated)
	}
	seen, path := 0, "/vnfpkgm/v1/vnf_packages?all_fields"
	for path != "" {
		page := b.do("GET", path, nil, edge)
		for _, item := range page.list() {
			require.Zero(t, int(item["userDefinedData"].(map[string]any)["n"].(float64))%2)
			seen++
		}
		_, link, _ := strings.Cut(page.Header.Get("Link"), endpoint)
		if path, _, _ = strings.Cut(link, ">"); path == "" {
			break
		}
		// A marker from another project reveals none of its packages.
		for _, item := range b.do("GET", path, nil, core).list() {
			require.Equal(t, 1, int(item["userDefinedData"].(map[string]any)["n"].(float64))%2)
		}
	}
	require.Equal(t, 5, seen)
}

func TestProjects_nothingOfAnotherCanBeUsed(t *testing.T) {
	b, e := twoProjects(t)
	b.client = core
	refused := b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": e.vnfdID})
	require.Contains(t, refused.problem(http.StatusUnprocessableEntity), "no on-boarded VNF package")

	// Each project can use all names, but each only once.
	_, vnfdID := b.onboard()
	require.Equal(t, e.vnfdID, vnfdID)
	instance := b.create("/vnflcm/v1", vnfdID)
	request := clusterRequest(e.ids["vimId"])
	require.Contains(t, b.do("POST", instance+"/instantiate", request).problem(http.StatusUnprocessableEntity),
		"there is no VIM")
	delete(request, "vimConnectionInfo")
	require.Contains(t, b.do("POST", instance+"/instantiate", request).problem(http.StatusUnprocessableEntity),
		"no VIM is registered as the default one")
	vim := b.registerVim("lab", true)
	b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://x", "auth_cred": map[string]any{"a": "b"},
	}}).want(http.StatusConflict)
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
	got, err := b.store.Instance(t.Context(), lcm.VnfInstanceID(last(instance)))
	require.NoError(t, err)
	require.Equal(t, lcm.ProjectID("core"), got.ProjectID)
	require.Equal(t, lcm.VimID(vim), got.VimConnections[0].VimID, "the default VIM of its own project")
	require.Equal(t, "core", b.do("GET", "/v1.0/vims/"+vim, nil).want(http.StatusOK)["vim"].(map[string]any)["tenant_id"])

	again := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	csar, err := samplePackage()
	require.NoError(t, err)
	require.Contains(t, b.do("PUT", again.path()+"/package_content", string(csar),
		"Content-Type: application/zip").problem(http.StatusConflict), "on board already")
}

func TestProjects_notificationsStayInTheProject(t *testing.T) {
	b, e := twoProjects(t)
	b.client = core
	sub := b.do("POST", "/vnflcm/v1/subscriptions", subscribe(nil))
	sub.want(http.StatusCreated)
	mine := lcm.SubscriptionID(last(sub.path()))
	require.NotEqual(t, e.subscriptions["/vnflcm/v1"], string(mine), "what another has subscribed to is no duplicate")
	theirs := lcm.SubscriptionID(e.subscriptions["/vnflcm/v2"])
	require.NotEmpty(t, b.outbox(theirs))
	b.enter("/"+e.ids["vnfLcmOpOccId"], lcm.RollingBack)
	require.Len(t, b.outbox(theirs), 1)
	require.Empty(t, b.outbox(mine))

	_, vnfdID := b.onboard()
	b.create("/vnflcm/v1", vnfdID)
	require.Len(t, b.outbox(mine), 1)
	require.Empty(t, b.outbox(theirs))
}

func TestProjects_anAdministratorWorksInTheProjectOfTheResource(t *testing.T) {
	b, e := twoProjects(t)
	b.client = ops
	op := "/vnflcm/v1/vnf_lcm_op_occs/" + e.ids["vnfLcmOpOccId"]
	b.do("POST", op+"/fail", nil).want(http.StatusOK)
	instance := "/vnflcm/v1/vnf_instances/" + e.ids["vnfInstanceId"]
	request := clusterRequest("")
	delete(request, "vimConnectionInfo")
	again := b.do("POST", instance+"/instantiate", request)
	again.want(http.StatusAccepted) // with edge's own VIM
	require.Equal(t, lcm.ProjectID("edge"), b.operation(again.path()).ProjectID)
	b.do("GET", again.path(), nil, edge).want(http.StatusOK)
	b.do("GET", again.path(), nil, core).problem(http.StatusNotFound)
	b.do("PUT", "/v1.0/vims/"+e.ids["vimId"],
		map[string]any{"vim": map[string]any{"description": "seen to"}}).want(http.StatusOK)
	b.do("POST", "/windlass/v1/dead_letters/"+e.ids["deadLetterId"]+"/redeliver", nil).want(http.StatusAccepted)

	// An administrator's new resources belong to the administrator's own project, and use the resources of that
	// project.
	b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": e.vnfdID}).problem(http.StatusUnprocessableEntity)
	b.onboard()
	own := b.create("/vnflcm/v1", e.vnfdID)
	b.do("GET", own, nil, edge).problem(http.StatusNotFound)
}
