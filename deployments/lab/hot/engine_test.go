package hot_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

const project = "0123456789abcdef0123456789abcdef"

type bench struct {
	t      *testing.T
	path   string
	store  *state.Store
	cloud  *fakeCloud
	engine *hot.Engine
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "lab.db"), cloud: newFakeCloud()}
	b.open()
	t.Cleanup(func() {
		b.engine.Close()
		require.NoError(t, b.store.Close())
	})
	return b
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	b.store, err = state.Open(b.path)
	require.NoError(b.t, err)
	b.engine = hot.New(hot.Config{Store: b.store, Cloud: b.cloud})
}

// restart stops the engine at any point and lets a new one continue.
func (b *bench) restart() {
	b.t.Helper()
	b.engine.Close()
	require.NoError(b.t, b.store.Close())
	b.open()
	b.engine.Recover()
}

func template(t *testing.T, text string) map[string]any {
	t.Helper()
	doc, err := hot.ParseYAML(text)
	require.NoError(t, err)
	return doc.(map[string]any)
}

// request reads a template of testdata, with all other templates as its files.
func request(t *testing.T, name string) hot.Request {
	t.Helper()
	req := hot.Request{Name: "stack", ProjectID: project, Files: map[string]string{}}
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join("testdata", e.Name()))
		require.NoError(t, err)
		req.Files[e.Name()] = string(b)
	}
	req.Template = template(t, req.Files[name])
	return req
}

func memberRequest(t *testing.T) hot.Request {
	t.Helper()
	req := request(t, "member.yaml")
	req.Parameters = map[string]any{"net": "n1", "image": "i", "flavor": "f"}
	return req
}

func (b *bench) create(req hot.Request) hot.Stack {
	b.t.Helper()
	st, err := b.engine.CreateStack(b.t.Context(), req)
	require.NoError(b.t, err)
	return st
}

// await waits until the stack's action has ended.
func (b *bench) await(id, want string) hot.Stack {
	b.t.Helper()
	var st hot.Stack
	require.Eventually(b.t, func() bool {
		var err error
		st, err = b.engine.Find(project, id)
		return err == nil && st.Status != hot.InProgress
	}, time.Minute, 5*time.Millisecond)
	require.Equal(b.t, want, st.State(), st.Reason)
	return st
}

func (b *bench) group(st hot.Stack, name string) (hot.Stack, []hot.Located) {
	b.t.Helper()
	l, err := b.engine.GetResource(st, name)
	require.NoError(b.t, err)
	require.NotNil(b.t, l.Child)
	return *l.Child, b.engine.ListResources(*l.Child, 0)
}

func (b *bench) output(st hot.Stack, key string) any {
	b.t.Helper()
	all, err := b.engine.Outputs(b.t.Context(), st)
	require.NoError(b.t, err)
	for _, o := range all {
		if o.Key == key {
			require.Empty(b.t, o.Error)
			return o.Value
		}
	}
	b.t.Fatalf("no output %s", key)
	return nil
}

func TestClusterStackIsMadeScaledHealedAndDeleted(t *testing.T) {
	b := newBench(t)
	st := b.create(request(t, "cluster.yaml"))
	st = b.await(st.ID, "CREATE_COMPLETE")
	require.Equal(t, "Stack CREATE completed successfully", st.Reason)
	require.Len(t, b.cloud.of("OS::Nova::Server"), 5)
	require.Len(t, b.cloud.of("OS::Neutron::Port"), 6)
	require.Len(t, b.output(st, "master_ips"), 3)
	vip := b.output(st, "vip")
	for _, p := range b.cloud.of("OS::Neutron::Port") {
		if pairs, ok := p.Properties["allowed_address_pairs"].([]any); ok {
			require.Equal(t, vip, pairs[0].(map[string]any)["ip_address"])
		}
	}

	// Scale out with desired_capacity.
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID,
		hot.Request{Existing: true, Parameters: map[string]any{"workers": 4}}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Nova::Server"), 7)

	// Heal: only the marked member is replaced, and it keeps its name.
	_, members := b.group(st, "workers")
	victim := members[1]
	inside := b.engine.ListResources(*victim.Child, 0)
	before := map[string]bool{}
	for _, s := range b.cloud.of("OS::Nova::Server") {
		before[s.UID] = true
	}
	require.NoError(t, b.engine.MarkUnhealthy(*victim.Child, "server", true, "dead"))
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID, hot.Request{Existing: true}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	fresh := 0
	for _, s := range b.cloud.of("OS::Nova::Server") {
		if !before[s.UID] {
			fresh++
		}
	}
	require.Equal(t, 1, fresh)
	after := b.engine.ListResources(*victim.Child, 0)
	require.Equal(t, inside[0].Resource.Physical, after[0].Resource.Physical, "the port stays")
	require.NotEqual(t, inside[1].Resource.Physical, after[1].Resource.Physical, "the server is new")

	require.NoError(t, b.engine.DeleteStack(st.ID))
	b.await(st.ID, "DELETE_COMPLETE")
	require.Empty(t, b.cloud.things)
	_, err := b.engine.Find(project, "stack")
	require.Error(t, err)
}

