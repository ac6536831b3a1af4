package openstacktest

import (
	"slices"
	"strings"
	"time"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

const scalable = header + `
resources:
  group:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, desired_capacity: 1, resource: {type: OS::Heat::TestResource}}
  out:
    type: OS::Heat::ScalingPolicy
    properties: {adjustment_type: change_in_capacity, scaling_adjustment: 1, cooldown: 0, auto_scaling_group_id: {get_resource: group}}
  in:
    type: OS::Heat::ScalingPolicy
    properties: {adjustment_type: change_in_capacity, scaling_adjustment: -1, cooldown: 0, auto_scaling_group_id: {get_resource: group}}
`

func (s *site) signals() {
	s.create(s.stack(scalable, nil, nil), silent)
	require.Len(s, s.members("group"), 1)
	require.NoError(s, s.cloud.Signal(s.Context(), s.name, owner, "out"))
	s.awaitMembers("group", 2)

	address, err := s.cloud.AlarmURL(s.Context(), s.name, owner, "out")
	require.NoError(s, err)
	require.NoError(s, s.cloud.SignalAlarm(s.Context(), address))
	s.awaitMembers("group", 3)

	first := s.members("group")[0]
	require.NoError(s, s.cloud.Signal(s.Context(), s.name, owner, "in"))
	s.awaitMembers("group", 2)
	require.NotContains(s, s.members("group"), first, "the oldest goes")

	s.requireKind(lcm.KindNotFound, s.cloud.Signal(s.Context(), s.name, owner, "nothing"))
	_, err = s.cloud.AlarmURL(s.Context(), s.name, owner, "group")
	s.requireKind(lcm.KindInvalid, err, "alarm_url")
	s.requireKind(lcm.KindDenied, s.cloud.SignalAlarm(s.Context(), forged(address)))
}

// forged is an alarm URL with another signature.
func forged(address string) string {
	before, after, _ := strings.Cut(address, "Signature=")
	return before + "Signature=forged" + strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+/=")
}

// members are the ids of a group's members, the oldest first.
func (s *site) members(group string) []string {
	s.Helper()
	list, err := s.inventory().MemberResources(group)
	require.NoError(s, err)
	out := make([]string, 0, len(list))
	for _, r := range list {
		out = append(out, r.PhysicalID)
	}
	return out
}

// awaitMembers waits until a group has that many, and Heat does nothing to it any more: a policy that is signalled
// meanwhile may do nothing.
func (s *site) awaitMembers(group string, n int) {
	s.Helper()
	heat := s.service(client.NewOrchestrationV1)
	require.Eventually(s, func() bool {
		inv, err := s.cloud.Inventory(s.Context(), s.name)
		if err != nil {
			return false
		}
		members, err := inv.MemberResources(group)
		r, _ := inv.In(inv.StackID, group)
		if err != nil || len(members) != n || slices.ContainsFunc(members, func(m openstack.Resource) bool { return busy(m.Status) }) {
			return false
		}
		inner, err := stacks.Find(s.Context(), heat, r.PhysicalID).Extract()
		return err == nil && !busy(inner.Status) && !busy(r.Status)
	}, s.Patience, 200*time.Millisecond)
}

func busy(status string) bool { return strings.HasSuffix(status, "_IN_PROGRESS") }
