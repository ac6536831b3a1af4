package openstack_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackevents"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"
)

// nfv returns the parameter that Tacker's user data makes for the sample packages.
func nfv() map[string]any {
	return map[string]any{
		"VDU": map[string]any{
			"masterNode": map[string]any{"flavor": "m1.medium", "image": "Image for masterNode HA kubernetes"},
			"workerNode": map[string]any{"flavor": "m1.medium", "image": "Image for workerNode HA kubernetes"},
		},
		"CP": map[string]any{
			"masterNode_CP1": map[string]any{"network": "net0"},
			"workerNode_CP2": map[string]any{"network": "net0"},
		},
	}
}

// foreign reads a flavour of the foreign package.
func foreign(t *testing.T, flavour string) *stacks.Template {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "packages", "kubernetes_vnf_package", "BaseHOT", flavour)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the foreign package is not beside the repository: %v", err)
	}
	return read(t, filepath.Join(dir, flavour+"_hot_top.yaml"), filepath.Join(dir, "nested"))
}

func read(t *testing.T, top, nested string) *stacks.Template {
	t.Helper()
	main, err := os.ReadFile(top)
	require.NoError(t, err)
	files := map[string]string{}
	entries, err := os.ReadDir(nested)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(nested, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(text)
	}
	return template(string(main), files)
}

// create creates a stack as Windlass does. gophercloud's own options would look for the files on disk.
func (b *bench) create(
	sc *gophercloud.ServiceClient, name string, tmpl *stacks.Template, params map[string]any,
) string {
	b.t.Helper()
	id, err := b.post(sc, name, tmpl, params)
	require.NoError(b.t, err)
	return id
}

func (b *bench) post(
	sc *gophercloud.ServiceClient, name string, tmpl *stacks.Template, params map[string]any,
) (string, error) {
	var out struct {
		Stack struct {
			ID string `json:"id"`
		} `json:"stack"`
	}
	_, err := sc.Post(b.t.Context(), sc.ServiceURL("stacks"), map[string]any{
		"stack_name": name, "template": string(tmpl.Bin), "files": tmpl.Files, "parameters": params, "timeout_mins": 20,
		"disable_rollback": true, "tags": "a,b",
	}, &out, nil)
	return out.Stack.ID, err
}

// patch updates an existing stack.
func (b *bench) patch(sc *gophercloud.ServiceClient, st *stacks.RetrievedStack, params map[string]any) {
	b.t.Helper()
	require.NoError(b.t, stacks.UpdatePatch(b.t.Context(), sc, st.Name, st.ID,
		stacks.UpdateOpts{Parameters: params}).ExtractErr())
}

func (b *bench) resources(
	sc *gophercloud.ServiceClient, st *stacks.RetrievedStack, depth int,
) []stackresources.Resource {
	b.t.Helper()
	pages, err := stackresources.List(sc, st.Name, st.ID, stackresources.ListOpts{Depth: depth}).AllPages(b.t.Context())
	require.NoError(b.t, err)
	all, err := stackresources.ExtractResources(pages)
	require.NoError(b.t, err)
	return all
}

func ofType(all []stackresources.Resource, typ string) []stackresources.Resource {
	return slices.DeleteFunc(slices.Clone(all), func(r stackresources.Resource) bool { return r.Type != typ })
}

// stackOf returns the name and the id in a resource's link to its stack.
func stackOf(t *testing.T, r stackresources.Resource) (name, id string) {
	t.Helper()
	for _, l := range r.Links {
		if l.Rel == "stack" {
			parts := strings.Split(l.Href, "/")
			return parts[len(parts)-2], parts[len(parts)-1]
		}
	}
	t.Fatal("a resource without a link to its stack")
	return "", ""
}

func TestForeignComplexStackRuns(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "vnf-complex", foreign(t, "complex"), map[string]any{"nfv": nfv()})
	st := b.await(sc, id, "CREATE_COMPLETE")
	all := b.resources(sc, st, 3)
	require.Len(t, ofType(all, "OS::Nova::Server"), 5)
	vip, err := stackresources.Get(t.Context(), sc, st.Name, st.ID, "vip_CP").Extract()
	require.NoError(t, err)
	address := vip.Attributes["fixed_ips"].([]any)[0].(map[string]any)["ip_address"].(string)
	allowed := 0
	for _, p := range ofType(all, "OS::Neutron::Port") {
		if slices.Equal(b.machines.port(p.PhysicalID).AllowedAddresses, []string{address}) {
			allowed++
		}
	}
	require.Equal(t, 3, allowed, "each control plane may use the virtual address")
	require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
	b.await(sc, id, "DELETE_COMPLETE")
	b.requireEmpty()
}

func TestForeignSimpleStackScalesBySignal(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "vnf-simple", foreign(t, "simple"), map[string]any{"nfv": nfv()})
	st := b.await(sc, id, "CREATE_COMPLETE")
	_, err := sc.Post(t.Context(), sc.ServiceURL("stacks", st.Name, st.ID, "resources", "worker_instance_scale_out",
		"signal"), nil, nil,
		&gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(b.machines.names()) == 4 }, time.Minute, 10*time.Millisecond)
}