func TestScaleInTakesUnhealthyThenOldestMembers(t *testing.T) {
	b := newBench(t)
	req := request(t, "cluster.yaml")
	req.Parameters = map[string]any{"workers": 4}
	st := b.create(req)
	st = b.await(st.ID, "CREATE_COMPLETE")
	group, members := b.group(st, "workers")
	require.Len(t, members, 4)
	victim := members[2].Resource.Name
	require.NoError(t, b.engine.MarkUnhealthy(group, victim, true, ""))
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID,
		hot.Request{Existing: true, Parameters: map[string]any{"workers": 3}}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	_, left := b.group(st, "workers")
	require.Len(t, left, 3)
	for _, m := range left {
		require.NotEqual(t, victim, m.Resource.Name)
	}

	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID,
		hot.Request{Existing: true, Parameters: map[string]any{"workers": 5}}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID,
		hot.Request{Existing: true, Parameters: map[string]any{"workers": 2}}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	_, newest := b.group(st, "workers")
	for _, m := range newest {
		for _, old := range left {
			require.NotEqual(t, old.Resource.Name, m.Resource.Name, "the newest stay")
		}
	}
}

func TestSignalScalesOneStepAndStopsAtTheLimits(t *testing.T) {
	b := newBench(t)
	st := b.create(request(t, "cluster.yaml"))
	st = b.await(st.ID, "CREATE_COMPLETE")
	for _, want := range []int{3, 4, 5, 5} {
		require.NoError(t, b.engine.Signal(st, "workers_out"))
		group, _ := b.group(st, "workers")
		b.await(group.ID, "UPDATE_COMPLETE")
		_, members := b.group(st, "workers")
		require.Len(t, members, want)
	}
	require.NoError(t, b.engine.Signal(st, "workers_in"))
	group, _ := b.group(st, "workers")
	b.await(group.ID, "UPDATE_COMPLETE")
	_, members := b.group(st, "workers")
	require.Len(t, members, 4)
	require.Error(t, b.engine.Signal(st, "vip"))
}

func TestFailureNamesThePathAndRetrySucceeds(t *testing.T) {
	b := newBench(t)
	b.cloud.refuse = func(i hot.Item) error {
		if i.Type == "OS::Nova::Server" {
			return &hot.Error{
				Type:    "Forbidden",
				Message: "Quota exceeded for instances: Requested 1, but already used 0 of 0 instances (HTTP 403)",
			}
		}
		return nil
	}
	st := b.create(request(t, "cluster.yaml"))
	st = b.await(st.ID, "CREATE_FAILED")
	require.Regexp(t, `^Resource CREATE failed: Forbidden: resources\.(masters|workers)\.resources\.[a-z0-9]{12}\.resources\.server: Quota exceeded for instances`, st.Reason)

	b.cloud.mu.Lock()
	b.cloud.refuse = nil
	b.cloud.mu.Unlock()
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID, hot.Request{Existing: true}))
	b.await(st.ID, "UPDATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Nova::Server"), 5)
	require.Len(t, b.cloud.of("OS::Neutron::Port"), 6)
}

