package openstack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// workers returns a stack with a group of n servers.
func workers(n int) openstack.Stack {
	return openstack.Stack{
		Name: "vnf-1", Owner: owner, Operation: "windlass-op-1", Timeout: time.Minute, Parameters: map[string]any{"n": n},
		Template: `
heat_template_version: 2021-04-16
parameters: {n: {type: number}}
resources:
  group: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 0, max_size: 50, desired_capacity: {get_param: n}, resource: {type: member.yaml}}}
`,
		Files: map[string]string{"member.yaml": `
heat_template_version: 2021-04-16
resources:
  cp: {type: OS::Neutron::Port, properties: {network: net0}}
  vdu: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: debian-12-k8s, networks: [{port: {get_resource: cp}}]}}
`},
	}
}

// spent counts the API calls of f by kind. Calls that differ only in the ids of stacks have the same kind.
func (s *site) spent(f func()) map[string]int {
	s.t.Helper()
	before := len(s.calls())
	f()
	out := map[string]int{}
	for _, call := range s.calls()[before:] {
		method, path, _ := strings.Cut(call, " ")
		parts := strings.Split(strings.Trim(path, "/"), "/")
		switch {
		case parts[0] == "heat-api" && len(parts) == 6: // heat-api/v1/PROJECT/stacks/NAME/ID
			path = "stack"
		default:
			path = parts[len(parts)-1]
		}
		out[method+" "+parts[0]+" "+path]++
	}
	return out
}

func TestConnect_isOneCall(t *testing.T) {
	s := newSite(t)
	require.Equal(t, map[string]int{"POST identity tokens": 1}, s.spent(func() {
		_, err := openstack.Connect(t.Context(), lcm.Vim{
			AuthURL: s.url + "/identity/v3", Project: map[string]any{"name": "demo"},
		}, map[string]any{"username": "demo", "password": "demo-secret"}, outbound.Guard{})
		require.NoError(t, err)
	}))
}

func TestInventory_takesTheSameFewCallsHoweverManyServers(t *testing.T) {
	for _, n := range []int{9, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newSite(t)
			_, err := s.cloud.CreateStack(t.Context(), workers(n), s.show)
			require.NoError(t, err)
			var inv *vim.Inventory
			require.Equal(t, map[string]int{
				"GET heat-api stacks": 1, "GET heat-api resources": 1, "GET networking ports": 1, "GET networking floatingips": 1,
				"GET compute detail": 1,
			}, s.spent(func() {
				inv, err = s.cloud.Inventory(t.Context(), "vnf-1")
				require.NoError(t, err)
			}))
			require.Len(t, inv.Servers, n)
			require.Len(t, inv.Ports, n)
		})
	}
}

// TestInventory_leavesOtherServersAlone checks that the connector does not list all servers of a project to find a few.
func TestInventory_leavesOtherServersAlone(t *testing.T) {
	s := newSite(t)
	_, err := s.cloud.CreateStack(t.Context(), workers(3), s.show)
	require.NoError(t, err)
	var inv *vim.Inventory
	spent := s.spent(func() {
		inv, err = s.cloud.Inventory(t.Context(), "vnf-1")
		require.NoError(t, err)
	})
	require.Len(t, inv.Servers, 3)
	for id := range inv.Servers {
		require.Equal(t, 1, spent["GET compute "+id], "%v", spent)
	}
	require.NotContains(t, spent, "GET compute detail")
}

// TestFollow_takesOneCallALook delays a creation. Until its end, each look is one call for events, and sometimes one
// call for the stack.
func TestFollow_takesOneCallALook(t *testing.T) {
	s := newSite(t)
	s.machines.create = make(chan struct{})
	time.AfterFunc(time.Second, func() { close(s.machines.create) })
	spent := s.spent(func() {
		_, err := s.cloud.CreateStack(t.Context(), workers(5), s.show)
		require.NoError(t, err)
	})
	require.Equal(t, 1, spent["GET heat-api stacks"])
	require.Equal(t, 1, spent["POST heat-api stacks"])
	looks, checks := spent["GET heat-api events"], spent["GET heat-api stack"]
	require.LessOrEqual(t, looks, 22, "at most every 50 ms")
	require.LessOrEqual(t, checks, looks/4+1)
	require.Equal(t, looks+checks+2, sum(spent), "and nothing else: %v", spent)
}