func TestForeignAntiAffinityStackSpreadsServers(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "vnf-affinity", foreign(t, "podaffinity"), map[string]any{"nfv": nfv()})
	st := b.await(sc, id, "CREATE_COMPLETE")
	nc := b.nova()
	hosts := map[string]map[string]bool{}
	for _, r := range ofType(b.resources(sc, st, 3), "OS::Nova::Server") {
		s, err := servers.Get(t.Context(), nc, r.PhysicalID).Extract()
		require.NoError(t, err)
		if hosts[r.Name] == nil {
			hosts[r.Name] = map[string]bool{}
		}
		require.False(t, hosts[r.Name][s.HostID], "two of a group on %s", s.HostID)
		hosts[r.Name][s.HostID] = true
	}
}

// cluster returns the lab's own test template, which has everything that Windlass needs from Heat.
func cluster(t *testing.T) *stacks.Template {
	t.Helper()
	return read(t, filepath.Join("testdata", "cluster.yaml"), filepath.Join("testdata", "nested"))
}

func TestClusterLifeThroughTheAPI(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "c1", cluster(t), nil)
	st := b.await(sc, "c1", "CREATE_COMPLETE") // Heat redirects a request with the name
	require.Equal(t, id, st.ID)
	require.Equal(t, []string{"a", "b"}, st.Tags)
	require.Equal(t, "******", st.Parameters["secret"])
	outputs := map[string]any{}
	for _, o := range st.Outputs {
		outputs[o["output_key"].(string)] = o["output_value"]
	}
	require.Len(t, outputs["worker_ips"], 2)
	require.Equal(t, "/dev/vdb", outputs["device"])
	require.NotEmpty(t, outputs["floating"])
	require.InDelta(t, 2, outputs["size"], 0)

	b.patch(sc, st, map[string]any{"workers": 3})
	b.await(sc, id, "UPDATE_COMPLETE")
	require.Len(t, b.machines.names(), 5)

	// The presigned URL scales without a token.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, outputs["alarm"].(string), nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Eventually(t, func() bool { return len(b.machines.names()) == 6 }, time.Minute, 10*time.Millisecond)
	forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		strings.Replace(outputs["alarm"].(string), "workers_out", "workers_in", 1), nil)
	require.NoError(t, err)
	res, err = http.DefaultClient.Do(forged)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusForbidden, res.StatusCode)

	pages, err := stackevents.List(sc, st.Name, st.ID, nil).AllPages(t.Context())
	require.NoError(t, err)
	events, err := stackevents.ExtractEvents(pages)
	require.NoError(t, err)
	require.Equal(t, "CREATE_IN_PROGRESS", events[len(events)-1].ResourceStatus)
	require.Equal(t, "Stack CREATE started", events[len(events)-1].ResourceStatusReason)

	require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
	b.await(sc, id, "DELETE_COMPLETE")
	b.requireEmpty()
	_, err = stacks.Find(t.Context(), sc, "c1").Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound))
}

func TestUnhealthyServerIsReplacedAloneAndKeepsItsPort(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "c1", cluster(t), nil)
	st := b.await(sc, id, "CREATE_COMPLETE")
	before := ofType(b.resources(sc, st, 3), "OS::Nova::Server")
	victim := before[1]
	name, nested := stackOf(t, victim)
	require.NoError(t, stackresources.MarkUnhealthy(t.Context(), sc, name, nested, victim.Name,
		stackresources.MarkUnhealthyOpts{MarkUnhealthy: true, ResourceStatusReason: "dead"}).ExtractErr())
	b.patch(sc, st, nil)
	b.await(sc, id, "UPDATE_COMPLETE")
	after := ofType(b.resources(sc, st, 3), "OS::Nova::Server")
	ids := func(list []stackresources.Resource) (out []string) {
		for _, r := range list {
			out = append(out, r.PhysicalID)
		}
		return out
	}
	gone := slices.DeleteFunc(ids(before), func(id string) bool { return slices.Contains(ids(after), id) })
	require.Equal(t, []string{victim.PhysicalID}, gone)
	require.Len(t, after, len(before))
	require.Len(t, b.machines.names(), len(before))
}

func TestRestartInTheMiddleOfAStack(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	hold := make(chan struct{})
	b.machines.hold = hold
	id := b.create(sc, "c1", cluster(t), nil)
	nc := b.nova()
	building := func() int {
		pages, err := servers.List(nc, nil).AllPages(t.Context())
		require.NoError(t, err)
		all, err := servers.ExtractServers(pages)
		require.NoError(t, err)
		return len(all)
	}
	require.Eventually(t, func() bool { return building() == 4 }, time.Minute, 10*time.Millisecond)
	b.restart()
	require.Equal(t, 4, building())
	close(hold)
	st := b.await(sc, id, "CREATE_COMPLETE")
	require.Equal(t, 4, building(), "none lost, none doubled")
	require.Len(t, b.machines.names(), 4)

	// A stack from before a restart still works after it.
	b.restart()
	b.patch(sc, st, map[string]any{"workers": 3})
	b.await(sc, id, "UPDATE_COMPLETE")
	require.Len(t, b.machines.names(), 5)
}