func TestRestartInTheMiddleLosesAndDoublesNothing(t *testing.T) {
	b := newBench(t)
	b.cloud.hold = make(chan struct{})
	st := b.create(request(t, "cluster.yaml"))
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Nova::Server")) == 5 }, time.Minute, time.Millisecond)
	b.restart()
	close(b.cloud.hold)
	b.await(st.ID, "CREATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Nova::Server"), 5)
	require.Equal(t, 11, b.cloud.creates)

	// Restart also in the middle of a scaling, which only the nested stack has recorded.
	b.cloud.mu.Lock()
	b.cloud.hold = make(chan struct{})
	b.cloud.mu.Unlock()
	require.NoError(t, b.engine.Signal(st, "workers_out"))
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Nova::Server")) == 6 }, time.Minute, time.Millisecond)
	b.restart()
	close(b.cloud.hold)
	group, _ := b.group(st, "workers")
	b.await(group.ID, "UPDATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Nova::Server"), 6)
}

func TestDeleteInTheMiddleOfCreateLeavesNothing(t *testing.T) {
	b := newBench(t)
	b.cloud.hold = make(chan struct{})
	st := b.create(request(t, "cluster.yaml"))
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Nova::Server")) > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, b.engine.DeleteStack(st.ID))
	b.await(st.ID, "DELETE_COMPLETE")
	require.Empty(t, b.cloud.things)
}

func TestResourceGroupCountsIndicesAndHonoursRemovalPolicies(t *testing.T) {
	b := newBench(t)
	st := b.create(request(t, "resourcegroup.yaml"))
	st = b.await(st.ID, "CREATE_COMPLETE")
	require.Equal(t, []any{"r0", "r1", "r2"}, b.output(st, "values"))
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID, hot.Request{
		Existing: true, Parameters: map[string]any{"drop": "1"},
	}))
	st = b.await(st.ID, "UPDATE_COMPLETE")
	require.Equal(t, []any{"r0", "r2", "r3"}, b.output(st, "values"))
}

func TestDeletionRunsAgainstTheDependencies(t *testing.T) {
	b := newBench(t)
	st := b.create(memberRequest(t))
	b.await(st.ID, "CREATE_COMPLETE")
	require.NoError(t, b.engine.DeleteStack(st.ID))
	b.await(st.ID, "DELETE_COMPLETE")
	require.Equal(t, []string{"server", "port"}, b.cloud.deleted)
}

func TestTimeoutFailsTheStack(t *testing.T) {
	cloud := newFakeCloud()
	cloud.hold = make(chan struct{})
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	start := time.Now()
	e := hot.New(hot.Config{Store: store, Cloud: cloud, Now: func() time.Time { return start }})
	req := memberRequest(t)
	req.TimeoutMins = 1
	st, err := e.CreateStack(t.Context(), req)
	require.NoError(t, err)
	e.Close()
	// The second engine begins when the minute is almost over.
	e2 := hot.New(hot.Config{
		Store: store, Cloud: cloud, Now: func() time.Time { return start.Add(59*time.Second + 900*time.Millisecond) },
	})
	defer e2.Close()
	e2.Recover()
	require.Eventually(t, func() bool {
		got, err := e2.Find(project, st.ID)
		return err == nil && got.State() == "CREATE_FAILED" && got.Reason == "Timed out"
	}, time.Minute, 5*time.Millisecond)
}

func TestInjectedFaultFailsOneResource(t *testing.T) {
	cloud := newFakeCloud()
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	e := hot.New(hot.Config{Store: store, Cloud: cloud, Fault: func(_ hot.Stack, r hot.Resource, action string) error {
		if r.Name == "vip" && action == hot.Create {
			return &hot.Error{Type: "ResourceInError", Message: "Went to status ERROR due to \"the lab was told so\""}
		}
		return nil
	}})
	defer func() { e.Close(); require.NoError(t, store.Close()) }()
	st, err := e.CreateStack(t.Context(), request(t, "cluster.yaml"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		got, err := e.Find(project, st.ID)
		return err == nil && got.Reason == `Resource CREATE failed: ResourceInError: resources.vip: Went to status ERROR due to "the lab was told so"`
	}, time.Minute, 5*time.Millisecond)
}