func TestUpdateStack_marksInOneCallEach(t *testing.T) {
	s := newSite(t)
	_, err := s.cloud.CreateStack(t.Context(), workers(3), s.show)
	require.NoError(t, err)
	inv, err := s.cloud.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	members, err := inv.MemberResources("group")
	require.NoError(t, err)
	spent := s.spent(func() {
		require.NoError(t, s.cloud.UpdateStack(t.Context(), openstack.Change{
			Name: "vnf-1", Owner: owner, Operation: "windlass-op-2", Timeout: time.Minute,
			Parameters: map[string]any{"n": 1}, Replace: members[1:],
		}, s.show))
	})
	for call, n := range map[string]int{
		"GET heat-api stacks": 1, "GET heat-api resources": 1, "PATCH heat-api stack": 1,
		"PATCH heat-api " + members[1].Name: 1, "PATCH heat-api " + members[2].Name: 1,
	} {
		require.Equal(t, n, spent[call], "%s of %v", call, spent)
		delete(spent, call)
	}
	require.LessOrEqual(t, spent["GET heat-api stack"], spent["GET heat-api events"]/4+1)
	require.Equal(t, spent["GET heat-api stack"]+spent["GET heat-api events"], sum(spent), "%v", spent)
	after, err := s.cloud.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	left, err := after.Members("group")
	require.NoError(t, err)
	require.Equal(t, []string{members[0].ID}, left)
}

// TestUpdateStack_keepsAMemberThatHasFailed: the older of two members has failed in an update, and the younger one must
// go. Heat would remove the older one. Heat can only undo marks, so the connector first marks that member itself.
func TestUpdateStack_keepsAMemberThatHasFailed(t *testing.T) {
	s := newSite(t)
	_, err := s.cloud.CreateStack(t.Context(), workers(1), s.show)
	require.NoError(t, err)
	members := func() []vim.Resource {
		inv, err := s.cloud.Inventory(t.Context(), "vnf-1")
		require.NoError(t, err)
		out, err := inv.MemberResources("group")
		require.NoError(t, err)
		return out
	}
	change := openstack.Change{
		Name: "vnf-1", Owner: owner, Operation: "windlass-op-2", Timeout: time.Minute,
		Parameters: map[string]any{"n": 2},
	}
	old := members()
	require.NoError(t, s.cloud.UpdateStack(t.Context(), change, s.show))
	s.lab("POST", "/faults", map[string]any{"resource": old[0].Name, "action": "UPDATE", "message": "It did not want to."})
	require.Error(t, s.cloud.UpdateStack(t.Context(), change, s.show))

	change.Parameters = map[string]any{"n": 1}
	for _, m := range members() {
		if m.ID == old[0].ID {
			require.Equal(t, "UPDATE_FAILED", m.Status)
			change.Keep = append(change.Keep, m)
		} else {
			change.Replace = append(change.Replace, m)
		}
	}
	for range 2 {
		require.NoError(t, s.cloud.UpdateStack(t.Context(), change, s.show))
		left := members()
		require.Len(t, left, 1)
		require.Equal(t, old[0].ID, left[0].ID)
	}
}

func TestDeleteStack_triesTwiceAndThenNamesWhatStays(t *testing.T) {
	s := newSite(t)
	_, err := s.cloud.CreateStack(t.Context(), workers(1), s.show)
	require.NoError(t, err)
	s.lab("POST", "/faults", map[string]any{"resource": "vdu", "action": "DELETE", "count": 2, "message": "It holds on."})
	err = s.cloud.DeleteStack(t.Context(), "vnf-1", owner, s.show)
	require.Equal(t, lcm.KindBroken, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "DELETE_FAILED: vdu (OS::Nova::Server)")
	require.ErrorContains(t, err, "It holds on.")
	require.NoError(t, s.cloud.DeleteStack(t.Context(), "vnf-1", owner, s.show))
	require.Empty(t, s.lab("GET", "/resources", nil)["servers"])
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestDeleteStack_triesOnWhileNetworksAreInUse: networks and subnets stay in use for a while after other stacks have
// deleted their servers.
func TestDeleteStack_triesOnWhileNetworksAreInUse(t *testing.T) {
	s := newSite(t)
	cloud, err := openstack.Connect(t.Context(), lcm.Vim{
		Name: "lab", AuthURL: s.url + "/identity/v3",
		Project: map[string]any{"name": "demo", "project_domain_name": "Default"},
		Extra:   map[string]any{"poll_interval": 0.01},
	}, map[string]any{"username": "demo", "password": "demo-secret", "user_domain_name": "Default"}, outbound.Guard{})
	require.NoError(t, err)
	for failures, deleted := range map[int]bool{5: true, 6: false} {
		_, err = cloud.CreateStack(t.Context(), workers(1), s.show)
		require.NoError(t, err)
		s.lab("POST", "/faults", map[string]any{
			"resource": "vdu", "action": "DELETE", "count": failures,
			"message": "SubnetInUseClient: One or more ports have an IP allocation from this subnet.",
		})
		var told []string
		err = cloud.DeleteStack(t.Context(), "vnf-1", owner, func(line string) { told = append(told, line) })
		require.Equal(t, deleted, err == nil, "%v", err)
		require.Contains(t, strings.Join(told, "\n"), "Windlass asks Heat again in 80ms (6 of 6).")
		if !deleted {
			require.ErrorContains(t, err, "SubnetInUse")
		}
		require.NoError(t, cloud.DeleteStack(t.Context(), "vnf-1", owner, s.show))
	}
}