func TestInjectedHeatFailureThenRetry(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	code, _ := b.lab("POST", "/faults", map[string]any{"resource": "vip"})
	require.Equal(t, http.StatusCreated, code)
	id := b.create(sc, "c1", cluster(t), nil)
	st := b.await(sc, id, "CREATE_FAILED")
	require.Equal(t, `Resource CREATE failed: ResourceInError: resources.vip: Went to status ERROR due to "Message: By order, the lab fails this resource., Code: 500"`, st.StatusReason)
	b.patch(sc, st, nil)
	b.await(sc, id, "UPDATE_COMPLETE")
	require.Len(t, b.machines.names(), 4)
}

func TestQuotaFailuresReadAsHeatTellsThem(t *testing.T) {
	for name, c := range map[string]struct {
		path, key string
		quota     map[string]any
		want      string
	}{
		"instances": {
			"/compute/v2.1/os-quota-sets/%s", "quota_set",
			map[string]any{"instances": 3},
			`^Resource CREATE failed: Forbidden: resources\.(storage|(masters|workers)\.resources\.\w+\.resources\.server): Quota exceeded for instances: Requested 1, but already used 3 of 3 instances \(HTTP 403\) \(Request-ID: req-`,
		},
		"ports": {
			"/networking/v2.0/quotas/%s", "quota",
			map[string]any{"port": 2},
			`^Resource CREATE failed: OverQuotaClient: resources\.[\w.]+: Quota exceeded for resources: \['port'\]\.\nNeutron server returns request_ids`,
		},
		"volumes": {
			"/volume/v3/%s/os-quota-sets/%s", "quota_set",
			map[string]any{"gigabytes": 1},
			`^Resource CREATE failed: OverLimit: resources\.data: VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota\. Requested 2G, quota is 1G and 0G has been consumed\. \(HTTP 413\)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			admin, err := b.provider("admin", adminPassword, "demo")
			require.NoError(t, err)
			body, err := json.Marshal(map[string]any{c.key: c.quota})
			require.NoError(t, err)
			code, _ := b.raw("PUT", strings.ReplaceAll(c.path, "%s", b.demoProject()), admin.Token(),
				strings.NewReader(string(body)))
			require.Equal(t, http.StatusOK, code)
			sc := b.heat()
			id := b.create(sc, "c1", cluster(t), nil)
			st := b.await(sc, id, "CREATE_FAILED")
			require.Regexp(t, c.want, st.StatusReason)
			require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
			b.await(sc, id, "DELETE_COMPLETE")
			b.requireEmpty()
		})
	}
}

func TestNoValidHostFailsTheServer(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	b.lab("POST", "/faults", map[string]any{"no_valid_host": true})
	id := b.create(sc, "c1", cluster(t), nil)
	st := b.await(sc, id, "CREATE_FAILED")
	require.Regexp(t, `resources\.(server|storage): Went to status ERROR due to "Message: No valid host was found\. There are not enough hosts available\., Code: 500"$`, st.StatusReason)
}

func TestBadStackRequests(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	_, err := b.post(sc, "s", template("heat_template_version: 2018-08-31\nresources: {x: {type: OS::Foo::Bar}}", nil),
		nil)
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusBadRequest))
	require.ErrorContains(t, err, "The Resource Type (OS::Foo::Bar) could not be found.")
	params := nfv()
	params["VDU"].(map[string]any)["masterNode"].(map[string]any)["image"] = "no such image"
	_, err = b.post(sc, "s", cluster(t), map[string]any{"image": "no such image"})
	require.ErrorContains(t, err, "The Image (no such image) could not be found.")
	b.create(sc, "twice", cluster(t), nil)
	_, err = b.post(sc, "twice", cluster(t), nil)
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	require.ErrorContains(t, err, "The Stack (twice) already exists.")
	_, err = stacks.Get(t.Context(), sc, "twice", "00000000-0000-0000-0000-000000000000").Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound))
}

func TestStackNamedWithoutItsIDIsRedirected(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "c1", cluster(t), nil)
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for call, want := range map[string]string{
		"GET /stacks/c1": "/stacks/c1/" + id, "PATCH /stacks/c1": "/stacks/c1/" + id, "DELETE /stacks/c1": "/stacks/c1/" + id,
		"GET /stacks/" + id: "/stacks/c1/" + id, "POST /stacks/c1/actions": "/stacks/c1/" + id + "/actions",
		"GET /stacks/c1/resources?nested_depth=2": "/stacks/c1/" + id + "/resources?nested_depth=2",
	} {
		method, path, _ := strings.Cut(call, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(sc.Endpoint, "/")+path, nil)
		require.NoError(t, err)
		req.Header.Set("X-Auth-Token", sc.Token())
		res, err := c.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusFound, res.StatusCode, call)
		require.True(t, strings.HasSuffix(res.Header.Get("Location"), want), res.Header.Get("Location"))
	}
}