func TestBadRequestsAreRefusedAtTheDoor(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string]struct {
		template string
		params   map[string]any
		want     string
	}{
		"unknown type": {
			"resources: {x: {type: OS::Foo::Bar}}", nil,
			"The Resource Type (OS::Foo::Bar) could not be found.",
		},
		"unknown property": {
			"resources: {x: {type: OS::Neutron::Port, properties: {network: n, colour: red}}}", nil,
			"Property error: : resources.x.properties: : Unknown Property colour",
		},
		"missing property": {
			"resources: {x: {type: OS::Neutron::Port}}", nil,
			"Property error: : resources.x.properties: : Property network not assigned",
		},
		"missing parameter": {"parameters: {nfv: {type: json}}", nil, "The Parameter (nfv) was not provided."},
		"unknown parameter": {"parameters: {}", map[string]any{"a": 1}, "The Parameter (a) was not defined in template."},
		"absent image": {
			"resources: {x: {type: OS::Nova::Server, properties: {image: absent, flavor: f}}}", nil,
			"Property error: : resources.x.properties.image: : Error validating value 'absent': The Image (absent) could not " +
				"be found.",
		},
		"unknown reference": {
			"resources: {x: {type: OS::Neutron::Port, properties: {network: {get_resource: n}}}}", nil,
			`The specified reference "n" (in resources.x.properties) is incorrect.`,
		},
		"absent nested file": {
			"resources: {x: {type: nothing.yaml}}", nil,
			`Could not fetch remote template "nothing.yaml": not among the files of the request`,
		},
		"out of range": {
			"parameters: {n: {type: number, constraints: [{range: {min: 1, max: 3}}]}}",
			map[string]any{"n": 4},
			"Parameter 'n' is invalid: 4 is out of range (min: 1, max: 3)",
		},
		"circle": {"resources: {a: {type: OS::Heat::None, depends_on: b}, b: {type: OS::Heat::None, depends_on: " +
			"a}}", nil, "Circular Dependency Found: a, b, a"},
		"unknown attribute": {"resources: {x: {type: OS::Neutron::Port, properties: {network: n}}}\noutputs: {o: {value: " +
			"{get_attr: [x, fixed_ipz]}}}", nil, "The Referenced Attribute (x fixed_ipz) is incorrect."},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.engine.CreateStack(t.Context(), hot.Request{
				Name: "s", ProjectID: project, Parameters: c.params,
				Template: template(t, "heat_template_version: 2018-08-31\n"+c.template),
			})
			require.EqualError(t, err, c.want)
		})
	}
	_, err := b.engine.CreateStack(t.Context(), request(t, "recursive.yaml"))
	require.ErrorContains(t, err, "Recursion depth exceeds 5")
	b.create(request(t, "resourcegroup.yaml"))
	_, err = b.engine.CreateStack(t.Context(), request(t, "resourcegroup.yaml"))
	e, ok := errors.AsType[*hot.Error](err)
	require.True(t, ok)
	require.Equal(t, hot.StackExists, e.Type)
}

func TestUserDataMayComeFromASoftwareConfig(t *testing.T) {
	b := newBench(t)
	st := b.create(hot.Request{Name: "s", ProjectID: project, Template: template(t, `
heat_template_version: 2018-08-31
resources:
  cfg: {type: OS::Heat::CloudConfig, properties: {cloud_config: {packages: [nfs-common]}}}
  srv: {type: OS::Nova::Server, properties: {flavor: f, image: i, user_data: {get_resource: cfg}}}
`)})
	b.await(st.ID, "CREATE_COMPLETE")
	require.Equal(t, "#cloud-config\npackages:\n    - nfs-common\n",
		b.cloud.of("OS::Nova::Server")[0].Properties["user_data"])
}

var _ hot.Resources = (*fakeCloud)(nil)
